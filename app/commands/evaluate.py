"""`headscope evaluate`: translate a test set and compare with its references."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.app.commands.console import progress_bar, say, write_json, write_rows
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import (
    AsJson,
    BatchOptions,
    Checkpoint,
    MaxSourcePieces,
    SearchOptions,
    SkipBadLines,
    load,
)
from headscope.app.commands.warned import Warned, warnings_of
from headscope.model.card import language_pair, read_card, resolve
from headscope.model.data.parallel_text import read_parallel, read_references

if TYPE_CHECKING:
    from headscope.analysis.corpus.evaluation import Evaluation, Score

SAID = 10
"""Sentences without a translation that are named one by one."""


@grouped
def evaluate(
    checkpoint: Checkpoint,
    *,
    source: Annotated[
        Path,
        typer.Option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help="Source sentences, one a line; or pairs: a file ending in .tsv, .jsonl or .tmx.",
        ),
    ],
    reference: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help="Their translations by people, unless they are pairs; may be given several times.",
        ),
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(
            metavar="FROM,TO", help="What to take from a .tmx file, as en,de; if not given, the checkpoint's."
        ),
    ] = None,
    tokenised: Annotated[
        bool,
        typer.Option(
            "--tokenised",
            help="The text is Moses tokens in pieces ending in @@: join them and compare tokens as they are.",
        ),
    ] = False,
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How BLEU cuts text: 13a, zh, ja-mecab, ko-mecab, char, …; if not given, as sacreBLEU does for the "
            "target language.",
        ),
    ] = None,
    how: SearchOptions,
    max_source_pieces: MaxSourcePieces = 1024,
    batch: BatchOptions,
    skip_bad_lines: SkipBadLines = False,
    as_json: AsJson = False,
) -> None:
    """Translate a test set and compare with references.

    sacreBLEU and chrF with their signatures, and speed. Intervals are 95 % by bootstrap over distinct sources: another
    text of this kind, not another training.
    """
    from headscope.analysis.corpus.evaluation import evaluate as evaluate_pairs

    settings = how.settings(checkpoint)
    card = read_card(resolve(checkpoint))
    chosen = language_pair(languages) or (card.languages if card.languages_known else None)
    if reference:
        text, more_references = read_references(source, reference, skip_bad_lines=skip_bad_lines)
    else:
        text, more_references = read_parallel(source, languages=chosen, skip_bad_lines=skip_bad_lines), []
    translator = load(checkpoint, batch.device)
    with progress_bar("sentences") as progress:
        found = evaluate_pairs(
            translator,
            text.pairs,
            more_references=more_references,
            settings=settings,
            max_source_pieces=max_source_pieces,
            batch_tokens=batch.batch_tokens,
            precision=batch.precision,
            tokenised=tokenised,
            tokeniser=tokenizer,
            progress=progress,
        )
    for reason, count in text.skipped.items():
        say(f"lines left out, {reason}: {count:,}")
    problems = [(n, t.problem) for n, t in zip(text.lines, found.translations, strict=True) if t.problem]
    for number, problem in problems[:SAID]:
        say(f"line {number}: {problem}")
    if problems:
        say(f"{len(problems):,} sentences were not translated and count as empty")
    if found.note:
        say(found.note)
    warnings, warned = [], Warned()
    for number, translation in zip(text.lines, found.translations, strict=True):
        if kinds := warnings_of(translator, translation):
            warnings.append({"line": number, "warnings": kinds})
            warned.add(number, kinds)
    warned.say()
    if as_json:
        each = {"problems": [{"line": n, "problem": problem} for n, problem in problems], "warnings": warnings}
        write_json(_content(found) | each)
    else:
        write_rows(_readable(found))


def _distinct(found: "Evaluation") -> str:
    return "" if found.sources == found.sentences else f" with {found.sources:,} distinct sources"


def _readable(found: "Evaluation") -> dict[str, str]:
    detokenised = {"BLEU, detokenised": _score(found.detokenised)} if found.detokenised else {}
    return {
        "BLEU": _score(found.bleu),
        **detokenised,
        "chrF": _score(found.chrf),
        "length ratio": f"{found.length_ratio:.3f}",
        "sentences": f"{found.sentences:,}{_distinct(found)}",
        "speed": f"{found.sentences_per_second:.1f} sentences/s ({found.seconds:.1f} s)",
    }


def _score(score: "Score") -> str:
    interval = "" if score.interval is None else f" ± {score.interval:.2f}"
    return f"{score.value:.2f}{interval}  {score.signature}"


def _content(found: "Evaluation") -> dict[str, Any]:
    return {
        "bleu": _score_content(found.bleu),
        "detokenised": _score_content(found.detokenised) if found.detokenised else None,
        "chrf": _score_content(found.chrf),
        "length_ratio": found.length_ratio,
        "sentences": found.sentences,
        "sources": found.sources,
        "untranslated": found.untranslated,
        "note": found.note,
        "seconds": found.seconds,
        "sentences_per_second": found.sentences_per_second,
    }


def _score_content(score: "Score") -> dict[str, Any]:
    return {"score": score.value, "interval": score.interval, "signature": score.signature}
