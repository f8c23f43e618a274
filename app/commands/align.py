"""`headscope align`: how well attention and attribution align words, against links that people made."""

import json
from collections import UserDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headscope.app.commands.console import progress_bar, say, write_json
from headscope.app.commands.corpus import gold_of
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import AsJson, Checkpoint, Device, load
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    import numpy as np

    from headscope.analysis.corpus.aligning import AlignmentErrors, Sort
    from headscope.analysis.measures.alignment import ErrorRate, Gold


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldOptions:
    """How words that people have aligned are read, and how many."""

    gold_swapped: Annotated[
        bool, typer.Option("--gold-swapped", help="The aligned words are of the other direction, target to source.")
    ] = False
    counted_from: Annotated[
        int, typer.Option(min=0, max=1, help="The number of a first word: 1, or 0 as in Pharaoh's format.")
    ] = 1
    pairs: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="So many pairs, evenly from the whole text. [all]")
    ] = None


@grouped
def align(
    checkpoint: Checkpoint,
    *,
    gold: Annotated[
        str,
        typer.Option(
            metavar="TEXT,LINKS",
            help="Two files, also .gz: lines of `source ||| target`, and of links, 1-1 sure and 2p3 possible.",
        ),
    ],
    how: GoldOptions,
    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Such as saliency or ALTI+ (repeatable). [none: heads and layers alone]"),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Passes of an integral. [until sums are right to 1 %]")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep counts of links there, a JSON line a pair, and go on behind them."),
    ] = None,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every rate, with precision and recall.")
    ] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Measure the alignment error rate of cross-attention heads, layers and methods of attribution.

    Targets are forced, and the source's end of sentence is left aside. A row may be a word's because it predicts one of
    its pieces or because it reads one; links of pieces become links of words either by joining pieces first, or each by
    itself: four rates, in percent, less is better. The best of each sort is chosen on every other pair and its rate is
    of the pairs between. Ctrl-C stops, and the same command goes on where it was when it is given the same --out.
    """
    for file in (out, csv):
        if file is not None and not file.parent.is_dir():
            raise HeadscopeError(f"there is no folder {file.parent} for {file.name}: make it first")
    wanted = "two files, as TEXT,LINKS"
    every = gold_of(gold, gold, wanted, swap=how.gold_swapped, counted_from=how.counted_from)
    many = min(how.pairs or len(every), len(every))
    chosen = [every[at * len(every) // many] for at in range(many)]

    from headscope.analysis.corpus.aligning import alignment_errors
    from headscope.model.files import replace_file

    translator, methods = load(checkpoint, device), method or []
    run = {"weights": translator.weights_digest, "gold": _digest(chosen), "methods": methods, "steps": steps}
    kept = _Kept(out, run) if out else None
    if kept:
        say(f"{len(kept):,} of {many:,} pairs are done already")
    with progress_bar("pairs") as progress:
        found = alignment_errors(translator, chosen, methods, steps=steps, kept=kept, progress=progress)
    if csv is not None:
        text = found.to_pandas().to_csv(index=False)
        replace_file(csv, lambda fresh: fresh.write_text(text, "utf-8"))
    if as_json:
        write_json(_object(found))
    else:
        _show(found)
    if found.left_out:
        say(f"{found.left_out:,} of {many:,} pairs left out: too long for this model")


class _Kept(UserDict[int, "np.ndarray | None"]):
    """Counts by pair, as the lines of a file: what is put in is written behind them."""

    def __init__(self, file: Path, run: Mapping[str, Any]) -> None:
        """Read what an earlier run has written; a last line that was cut off is taken away.

        Raises:
            HeadscopeError: the file holds something else.
        """
        super().__init__()
        self._file, self._run = file, run
        if file.exists():
            self.data |= self._read(file.read_bytes())

    def __setitem__(self, at: int, counts: "np.ndarray | None") -> None:
        super().__setitem__(at, counts)
        line = {"run": self._run, "pair": at, "counts": None if counts is None else counts.tolist()}
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, ensure_ascii=False) + "\n")

    def _read(self, raw: bytes) -> "dict[int, np.ndarray | None]":
        import numpy as np

        found: dict[int, np.ndarray | None] = {}
        whole = raw[: raw.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                content = json.loads(line)
                run, at, counts = (content[key] for key in ("run", "pair", "counts"))
            except (ValueError, KeyError, TypeError):
                raise HeadscopeError(
                    f"{self._file}, line {number} is no result of this command: name another file"
                ) from None
            if run != self._run:
                raise HeadscopeError(
                    f"{self._file} holds results of other pairs, methods or weights: name another file, or remove it"
                )
            found[at] = None if counts is None else np.array(counts)
        if len(whole) < len(raw):
            with self._file.open("r+b") as stream:
                stream.truncate(len(whole))
        return found


def _digest(gold: "Sequence[Gold]") -> str:
    rows = [(each.source, each.target, sorted(each.sure), sorted(each.possible)) for each in gold]
    return sha256(json.dumps(rows).encode()).hexdigest()[:32]


def _best(found: "AlignmentErrors") -> "Iterator[tuple[str, str, str, str, ErrorRate]]":
    """Of each sort that was measured: sort, name, rows, aggregation, and the rate on pairs that did not choose it."""
    sorts: tuple[Sort, ...] = "method", "head", "layer"
    for sort in sorts:
        if any(each.sort == sort for each in found.aligners):
            aligner, rows, aggregation, rate = found.best(sort)
            yield sort, aligner.name, rows, aggregation, rate


def _object(found: "AlignmentErrors") -> dict[str, Any]:
    return {
        "pairs": found.sentences,
        "left_out": found.left_out,
        "rates": [_without_nan(row) for row in found.to_pandas().to_dict("records")],
        "best": [
            {"sort": sort, "name": name, "rows": rows, "aggregation": aggregation}
            | _without_nan({"aer": rate.aer, "precision": rate.precision, "recall": rate.recall})
            for sort, name, rows, aggregation, rate in _best(found)
        ],
    }


def _without_nan(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A rate of nothing, such as the recall where no link is sure, is null in JSON."""
    return {name: None if value != value else value for name, value in row.items()}


def _show(found: "AlignmentErrors") -> None:
    from headscope.analysis.corpus.aligning import WAYS

    headings = (f"{rows}, {aggregation}" for rows, aggregation in WAYS)
    print(f"{'AER, %':24}{''.join(f'{heading:18}' for heading in headings)}".rstrip())
    for aligner in found.aligners:
        rates = (f"{100 * found.rate(aligner, *way).aer:.1f}" for way in WAYS)
        print(f"{aligner.name:24}{''.join(f'{rate:18}' for rate in rates)}".rstrip())
    for sort, name, rows, aggregation, rate in _best(found):
        numbers = f"AER {rate.aer:.1%}, precision {rate.precision:.1%}, recall {rate.recall:.1%}"
        print(f"best {sort}: {name} ({rows}, {aggregation}): {numbers} on the other half")
    print(f"{found.sentences:,} pairs")
