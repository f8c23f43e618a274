"""Why these words and not those: two translations that begin alike, each with the log-probability of how it goes on."""

from headscope.analysis.attribution.explained import Against, Explainable, Explained
from headscope.analysis.attribution.values.log_probability import log_prob
from headscope.analysis.capture.pairs import SentencePair, sentence_pair, written
from headscope.model.errors import HeadscopeError
from headscope.model.translator import Translator

NAME, UNIT = "phrase contrast", "nats"
MEANING = "log-probability of how the translation goes on, minus that of how another does that begins alike"


def phrase_contrast(translator: Translator, pair: SentencePair, other: SentencePair) -> Explained:
    """One number, put down to the source and to what both translations begin with; what follows stays as it is.

    Args:
        other: the same source with the translation that is contrasted with.

    Raises:
        HeadscopeError: the translations are the same, or one is the beginning of the other.
    """
    ours, theirs = (written(translator, of) for of in (pair, other))
    alike = next((at for at, both in enumerate(zip(ours, theirs, strict=False)) if both[0] != both[1]), None)
    if alike is None:
        raise HeadscopeError("the two translations do not part: give one that goes on otherwise")
    return Explained(NAME, MEANING, UNIT, log_prob, first=alike, columns=alike + 1, minus=(translator, other))


def _make(translator: Translator, pair: SentencePair, against: Against) -> Explained:
    if against.text is None:
        raise HeadscopeError("a phrase contrast needs another translation: give its text")
    cut = sentence_pair(translator, pair.source.text, against.text)
    return phrase_contrast(translator, pair, SentencePair(pair.source, cut.target))


EXPLAINABLE = Explainable(NAME, MEANING, UNIT, _make, "translation")
