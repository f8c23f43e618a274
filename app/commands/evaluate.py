"""`headscope evaluate`: translate a test set and compare with its references."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from app.commands.console import progress_bar, say, write_json, write_rows
from app.commands.options import (
    AsJson,
    BatchTokens,
    Beam,
    Checkpoint,
    Device,
    LengthPenaltyAlpha,
    MaxSourcePieces,
    Precision,
    SkipBadLines,
    search_settings,
)
from model.corpus import read_parallel

if TYPE_CHECKING:
    from analysis.evaluation import Evaluation, Score


def evaluate(
    checkpoint: Checkpoint,
    source: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Source sentences, one a line.")
    ],
    reference: Annotated[
        Path, typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Their translations by people.")
    ],
    beam: Beam = 4,
    length_penalty: LengthPenaltyAlpha = 0.6,
    batch_tokens: BatchTokens = 2048,
    max_source_pieces: MaxSourcePieces = 1024,
    precision: Precision = "fp32",
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
    as_json: AsJson = False,
) -> None:
    """Translate a test set and compare with references: sacreBLEU and chrF with their signatures, and speed.

    Intervals are 95 % by bootstrap over sentences: another text of this kind, not another training.
    """
    from analysis.evaluation import evaluate as evaluate_pairs
    from model.translator import load_translator

    settings = search_settings(beam, length_penalty)
    text = read_parallel(source, reference, skip_bad_lines=skip_bad_lines)
    translator = load_translator(checkpoint, device)
    with progress_bar("sentences") as progress:
        found = evaluate_pairs(
            translator,
            text.pairs,
            settings=settings,
            max_source_pieces=max_source_pieces,
            batch_tokens=batch_tokens,
            precision=precision,
            progress=progress,
        )
    for reason, count in text.skipped.items():
        say(f"lines left out, {reason}: {count:,}")
    if found.untranslated:
        say(f"{found.untranslated:,} sentences were too long and count as empty translations")
    if as_json:
        write_json(_content(found))
    else:
        write_rows(_readable(found))


def _readable(found: "Evaluation") -> dict[str, str]:
    return {
        "BLEU": _score(found.bleu),
        "chrF": _score(found.chrf),
        "length ratio": f"{found.length_ratio:.3f}",
        "sentences": f"{found.sentences:,}",
        "speed": f"{found.sentences_per_second:.1f} sentences/s ({found.seconds:.1f} s)",
    }


def _score(score: "Score") -> str:
    interval = "" if score.interval is None else f" ± {score.interval:.2f}"
    return f"{score.value:.2f}{interval}  {score.signature}"


def _content(found: "Evaluation") -> dict[str, Any]:
    return {
        "bleu": _score_content(found.bleu),
        "chrf": _score_content(found.chrf),
        "length_ratio": found.length_ratio,
        "sentences": found.sentences,
        "untranslated": found.untranslated,
        "seconds": found.seconds,
        "sentences_per_second": found.sentences_per_second,
    }


def _score_content(score: "Score") -> dict[str, Any]:
    return {"score": score.value, "interval": score.interval, "signature": score.signature}
