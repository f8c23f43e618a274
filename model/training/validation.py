"""How good a model is on the development lines: loss by teacher forcing, BLEU and chrF of its translations."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from sacrebleu import corpus_chrf

from headscope.model.data.batching import Batch
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import Precision, autocast
from headscope.model.search.settings import SearchSettings
from headscope.model.text.bleu_tokens import BleuTokens
from headscope.model.training.step import Objective
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True)
class DevLoss:
    """Means in nats a token."""

    loss: float
    nll: float


@torch.inference_mode()
def measure_loss(objective: Objective, batches: Sequence[Batch], precision: Precision) -> DevLoss:
    """The loss over all batches, without dropout. The model comes back in the mode it was in.

    Raises:
        HeadscopeError: it is not finite.
    """
    device = objective.model.device
    training = objective.training
    objective.eval()
    loss, nll, tokens = 0.0, 0.0, 0
    for batch in batches:
        with autocast(device, precision):
            found = objective(batch.to(device))
        loss += found.smoothed.item()
        nll += found.nll.item()
        tokens += batch.target_tokens
    objective.train(training)
    if not math.isfinite(loss):
        raise HeadscopeError(
            "the development loss is not finite; the training has diverged: choose a lower learning rate"
        )
    return DevLoss(loss / tokens, nll / tokens)


def measure_translation(
    translator: Translator, pairs: Sequence[Pair], precision: Precision, tokens: BleuTokens
) -> tuple[float, float, list[str]]:
    """sacreBLEU and chrF2 of greedy translations, and these. The model comes back in the mode it was in.

    Args:
        tokens: how BLEU cuts them and the references.
    """
    model = translator.model
    training = model.training
    model.eval()
    sources, references = [source for source, _ in pairs], [[target for _, target in pairs]]
    found = translator.translate(sources, settings=SearchSettings(beam=1), precision=precision)
    model.train(training)
    texts = [translation.text for translation in found]
    return tokens.bleu().corpus_score(texts, references).score, corpus_chrf(texts, references).score, texts
