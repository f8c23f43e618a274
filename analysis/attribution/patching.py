"""Patching, or causal tracing (Vig et al. 2020; Meng et al. 2022): activations of one run put into another.

Two runs differ in the source, or in the prefix of the translation. In each, two translations are compared by the
difference of their log-probabilities, which is another in either run. One activation of the other run is put into this
one at a time, and the difference is taken again: where it moves towards that of the other run lies what makes the runs
differ. A patch that moves it is sufficient there, in company of all that this run computes itself; several places may
each do it, and none of them has to be needed.

`S` source pieces, `P` rows of the prefix that both translations share (the start symbol first), `H` heads, `L` layers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.attribution.activations import Activations, Patch, Patched, activations
from headscope.analysis.capture.attention import source_tokens, target_tokens
from headscope.analysis.capture.forced import ForcedBatch, forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, sentence_pair, written
from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.records.table import Table
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.progress import Progress, Silent
from headscope.model.sites import AttentionKind, Side, Site
from headscope.model.translator import Translator

if TYPE_CHECKING:
    from pandas import DataFrame

BATCH_TOKENS = 4096
"""Target tokens that are read at once."""

Alignment = Sequence[int | None]
"""For each place of this run the place of the other one that it stands for; None: there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Patching(Table):
    """What single activations of another run do to this one. All numbers are in nats.

    The difference is the log-probability of the first translation minus that of the second.
    """

    source: Tokens
    prefix: Tokens
    """[P] tokens: what the decoder has read, in the rows that both translations share."""
    translations: tuple[Tokens, Tokens]
    other_source: Tokens
    other_prefix: Tokens
    difference: float
    """In this run."""
    other_difference: float
    """In the other run: what a patch of everything leads to."""
    sites: tuple[Site | Side, ...]
    """The rows of `streams`: the embeddings of a side, then its sub-layers in the order of a pass."""
    streams: tuple[np.ndarray, ...]
    """[S] or [P] a site: change of the difference with the other run's stream there, at one place; NaN: the other run
    has no place that stands for it."""
    heads: Mapping[AttentionKind, np.ndarray]
    """[L, H]: change of the difference with what the head puts out in the other run, in all rows."""

    @property
    def gap(self) -> float:
        """What the runs differ by; a change as large as that turns this run into the other."""
        return self.other_difference - self.difference

    def grid(self, side: Side) -> np.ndarray:
        """[sites, places] of one side: the embeddings first."""
        found = zip(self.sites, self.streams, strict=True)
        return np.stack([changes for site, changes in found if _side(site) == side])

    def to_pandas(self) -> "DataFrame":
        """One row a patch: kind, layer (−1: embeddings), head (−1: the stream), place (−1: all), token, change."""
        import pandas as pd

        rows = []
        for site, changes in zip(self.sites, self.streams, strict=True):
            kind, layer = (f"{site} embeddings", -1) if isinstance(site, str) else (site.kind, site.layer)
            tokens = (self.source if _side(site) == "source" else self.prefix).tokens
            rows += [(kind, layer, -1, at, tokens[at].piece, change) for at, change in enumerate(changes.tolist())]
        for kind, changes in self.heads.items():
            layers, heads = (index.ravel().tolist() for index in np.indices(changes.shape))
            found = zip(layers, heads, changes.ravel().tolist(), strict=True)
            rows += [(kind, layer, head, -1, "", change) for layer, head, change in found]
        return pd.DataFrame(rows, columns=["kind", "layer", "head", "place", "token", "change"])


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """A source with two translations."""

    pairs: tuple[SentencePair, SentencePair]
    batch: ForcedBatch
    """One source, two targets."""
    shared: int
    """Rows that read the same in both translations."""

    def rest(self, translator: Translator) -> list[tuple[int, ...]]:
        """What each translation goes on with."""
        return [written(translator, pair)[self.shared - 1 :] for pair in self.pairs]


def begun(translations: tuple[str, str], prefix: str) -> tuple[str, str]:
    """The translations with other words in the place of those that both begin with."""
    first, second = (text.split() for text in translations)
    shorter = min(len(first), len(second))
    alike = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    return " ".join([prefix, *first[alike:]]), " ".join([prefix, *second[alike:]])


def patching(
    translator: Translator,
    source: str,
    other_source: str,
    translations: tuple[str, str],
    *,
    other_translations: tuple[str, str] | None = None,
    progress: Progress | None = None,
) -> Patching:
    """Put single activations of the run over `other_source` into that over `source`: every place of the residual
    stream, and every head.

    Pieces of the runs stand for each other from the front as far as they are equal, from the back likewise, and between
    these in their order, as far as both have one.

    Args:
        translations: two translations, whose log-probabilities are compared.
        other_translations: the same in the other run, where they begin with another prefix; from the first piece in
            which they differ, they have to be the same pieces as `translations`.
        progress: told how many sites are done.

    Raises:
        HeadscopeError: a text is blank or too long for the model, the translations are the same, or those of the other
            run go on otherwise.
        Cancelled: `progress` wants it to stop.
    """
    run = _run(translator, source, translations)
    other = _run(translator, other_source, other_translations or translations)
    if run.rest(translator) != other.rest(translator):
        raise HeadscopeError(
            "from where they differ, the two translations are not made of the same pieces in both runs: change the "
            "prefix alone"
        )
    model, kept = translator.model, activations(translator.model, other.batch)
    found = _Grid(model, run, kept, _alignments(translator, run, other), float(_difference(kept.log_probs)[0]))
    progress = progress or Silent()
    sites: list[Site | Side] = ["source", *_of(model, "source"), "target", *_of(model, "target")]
    attends = [site for site in model.sites() if site.attends]
    streams, heads = [], {}
    for done, site in enumerate(sites):
        progress.update(done, len(sites) + len(attends))
        streams.append(found.stream(site))
    for done, site in enumerate(attends, len(sites)):
        progress.update(done, len(sites) + len(attends))
        heads.setdefault(site.kind, []).append(found.heads(site))
    progress.update(len(sites) + len(attends), len(sites) + len(attends))
    first, second = (target_tokens(translator, pair)[1] for pair in run.pairs)
    return Patching(
        source=source_tokens(translator, run.pairs[0].source),
        prefix=_prefix(translator, run),
        translations=(first, second),
        other_source=source_tokens(translator, other.pairs[0].source),
        other_prefix=_prefix(translator, other),
        difference=found.before,
        other_difference=found.other,
        sites=tuple(sites),
        streams=tuple(streams),
        heads={kind: np.stack(layers) for kind, layers in heads.items()},
    )


def aligned(pieces: Sequence[int], others: Sequence[int]) -> list[int | None]:
    """For each piece the place of the other text that stands for it, see `patching`."""
    shorter = min(len(pieces), len(others))
    front = next((at for at in range(shorter) if pieces[at] != others[at]), shorter)
    back = next((at for at in range(shorter - front) if pieces[-1 - at] != others[-1 - at]), shorter - front)
    between = [at if at < len(others) - back else None for at in range(front, len(pieces) - back)]
    return [*range(front), *between, *range(len(others) - back, len(others))]


class _Grid:
    """The two runs, and what a patch does."""

    def __init__(
        self, model: Seq2Seq, run: _Run, kept: Activations, places: Mapping[Side, Sequence[Alignment]], other: float
    ) -> None:
        self._model, self._run, self._kept, self._places = model, run, kept, places
        self.other = other
        self.before = float(_compared(model, run.batch)[0])

    def stream(self, site: Site | Side) -> np.ndarray:
        """Change by the stream at each place of a side; in the target, of the rows that are shared."""
        side = _side(site)
        values = self._kept.embedded[side] if isinstance(site, str) else self._kept.streams[site]
        places = self._places[side]
        length = len(places[0]) if side == "source" else self._run.shared
        cells = [[at] for at in range(length) if places[0][at] is not None]
        changes = np.full(length, np.nan)
        changes[[at for (at,) in cells]] = self._changes(site, cells, None, values)
        return changes

    def heads(self, site: Site) -> np.ndarray:
        """Change by each head, patched at all places that have a counterpart."""
        every = range(max(map(len, self._places[site.queries])))
        return self._changes(site, [list(every)] * site.heads, range(site.heads), self._kept.contexts[site])

    def _changes(
        self, site: Site | Side, cells: Sequence[Sequence[int]], heads: Sequence[int] | None, values: Tensor
    ) -> np.ndarray:
        """Change of the difference, a number a cell: the places of which are patched."""
        size = max(1, BATCH_TOKENS // (2 * self._run.batch.reads.shape[1]))
        found = []
        for first in range(0, len(cells), size):
            some = slice(first, first + size)
            found.append(self._pass(site, cells[some], None if heads is None else heads[some], values))
        return torch.cat(found).double().cpu().numpy() - self.before

    def _pass(
        self, site: Site | Side, cells: Sequence[Sequence[int]], heads: Sequence[int] | None, values: Tensor
    ) -> Tensor:
        side, places = _side(site), self._places[_side(site)]
        of = range(len(places))  # the one source, or the two targets
        moved = [
            (cell * len(of) + each, at, each, places[each][at], 0 if heads is None else heads[cell])
            for cell, some in enumerate(cells)
            for each in of
            for at in some
            if at < len(places[each]) and places[each][at] is not None
        ]
        row, at, each, there, head = (torch.tensor(index, device=values.device) for index in zip(*moved, strict=True))
        new = values[each, there] if heads is None else values[each, head, there]
        patch = Patch(row, at, new, None if heads is None else head)
        batch = _repeated(self._run.batch, len(cells), sources=side == "source")
        return _compared(self._model, batch, Patched({site: patch}))


def _repeated(batch: ForcedBatch, times: int, *, sources: bool) -> ForcedBatch:
    """The two targets as often as that, beside one source, or each two beside a source of their own."""
    many = times if sources else 1
    return ForcedBatch(
        source=batch.source.repeat(many, 1),
        present=batch.present.repeat(many, 1),
        reads=batch.reads.repeat(times, 1),
        predicts=batch.predicts.repeat(times, 1),
        real=batch.real.repeat(times, 1),
    )


@torch.no_grad()
def _compared(model: Seq2Seq, batch: ForcedBatch, probe: Probe | None = None) -> Tensor:
    return _difference(log_probs(model, batch, probe=probe))


def _difference(found: Tensor) -> Tensor:
    """Log-probability of every first translation minus that of the second beside it."""
    first, second = found.double().sum(-1).unflatten(0, (-1, 2)).unbind(-1)
    return first - second


def _run(translator: Translator, source: str, translations: tuple[str, str]) -> _Run:
    first, second = (sentence_pair(translator, source, text) for text in translations)
    ids = [written(translator, pair) for pair in (first, second)]
    if ids[0] == ids[1]:
        raise HeadscopeError(f"'{translations[0]}' is compared with itself: give two translations that differ")
    shared = next(at for at, (one, two) in enumerate(zip(*ids, strict=False)) if one != two)
    both = forced_batch(translator, [first, second])
    one = ForcedBatch(both.source[:1], both.present[:1], both.reads, both.predicts, both.real)
    return _Run((first, second), one, shared + 1)


def _alignments(translator: Translator, run: _Run, other: _Run) -> Mapping[Side, Sequence[Alignment]]:
    """Of the source, and of each of the two targets: the prefix, and row by row what follows it."""
    prefix, others = (
        [translator.vocabulary.start, *written(translator, each.pairs[0])[: each.shared - 1]] for each in (run, other)
    )
    shared, move = aligned(prefix, others), other.shared - run.shared
    targets = [
        [*shared, *(at + move for at in range(run.shared, len(written(translator, pair))))] for pair in run.pairs
    ]
    source = aligned(run.batch.source[0].tolist(), other.batch.source[0].tolist())
    return {"source": [source], "target": targets}


def _prefix(translator: Translator, run: _Run) -> Tokens:
    reads = target_tokens(translator, run.pairs[0])[0]
    return Tokens(reads.text, reads.tokens[: run.shared], reads.mark)


def _side(site: Site | Side) -> Side:
    return site if isinstance(site, str) else site.queries


def _of(model: Seq2Seq, side: Side) -> list[Site]:
    return [site for site in model.sites() if site.queries == side]
