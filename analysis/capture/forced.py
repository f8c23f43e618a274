"""Teacher-forced passes: the one way in which records, effects and contributions are taken from a model.

`N` sentences, `R` rows of the decoder (N of them, or several a sentence), `S` source and `T` target pieces.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from headscope.analysis.capture.pairs import SentencePair, written
from headscope.model.errors import HeadscopeError
from headscope.model.network.finite import log_probs_of
from headscope.model.network.probe import Probe
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True, eq=False)
class ForcedBatch:
    """Sentence pairs side by side, padded."""

    source: Int[Tensor, "N S"]
    present: Bool[Tensor, "N S"]
    """Where the source is not padding."""
    reads: Int[Tensor, "R T"]
    """What the decoder reads: the start symbol, and what it should predict but for the last piece."""
    predicts: Int[Tensor, "R T"]
    """What it should predict: the target, and the end of sentence where it has ended."""
    real: Bool[Tensor, "R T"]
    """Where the target is not padding."""

    def fan_out(self, times: int) -> "ForcedBatch":
        """Each target as often as that, beside its one source, which is encoded once."""
        return replace(
            self,
            reads=self.reads.repeat_interleave(times, 0),
            predicts=self.predicts.repeat_interleave(times, 0),
            real=self.real.repeat_interleave(times, 0),
        )

    def repeat(self, times: int) -> "ForcedBatch":
        """Each pair as often as that, one after the other."""
        return replace(
            self.fan_out(times),
            source=self.source.repeat_interleave(times, 0),
            present=self.present.repeat_interleave(times, 0),
        )


def forced_batch(translator: Translator, pairs: Sequence[SentencePair]) -> ForcedBatch:
    """Pairs as ids on the translator's device."""
    source, present = translator.batch([pair.source.ids for pair in pairs])
    return ForcedBatch(source, present, *translator.targets([written(translator, pair) for pair in pairs]))


def log_probs(model: Seq2Seq, batch: ForcedBatch, *, probe: Probe | None = None) -> Float[Tensor, "R T"]:
    """Log-probability of every piece in `predicts`, in nats; 0 at padding. Differentiable where gradients are on.

    Raises:
        HeadscopeError: the model is in training mode, in which dropout would change every number; or one is not finite.
    """
    if model.training:
        raise HeadscopeError("the model is in training mode, where dropout changes every number: call model.eval()")
    logits = model.forward(batch.source, batch.present, batch.reads, written=batch.real, probe=probe)
    return log_probs_of(model, logits, batch.predicts, batch.real)


def to_numpy(tensor: Tensor) -> np.ndarray:
    """The numbers of a tensor, in float32 at least, detached from batch, graph and device."""
    wide = tensor.detach().to(torch.promote_types(tensor.dtype, torch.float32)).cpu()
    whole = wide.untyped_storage().nbytes() == wide.nbytes  # else the numbers of its neighbours would stay in memory
    return wide.numpy() if whole else wide.numpy().copy()


def digest(tensors: Iterable[Tensor]) -> str:
    """Identifies the values of some tensors."""
    found = hashlib.blake2b(digest_size=8)
    for tensor in tensors:
        found.update(to_numpy(tensor).tobytes())
    return found.hexdigest()
