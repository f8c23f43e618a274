"""Ways to take heads away by name: what stands in their place."""

from collections.abc import Sequence

from headscope.analysis.capture.pairs import SentencePair
from headscope.analysis.interventions.heads import (
    HeadProbe,
    MeanReplaced,
    Resampled,
    UniformAttention,
    Zeroed,
    contexts,
    mean_contexts,
)
from headscope.analysis.interventions.instead import INSTEAD, Instead
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.translator import Translator


def removal(
    translator: Translator,
    heads: Sequence[Head],
    instead: Instead,
    *,
    pairs: Sequence[SentencePair] = (),
    progress: Progress | None = None,
) -> HeadProbe:
    """The probe that takes heads away.

    Args:
        pairs: of a corpus: the mean is taken over all of them, and the first is the other sentence.
        progress: told how many of the pairs are read for the mean.

    Raises:
        HeadscopeError: the model lacks a head, or there are no pairs where they are needed.
        Cancelled: `progress` wants it to stop.
    """
    model = translator.model.config
    if instead == "zero":
        return Zeroed(model, heads)
    if instead == "uniform":
        return UniformAttention(model, heads)
    if not pairs:
        raise HeadscopeError(f"for {INSTEAD[instead]} there are no other sentences: give some, or choose nothing")
    if instead == "mean":
        return MeanReplaced(model, heads, mean_contexts(translator, pairs, progress=progress))
    return Resampled(model, heads, contexts(translator, pairs[0]))
