"""The attention of two checkpoints in one sentence, on tokens that both read."""

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.positions.comparison import require_same_languages
from headscope.analysis.records.difference import Common, on_common_tokens
from headscope.model.sites import Side
from headscope.model.text.symbol_vocabulary import join
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import Translator


def attention_of_both(a: Translator, b: Translator, pair: SentencePair) -> Common:
    """Both read the same sentence with the same translation, teacher-forced, whichever of them has written it.

    Args:
        pair: in the pieces of the first. The second reads the same pieces where it has them, else the same text.

    Raises:
        HeadscopeError: they have other languages, the second cannot read the texts, or they have no tokens in common
            (see `on_common_tokens`).
    """
    require_same_languages(a, b)
    return on_common_tokens(record(a, pair), record(b, read_by(b, pair)))


def read_by(translator: Translator, pair: SentencePair) -> SentencePair:
    """A pair of another model as this one reads it: the same pieces where these ids are its own too, else the text cut
    anew; it ends where the other ends.

    Raises:
        HeadscopeError: it cannot read the texts.
    """
    vocabulary = translator.vocabulary

    def known(found: Segmentation, side: Side) -> bool:
        inside = max(found.ids, default=0) < vocabulary.size(side)
        return inside and tuple(vocabulary.piece(index, side) for index in found.ids) == found.pieces

    if known(pair.source, "source") and known(pair.target, "target"):
        return pair
    cut = sentence_pair(translator, running(pair.source), running(pair.target))
    return SentencePair(cut.source, cut.target, pair.finished)


def running(found: Segmentation) -> str:
    """The text, with symbols joined where they bear marks."""
    return join(found.pieces, found.mark)[0] if found.mark else found.text
