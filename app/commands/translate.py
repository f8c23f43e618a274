"""`headscope translate`: one line in, one line out."""

import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.app.commands.console import progress_bar, say, write_json
from headscope.app.commands.groups import grouped
from headscope.app.commands.lines import Line, line_groups
from headscope.app.commands.options import (
    AsJson,
    BatchOptions,
    Checkpoint,
    MaxSourcePieces,
    Pieces,
    SearchOptions,
    WordOptions,
    load,
)
from headscope.app.commands.warned import Warned, warnings_of
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Share, Silent

if TYPE_CHECKING:
    from headscope.analysis.measures.warnings import WarningKind
    from headscope.model.translator import Translation

BREAKS = str.maketrans("\n\r", "  ")


@grouped
def translate(
    checkpoint: Checkpoint,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Text, also .gz; - is standard input.")] = "-",
    how: SearchOptions,
    words: WordOptions,
    n_best: Annotated[int, typer.Option(min=1, metavar="K", help="Translations of each line.")] = 1,
    max_source_pieces: MaxSourcePieces = 1024,
    batch: BatchOptions,
    pieces: Pieces = False,
    as_json: AsJson = False,
) -> None:
    """Translate lines of text: one in, one out, in the same order.

    A blank line gives an empty line. So does one that is too long or is not UTF-8; standard error then says which and
    why. Lines end at the line feed alone. What comes through a pipe or is typed is translated as it comes.

    Standard error says in the end how many translations were cut off at the greatest length, repeat themselves, or are
    longer than any in training, as their sources may be, and how many lines are mostly unknown pieces.

    With --n-best K, K lines are written for each: its number, rank, score and translation, with tabs between them (a
    line without a translation has the first two alone). With --json, each line becomes one object with everything.
    With --must-contain, a line for which no such translation is found gives an empty one, and standard error says so.
    With --pieces, lines and translations are pieces of the vocabulary with blanks between them.
    Line breaks within a translation become blanks, except in JSON.
    """
    settings = how.settings(checkpoint, n_best=n_best, words=words)
    groups = line_groups(_existing(file))
    translator = load(checkpoint, batch.device, pieces=pieces)
    if batch.precision == "bf16":
        say("with bf16 the translation of a line may change with the lines beside it; fp32 promises that it does not")
    if file == "-" and sys.stdin.isatty():
        say("type a line to have it translated; Ctrl-D ends")
    write: Callable[[Line, Translation], None] = _n_best if n_best > 1 else _plain
    done, warned = 0, Warned()
    with nullcontext(Silent()) if sys.stdout.isatty() else progress_bar("lines") as progress:
        for group in groups:
            found = translator.translate(
                [line.text for line in group],
                settings=settings,
                max_source_pieces=max_source_pieces,
                batch_tokens=batch.batch_tokens,
                precision=batch.precision,
                progress=Share(progress, done),
            )
            for line, translation in zip(group, found, strict=True):
                if problem := line.problem or translation.problem:
                    say(f"line {line.number}: {problem}")
                kinds = warnings_of(translator, translation)
                warned.add(line.number, kinds)
                if as_json:
                    write_json(_content(line, translation, kinds))
                else:
                    write(line, translation)
            sys.stdout.flush()
            done += len(group)
    warned.say()


def _existing(name: str) -> Path | None:
    """The file of that name; None is standard input. A wrong name is told before the model is read."""
    if name == "-":
        if sys.stdin is None:
            raise HeadscopeError("standard input is closed: name a file")
        return None
    if not Path(name).exists():
        raise HeadscopeError(f"there is no file {name}")
    return Path(name)


def _plain(line: Line, translation: "Translation") -> None:
    print(_one_line(translation.text))


def _n_best(line: Line, translation: "Translation") -> None:
    if not translation.hypotheses:
        print(line.number, 1, "", "", sep="\t")
    for rank, (hypothesis, target) in enumerate(zip(translation.hypotheses, translation.targets, strict=True), 1):
        print(line.number, rank, f"{hypothesis.score:.6f}", _one_line(target.text), sep="\t")


def _content(line: Line, translation: "Translation", kinds: "Sequence[WarningKind]") -> dict[str, Any]:
    from headscope.analysis.measures.warnings import repetition

    problem = line.problem or translation.problem
    translations: list[dict[str, Any]] = [
        {
            "text": target.text,
            "score": hypothesis.score,
            "log_prob": hypothesis.total,
            "pieces": target.pieces,
            "log_probs": hypothesis.log_probs,
            "finished": hypothesis.finished,
            "repetition": repetition(target.ids),
        }
        for hypothesis, target in zip(translation.hypotheses, translation.targets, strict=True)
    ]
    return {
        "line": line.number,
        "source": line.text,
        "source_pieces": translation.source.pieces,
        "status": "not translated" if problem else "translated" if translations else "blank",
        "problem": problem,
        "warnings": kinds,
        "translations": translations,
    }


def _one_line(text: str) -> str:
    return text.translate(BREAKS)
