"""`headscope passages`: what translations invent and what they leave out, and how well that is found."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.app.commands.console import progress_bar, say
from headscope.app.commands.corpus import Datas, Parts, load_both
from headscope.app.commands.options import Checkpoint, Device, SkipBadLines, load
from headscope.model.data.parallel_text import Pair, read_parallel
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.corpus.passage_trial import Omission
    from headscope.analysis.corpus.passages import Fault, Support
    from headscope.model.translator import Translator

passages = typer.Typer(help="What translations invent and what they leave out, and how well that is found.")


@passages.command()
def find(
    checkpoint: Checkpoint,
    jsonl: Annotated[
        Path,
        typer.Option(
            exists=True, dir_okay=False, metavar="FILE", help='JSON lines with the strings "source" and "target".'
        ),
    ],
    out: Annotated[Path, typer.Option(dir_okay=False, metavar="FILE", help="The file of results, an object a line.")],
    threshold: Annotated[float, typer.Option(min=0, max=1, help="Suspicion of every word of a passage.")] = 0.6,
    least: Annotated[int, typer.Option(min=1, metavar="N", help="Words of a passage, at least.")] = 3,
    device: Device = "auto",
) -> None:
    """Find passages of translations that their sources do not support, and passages of sources left out.

    Five numbers a pair are taken, all from 0 to 1. Of each piece of the translation: the share of the source in it by
    ALTI+, its probability, and how much of that is lost without cross-attention. Of each piece of the source: how far
    it is covered by ALTI+, and how much of the translation's probability is lost where no row can look at it. Suspicion
    is one minus the mean of a side; a passage is a run of suspicious words. It is no probability of an error: `trial`
    measures how well it tells. A pair that cannot be read has a "problem". Ctrl-C stops, and the same command goes on
    behind the last whole line of the results.
    """
    pairs = read_parallel(jsonl, blanks=True).pairs
    translator = load(checkpoint, device)
    settings = {"weights": translator.weights_digest, "threshold": threshold, "least": least}
    done = _resumed(out, pairs, settings)
    if done:
        say(f"{done:,} of {len(pairs):,} pairs are done already")
    with progress_bar("pairs") as progress, out.open("a", encoding="utf-8", newline="\n") as file:
        for at in range(done, len(pairs)):
            progress.update(at, len(pairs))
            found = _found(translator, *pairs[at], threshold=threshold, least=least)
            line = {"line": at + 1, "source": pairs[at][0], "target": pairs[at][1]} | settings | found
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            file.flush()
        progress.update(len(pairs), len(pairs))


@passages.command()
def trial(
    checkpoint: Checkpoint,
    data: Datas,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to make: areas and curves, as csv.")],
    part: Parts = None,
    pairs: Annotated[int, typer.Option(min=2, metavar="N", help="Pairs of each kind, right and wrong.")] = 100,
    omissions: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE,RIGHT,WRONG",
            help="Three files, also .gz: sources, right translations, and translations that leave something out.",
        ),
    ] = None,
    device: Device = "auto",
    skip_bad_lines: SkipBadLines = False,
) -> None:
    """Measure how well invented and omitted passages are found, on pairs that are made wrong in a known way.

    Two sentences are joined and one of the four is left out; or the source is another one, or lacks some words, or the
    translation does. Printed is the area under the ROC curve, of each number alone and of suspicion, with its 95 %
    interval by bootstrap over pairs.
    """
    from headscope.model.files import new_folder, refuse_existing

    refuse_existing(out)
    from headscope.analysis.corpus.passage_trial import passage_trial

    given = _omissions(omissions)
    translator, texts = load_both(checkpoint, data, device, parts=part, most=None, skip_bad_lines=skip_bad_lines)
    with progress_bar("pairs") as progress:
        found = passage_trial(translator, texts.pairs, pairs=pairs, omissions=given, progress=progress)
    with new_folder(out) as folder:
        found.to_pandas().to_csv(folder / "areas.csv", index=False)
        found.curves().to_csv(folder / "curves.csv", index=False)
    for each in found.found:
        area = f"{each.roc.area:.3f}  [{each.roc.low:.3f}, {each.roc.high:.3f}]"
        print(f"{each.condition:20}{each.of:8}{each.fault:10}{each.score:18}{area}")
    before, after, fall = found.fall
    print(f"source share of a sentence with its source {before:.3f}, without {after:.3f}, falls by {fall:.3f}")


def _resumed(out: Path, pairs: Sequence[Pair], settings: Mapping[str, Any]) -> int:
    """How many pairs a file of results holds already; a line that was cut off is taken away.

    Raises:
        HeadscopeError: it holds something else.
    """
    if not out.parent.is_dir():
        raise HeadscopeError(f"there is no folder {out.parent} for {out.name}: make it first")
    if not out.exists():
        return 0
    whole, torn, done = 0, False, 0
    with out.open("rb") as file:
        for raw in file:
            if torn := not raw.endswith(b"\n"):
                break
            _require_same(out, raw, done, pairs, settings)
            whole, done = whole + len(raw), done + 1
    if torn:
        with out.open("r+b") as file:
            file.truncate(whole)
    return done


def _require_same(out: Path, raw: bytes, at: int, pairs: Sequence[Pair], settings: Mapping[str, Any]) -> None:
    from headscope.model.files import parse_json

    found = parse_json(raw, out)
    due = {"line": at + 1, **settings} | dict(
        zip(("source", "target"), pairs[at], strict=True) if at < len(pairs) else ()
    )
    if not isinstance(found, dict) or at >= len(pairs) or any(found.get(key) != value for key, value in due.items()):
        raise HeadscopeError(
            f"{out}, line {at + 1}: this is no result of the same pairs, checkpoint and options: name another file"
        )


def _found(translator: "Translator", source: str, target: str, *, threshold: float, least: int) -> dict[str, Any]:
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.corpus.passages import passage_support

    try:
        found = passage_support(translator, sentence_pair(translator, source, target))
        passages = list(_passages(found, threshold, least))
    except HeadscopeError as error:
        return {"problem": str(error)}
    return {
        "problem": None,
        "invented": round(found.total("invented"), 4),
        "omitted": round(found.total("omitted"), 4),
        "log_prob": round(float(found.log_probs.sum()), 4),
        "passages": passages,
        "source_pieces": _pieces(found.source.tokens, found.of_source),
        "target_pieces": _pieces(found.target.tokens, found.of_target),
    }


def _passages(found: "Support", threshold: float, least: int) -> Iterator[dict[str, Any]]:
    faults: tuple[Fault, Fault] = "invented", "omitted"
    for fault in faults:
        for each in found.passages(fault, threshold=threshold, least=least):
            yield {"fault": fault, "text": each.text, "span": each.span, "suspicion": round(each.suspicion, 4)}


def _pieces(tokens: Sequence[Any], signals: Mapping[str, Any]) -> list[dict[str, Any]]:
    numbers = {name.replace(" ", "_"): values for name, values in signals.items()}
    return [
        {"piece": token.piece} | {name: round(float(values[at]), 4) for name, values in numbers.items()}
        for at, token in enumerate(tokens)
    ]


def _omissions(names: str | None) -> "list[Omission]":
    """The pairs that an option names, line by line; none where it was not given."""
    if names is None:
        return []
    from headscope.analysis.corpus.passage_trial import Omission

    files = [Path(name) for name in names.split(",")]
    if len(files) != 3:
        raise HeadscopeError(f"--omissions {names}: give three files, as SOURCE,RIGHT,WRONG")
    for file in files:
        if not file.is_file():
            raise HeadscopeError(f"--omissions {names}: there is no file {file}")
    right, wrong = (read_parallel(files[0], files[at]).pairs for at in (1, 2))
    return [Omission(source, given, left) for (source, given), (_, left) in zip(right, wrong, strict=True)]
