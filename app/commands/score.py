"""`headscope score`: how probable given translations are."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.analysis.records.labels import visible
from headscope.app.commands.console import progress_bar, say, write_json
from headscope.app.commands.options import AsJson, BatchTokens, Checkpoint, Device, Pieces, Precision, SkipBadLines
from headscope.model.data.parallel_text import read_parallel
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Share

if TYPE_CHECKING:
    from headscope.model.data.parallel_text import ParallelText
    from headscope.model.translator import Scored

GROUP = 1024
"""Pairs between two writings of results."""


def score(
    checkpoint: Checkpoint,
    source: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Source sentences, one a line.")
    ] = None,
    target: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Their translations.")
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Or both as JSON lines."),
    ] = None,
    batch_tokens: BatchTokens = 2048,
    precision: Precision = "fp32",
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
    pieces: Pieces = False,
    as_json: AsJson = False,
) -> None:
    """Give the log-probability of every piece of given translations.

    It is in nats, and the same as in beam search. One line a pair: the sum, then each piece with its own, the end of
    sentence last, with tabs between them. A pair that is too long for the model gives an empty line, and standard error
    says why. With --json, one object a pair. Pairs in one file are JSON lines with the strings "source" and "target".
    """
    from headscope.model.translator import load_translator

    text = _pairs(source, target, jsonl, skip_bad_lines)
    translator = load_translator(checkpoint, device)
    if pieces:
        translator = translator.in_pieces()
    with progress_bar("pairs") as progress:
        for first in range(0, len(text.pairs), GROUP):
            found = translator.score(
                text.pairs[first : first + GROUP],
                batch_tokens=batch_tokens,
                precision=precision,
                progress=Share(progress, first, len(text.pairs)),
            )
            for number, scored in enumerate(found, first + 1):
                if scored.problem:
                    say(f"pair {number}: {scored.problem}")
                written = [*scored.target.pieces, translator.vocabulary.piece(translator.vocabulary.end, "target")]
                if as_json:
                    write_json(_content(scored, written))
                else:
                    print(_line(scored, written))
            sys.stdout.flush()
    for reason, count in text.skipped.items():
        say(f"lines left out, {reason}: {count:,}")


def _pairs(source: Path | None, target: Path | None, jsonl: Path | None, skip_bad_lines: bool) -> "ParallelText":
    if source and target and not jsonl:
        return read_parallel(source, target, skip_bad_lines=skip_bad_lines)
    if jsonl and not source and not target:
        return read_parallel(jsonl, skip_bad_lines=skip_bad_lines)
    raise HeadscopeError("give the pairs either as --source and --target, or as --jsonl")


def _line(scored: "Scored", pieces: list[str]) -> str:
    if scored.problem:
        return ""
    each = [f"{visible(piece)} {log_prob:.6f}" for piece, log_prob in zip(pieces, scored.log_probs, strict=True)]
    return "\t".join([f"{scored.total:.6f}", *each])


def _content(scored: "Scored", pieces: list[str]) -> dict[str, Any]:
    return {
        "source": scored.source.text,
        "target": scored.target.text,
        "problem": scored.problem,
        "log_prob": None if scored.problem else scored.total,
        "pieces": pieces,
        "log_probs": scored.log_probs,
    }
