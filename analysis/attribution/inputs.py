"""A sentence pair as the two tensors that enter the model, so that gradients can start at each of them.

Source and target so far may share one table of embeddings; as two tensors they are told apart. Positions are no part of
them: they are added afterwards, so they stay whatever becomes of the tokens.

`R` rows of a batch, `S` source pieces, `T` target pieces that are read (the start symbol first), `D` width of the
model, `V` target vocabulary.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.analysis.capture.embedded import embedded
from headscope.analysis.capture.forced import forced_batch
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.network.transformer import Transformer
from headscope.model.sites import Side
from headscope.model.translator import Translator

Baseline = Literal["zero", "unknown", "mean"]
BASELINES: dict[Baseline, str] = {
    "zero": "no embedding at all: zeros in the place of every token",
    "unknown": "the unknown piece in the place of every token; start and end of sentence stay",
    "mean": "the mean of the embedding table in the place of every token",
}
"""What tokens are compared with. Positions stay in all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Inputs:
    """What enters the model, tokens and positions apart."""

    model: Seq2Seq
    source: Float[Tensor, "S D"]
    source_positions: Float[Tensor, "S D"]
    target: Float[Tensor, "T D"]
    target_positions: Float[Tensor, "T D"]
    predicts: Int[Tensor, " T"]
    """The piece that each row should predict."""

    def states(
        self, source: Float[Tensor, "#R S D"], target: Float[Tensor, "R n D"], *, probe: Probe | None = None
    ) -> Float[Tensor, "R n D"]:
        """A teacher-forced pass over other tokens at the same places, up to what the output projection reads.

        The target may end early: no row knows of later ones. One source serves several targets.
        """
        present = torch.ones(source.shape[:2], dtype=torch.bool, device=source.device)
        memory = self.model.encode(source + self.source_positions, present, probe=probe)
        return self.model.decode(target + self.target_positions[: target.shape[1]], memory, probe=probe)

    def growing(
        self, source: Float[Tensor, "#R S D"], target: Float[Tensor, "R n D"], rows: int
    ) -> Iterator[tuple[Float[Tensor, "R D"], ...]]:
        """The same states, so many target rows at a time, each made when it is asked for.

        The way back from a row leads through no later ones than those that were made with it, where the model is a
        Transformer; another one makes all of them at once.
        """
        if not isinstance(self.model, Transformer):
            yield self.states(source, target).unbind(1)
            return
        present = torch.ones(source.shape[:2], dtype=torch.bool, device=source.device)
        cache = self.model.start(self.model.encode(source + self.source_positions, present))
        for first in range(0, target.shape[1], rows):
            some = slice(first, min(first + rows, target.shape[1]))
            yield self.model.decode(target[:, some] + self.target_positions[some], cache=cache).unbind(1)

    def logits(self, states: Float[Tensor, "R D"]) -> Float[Tensor, "R V"]:
        """Of one target row."""
        return self.model.project(states)


def inputs(translator: Translator, pair: SentencePair) -> Inputs:
    """A pair as it enters the model.

    Raises:
        HeadscopeError: the model's decoder sees the pieces that it is to predict.
    """
    translator.model.capabilities().require_causal("attributions")
    return _entering(translator.model, *_ids(translator, pair))


def baseline(
    translator: Translator, pair: SentencePair, name: Baseline
) -> tuple[Float[Tensor, "S D"], Float[Tensor, "T D"]]:
    """What the tokens of a pair are compared with."""
    source, reads, predicts = _ids(translator, pair)
    whole = _entering(translator.model, source, reads, predicts)
    if name == "zero":
        return torch.zeros_like(whole.source), torch.zeros_like(whole.target)
    if name == "unknown":
        vocabulary = translator.vocabulary
        kept = torch.tensor([vocabulary.start, vocabulary.end], device=source.device)
        source, reads = (ids.where(torch.isin(ids, kept), vocabulary.unknown) for ids in (source, reads))
        found = _entering(translator.model, source, reads, predicts)
        return found.source, found.target
    return _mean(translator, "source").expand_as(whole.source), _mean(translator, "target").expand_as(whole.target)


def _ids(translator: Translator, pair: SentencePair) -> tuple[Tensor, Tensor, Tensor]:
    batch = forced_batch(translator, [pair])
    return batch.source[0], batch.reads[0], batch.predicts[0]


@torch.no_grad()
def _entering(model: Seq2Seq, source: Tensor, reads: Tensor, predicts: Tensor) -> Inputs:
    read, written = embedded(model, "source", source[None]), embedded(model, "target", reads[None])
    return Inputs(model, read.tokens[0], read.positions, written.tokens[0], written.positions, predicts)


@torch.no_grad()
def _mean(translator: Translator, side: Side) -> Float[Tensor, " D"]:
    # At a later place than the first, for there some models have no embedding.
    pieces = torch.arange(translator.vocabulary.size(side), device=translator.model.device)
    return embedded(translator.model, side, pieces[:, None], first=1).tokens.mean((0, 1))
