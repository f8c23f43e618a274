"""A search in the terminal: what was found, and how, as tables."""

import math
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from headscope.analysis.records.labels import visible

NARROWEST = 100
"""Columns where the output is no terminal, or a narrow one."""
LOSERS = 1
"""Pruned candidates shown of each step."""


def show(content: Mapping[str, Any], how: str) -> None:
    """Write a search, as `app.export.search.report_object` describes it, to standard output.

    Text is written as text: nothing in it is taken for markup.

    Args:
        how: it was searched, in words.
    """
    console = Console(highlight=False, markup=False, emoji=False)
    console.width = max(console.width, NARROWEST)
    steps = _table("step", "text so far", "entropy", "piece", "p", "log p", "score", "fate")
    for number, step in enumerate(content["steps"], 1):
        losers = LOSERS
        for c in step["candidates"]:
            if c["fate"] == "pruned":
                losers -= 1
            if c["fate"] != "pruned" or losers >= 0:
                entropy = f"{step['live'][c['parent']]['entropy']:.2f}" if step["live"] else ""
                _row(steps, number, c["prefix"], entropy, *_candidate(c))
        steps.add_section()
    console.print(steps)
    console.print(Text("Entropy: of what may follow the text so far, in nats. --json and --csv have all candidates."))
    console.print(Text(f"Found with {how}. {_ending(content['bound'])}"))
    console.print(_translations(content))
    for name, told in (("free", _free), ("exact", _exact), ("mbr", _mbr)):
        if name in content:
            told(console, content[name])


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in columns:
        number = name in ("entropy", "p", "log p", "score", "rank", "drawn")
        table.add_column(name, justify="right" if number else "left", overflow="fold")
    return table


def _row(table: Table, *cells: object) -> None:
    table.add_row(*(Text(str(cell)) for cell in cells))


def _candidate(c: Mapping[str, Any]) -> tuple[str, ...]:
    fate = str(c["fate"]) + (", forced" if c["forced"] else "")
    if c["margin"] is not None:
        fate += f" by {-c['margin']:.3f}"
    log_prob = c["log_prob"]
    return visible(c["piece"]), f"{math.exp(log_prob):.3f}", f"{log_prob:.2f}", f"{c['score']:.3f}", fate


def _ending(bound: Mapping[str, Any]) -> str:
    if bound["ending"] == "bound":
        return (
            f"Ended: no live hypothesis could reach more than {bound['best_possible']:.3f}, "
            f"and the last one returned has {bound['worst_returned']:.3f}."
        )
    return {
        "length": "Ended: the greatest length was reached.",
        "exhausted": "Ended: no live hypothesis was left.",
    }[bound["ending"]]


def _translations(content: Mapping[str, Any]) -> Table | Text:
    if not (hypotheses := content["hypotheses"]):
        return Text(f"{content['problem'][0].upper()}{content['problem'][1:]}.")
    table = _table("rank", "score", "log p", "translation")
    for rank, h in enumerate(hypotheses, 1):
        _row(
            table,
            rank,
            f"{h['score']:.3f}",
            f"{h['log_prob']:.2f}",
            h["text"] + ("" if h["finished"] else " (cut off)"),
        )
    return table


def _free(console: Console, free: Mapping[str, Any]) -> None:
    console.print(Text(f"Free search: {free['text']}"))
    if free["score_difference"] is not None:
        console.print(
            Text(
                f"Score {free['score_difference']:+.3f} and log-probability {free['log_prob_difference']:+.3f} "
                "against the free search."
            )
        )


def _exact(console: Console, found: Mapping[str, Any]) -> None:
    if found["text"] is not None:
        console.print(Text(f"Most probable: {found['text'] or '(empty)'} (log p {found['log_prob']:.2f})"))
    empty = found["empty_log_prob"]
    told = "impossible" if empty is None else f"log p {empty:.2f}"
    console.print(Text(f"{found['verdict'].capitalize()}. The empty translation: {told}."))


def _mbr(console: Console, found: Mapping[str, Any]) -> None:
    console.print(Text(f"Most like all samples ({found['utility']}): {found['text']}"))
    table = _table("drawn", "expected utility", "log p", "translation")
    for each in found["translations"][:5]:
        _row(table, each["count"], f"{each['expected_utility']:.1f}", f"{each['log_prob']:.2f}", each["text"])
    console.print(table)
