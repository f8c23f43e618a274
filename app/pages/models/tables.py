"""All that is known of a checkpoint, as tables of text."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from headscope.app.wire.described import architecture, plain
from headscope.app.wire.encoding import number
from headscope.app.wire.sheet import SheetTable
from headscope.model.card import Card
from headscope.model.data.known_datasets import DATA_SETS

SCORES = {"sentences": "Sentences", "bleu": "BLEU", "chrf": "chrF", "nll": "Nats a piece", "search": "Searched"}
"""What of a score is shown in a column of its own."""


def summary(card: Card, parameters: int) -> str:
    """A checkpoint in one line."""
    config = card.config
    encoder, decoder = config.encoder, config.decoder
    heads = f"{encoder.heads}" if encoder.heads == decoder.heads else f"{encoder.heads} and {decoder.heads}"
    facts = [
        " to ".join(card.languages) if card.languages_known else "languages unknown",
        f"{parameters:,} parameters",
        f"{encoder.layers} + {decoder.layers} layers",
        f"{heads} heads",
        f"width {config.d_model:,}",
        f"{config.norm}-norm",
        f"{config.positions} positions",
    ]
    return " · ".join(facts)


def tables(card: Card, parameters: Mapping[str, int], *, symbols: bool) -> list[SheetTable]:
    """All that is known of a checkpoint.

    Args:
        parameters: as `by_part` gives them.
        symbols: its vocabulary has no model for text.
    """
    text = "pieces with blanks between them" if symbols else "text, cut by SentencePiece"
    made = [*(architecture(card.config) | {"reads and writes": text}).items()]
    total = parameters["total"]
    shares = [(part, f"{count:,}", f"{count / total:.1%}") for part, count in parameters.items()]
    return [
        SheetTable("Architecture", (), made),
        SheetTable("Parameters", ("Part", "Parameters", "Share"), shares),
        SheetTable("Origin", (), [*origin(card.training).items()]),
        _positions(card.positions),
        _scores(card.scores),
    ]


def origin(training: Mapping[str, Any]) -> dict[str, str]:
    """Where a checkpoint comes from and under which licence: imported from what, or trained how."""
    taken = training.get("imported")
    if isinstance(taken, Mapping):
        return {"imported from": plain(taken.get("toolkit"))} | {
            name: "not stated" if value is None else plain(value) for name, value in taken.items() if name != "toolkit"
        }
    data = training.get("data")
    known = DATA_SETS.get(str(data.get("name"))) if isinstance(data, Mapping) else None
    licence = f"{known.licence} (of the text), attribution: {known.attribution}" if known else "not stated"
    told = {name.replace("_", " "): plain(value) for name, value in training.items()}
    return {"licence": licence} | (told or {"training": "not recorded"})


def _scores(scores: Mapping[str, Any]) -> SheetTable:
    rows = []
    for name, found in scores.items():
        for label, score in _labelled(name, found):
            if isinstance(score, Mapping):
                rows.append((label, *(_figure(score[key]) if key in score else "–" for key in SCORES)))
            else:
                rows.append((f"{label}: {_figure(score)}", *["–"] * len(SCORES)))
    return SheetTable("Scores", ("Part", *SCORES.values()), rows, "Not measured.")


def _labelled(name: str, found: Any) -> list[tuple[str, Any]]:
    """A score, or those of a list: by the numbers of pieces that their sentences have."""
    if not isinstance(found, list):
        return [(name, found)]
    ranges = [(part.get("from"), part.get("below")) if isinstance(part, Mapping) else (None, None) for part in found]
    return [
        (f"{name}, {first} or more" if below is None else f"{name}, {first} to {below - 1}", part)
        if isinstance(first, int)
        else (name, part)
        for (first, below), part in zip(ranges, found, strict=True)
    ]


def _positions(positions: Mapping[str, Sequence[int]]) -> SheetTable:
    """How often the first, second, fourth... and last position occurred."""
    longest = max(map(len, positions.values()), default=0)
    last = {len(counts) for counts in positions.values() if counts}
    places = sorted({*takewhile(lambda place: place <= longest, (2**power for power in range(longest))), *last})
    rows = [
        (
            f"{place:,}",
            *(f"{counts[place - 1]:,}" if place <= len(counts) else "never" for counts in positions.values()),
        )
        for place in places
    ]
    heads = ("Position", *(side.capitalize() for side in positions))
    return SheetTable("Positions in training", heads, rows, "Not recorded.")


def _figure(value: Any) -> str:
    if isinstance(value, Mapping) and {"score", "interval"} <= set(value):
        score, interval = value["score"], value["interval"]
        if isinstance(score, int | float) and isinstance(interval, int | float):
            return f"{score:.1f} ± {interval:.1f}"
    if isinstance(value, float):
        return number(value)
    return f"{value:,}" if isinstance(value, int) else plain(value)
