"""Why this piece and not that one: the second-best of each row, or one that is given.

`T` target rows, `V` target vocabulary.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from headscope.analysis.attribution.explained import Against, Explainable, Explained
from headscope.analysis.capture.forced import forced_batch
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.errors import HeadscopeError
from headscope.model.translator import Translator

NAME, MEANING, UNIT = "contrast", "log-probability of the piece minus that of another", "nats"


def contrast(others: Int[Tensor, " T"]) -> Explained:
    """The difference of two pieces' log-probabilities, which is that of their logits: it is offered once.

    Args:
        others: the piece that stands against each row's own; where it is that itself, the difference is 0.
    """

    def value(logits: Tensor, predicts: Tensor, row: int) -> Tensor:
        return logits[:, predicts[row]] - logits[:, others[row]]

    return Explained(NAME, MEANING, UNIT, value)


def second_best(logits: Float[Tensor, "T V"], predicts: Int[Tensor, " T"]) -> Int[Tensor, " T"]:
    """The most probable piece of each row other than its own."""
    return logits.scatter(-1, predicts[:, None], -torch.inf).argmax(-1)


@torch.no_grad()
def _make(translator: Translator, pair: SentencePair, against: Against) -> Explained:
    batch = forced_batch(translator, [pair])
    predicts = batch.predicts[0]
    if against.text is None:
        logits = translator.model.forward(batch.source, batch.present, batch.reads)[0]
        return contrast(second_best(logits, predicts))
    pieces = translator.vocabulary.encode(against.text, "target").ids
    if not pieces:
        raise HeadscopeError("a blank is no piece to contrast with: give a word, or none for the second-best piece")
    return contrast(torch.full_like(predicts, pieces[0]))


EXPLAINABLE = Explainable(NAME, MEANING, UNIT, _make, "piece")
