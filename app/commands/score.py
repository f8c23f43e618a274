"""`headscope score`: how probable given translations are."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.analysis.records.labels import visible
from headscope.app.commands.console import progress_bar, say, write_json
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import (
    AsJson,
    BatchOptions,
    Checkpoint,
    Pieces,
    SkipBadLines,
    load,
)
from headscope.app.commands.warned import Warned
from headscope.model.data.parallel_text import read_parallel
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Share

if TYPE_CHECKING:
    from headscope.model.data.parallel_text import ParallelText
    from headscope.model.translator import Scored, Translator

GROUP = 1024
"""Pairs between two writings of results."""


@grouped
def score(
    checkpoint: Checkpoint,
    *,
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
    batch: BatchOptions,
    skip_bad_lines: SkipBadLines = False,
    pieces: Pieces = False,
    as_json: AsJson = False,
) -> None:
    """Give the log-probability of every piece of given translations.

    It is in nats, and that of the same pieces in beam search. Text is cut into pieces anew, which for some outputs of a
    search gives others than those it wrote: give these with --pieces. One line a pair: the sum, then each piece with
    its own, the end of sentence last, with tabs between them. A blank translation has that of ending at once. A pair
    that is too long for the model, or left out with --skip-bad-lines, gives an empty line, and standard error says why.
    With --json, one object a pair. Pairs in one file are JSON lines with the strings "source" and "target".
    """
    text = _pairs(source, target, jsonl, skip_bad_lines)

    from headscope.analysis.capture.pairs import SentencePair
    from headscope.analysis.measures.warnings import warnings_of

    translator, warned = load(checkpoint, batch.device, pieces=pieces), Warned()
    with progress_bar("pairs") as progress:
        results = _scored(translator, text, progress, batch_tokens=batch.batch_tokens, precision=batch.precision)
        for number in range(1, len(text.pairs) + len(text.left_out) + 1):
            if reason := text.left_out.get(number):
                scored = _left_out(reason)
            elif problem := (scored := next(results)).problem:
                say(f"line {number}: {problem}")
            written = [*scored.target.pieces, translator.vocabulary.piece(translator.vocabulary.end, "target")]
            kinds = () if scored.problem else warnings_of(translator, SentencePair(scored.source, scored.target))
            warned.add(number, kinds)
            if as_json:
                write_json({"line": number, "warnings": kinds} | _content(scored, written))
            else:
                print(_line(scored, written))
    for reason, count in text.skipped.items():
        say(f"lines left out, {reason}: {count:,}")
    warned.say()


def _scored(translator: "Translator", text: "ParallelText", progress: Progress, **options: Any) -> Iterator["Scored"]:
    """The pairs of a text with their log-probabilities, in its order."""
    for first in range(0, len(text.pairs), GROUP):
        share = Share(progress, first, len(text.pairs))
        yield from translator.score(text.pairs[first : first + GROUP], progress=share, **options)
        sys.stdout.flush()


def _left_out(reason: str) -> "Scored":
    """What stands in the place of a line that could not be used."""
    from headscope.model.text.vocabulary import Segmentation
    from headscope.model.translation import Scored

    nothing = Segmentation("", (), (), ())
    return Scored(nothing, nothing, (), f"left out: {reason}")


def _pairs(source: Path | None, target: Path | None, jsonl: Path | None, skip_bad_lines: bool) -> "ParallelText":
    if source and target and not jsonl:
        return read_parallel(source, target, skip_bad_lines=skip_bad_lines, blanks=True)
    if jsonl and not source and not target:
        return read_parallel(jsonl, skip_bad_lines=skip_bad_lines, blanks=True)
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
        "pieces": [] if scored.problem else pieces,
        "log_probs": scored.log_probs,
    }
