"""Why this checkpoint and not that one: the difference of what two say for the same pieces."""

from headscope.analysis.attribution.explained import Against, Explainable, Explained
from headscope.analysis.attribution.values.log_probability import log_prob
from headscope.analysis.capture.pairs import SentencePair
from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import Translator

NAME, UNIT = "checkpoint difference", "nats"
MEANING = "log-probability of the piece minus that which another checkpoint gives it"


def checkpoint_difference(translator: Translator, pair: SentencePair, other: Translator) -> Explained:
    """A number a row. Each model is explained on its own embeddings, and what they do is subtracted token by token.

    Raises:
        HeadscopeError: the other checkpoint cuts the sentences into other pieces, or frames the source otherwise.
    """
    ends = [of.model.config.source_end for of in (translator, other)]
    cuts = [
        [[of.vocabulary.piece(piece, side) for piece in found.ids] for side, found in _sides(pair)]
        for of in (translator, other)
        if all(max(found.ids, default=0) < of.vocabulary.size(side) for side, found in _sides(pair))
    ]
    if len(cuts) < 2 or cuts[0] != cuts[1] or ends[0] != ends[1]:
        raise HeadscopeError(
            f"{translator.card.name} and {other.card.name} do not cut this sentence alike, so there is nothing to "
            "subtract token by token: choose checkpoints of one vocabulary"
        )
    return Explained(NAME, MEANING, UNIT, log_prob, minus=(other, pair))


def _sides(pair: SentencePair) -> tuple[tuple[Side, Segmentation], ...]:
    return ("source", pair.source), ("target", pair.target)


def _make(translator: Translator, pair: SentencePair, against: Against) -> Explained:
    if against.translator is None:
        raise HeadscopeError("a difference of checkpoints needs another one: choose it")
    return checkpoint_difference(translator, pair, against.translator)


EXPLAINABLE = Explainable(NAME, MEANING, UNIT, _make, "checkpoint")
