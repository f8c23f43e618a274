"""The attention of one sentence in the quantity that is asked for: weights, or contributions."""

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.records.attention_maps import AttentionMaps, Quantity
from headscope.analysis.records.words import words
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator


def attention_of(
    translator: Translator,
    source: str,
    target: str | None = None,
    *,
    quantity: Quantity = "weight",
    joined: bool = False,
    settings: SearchSettings | None = None,
) -> AttentionMaps:
    """All attention of a sentence and its translation: one that is given, or the best that is found with `settings`.

    Args:
        quantity: `weight`, or `contribution`: norms of what each token adds through each head.
        joined: pieces are joined to words.

    Raises:
        HeadscopeError: the sentence is blank, either side is too long for the model, or there is no such quantity.
    """
    pair = sentence_pair(translator, source, target, settings=settings)
    return attention_of_pair(translator, pair, quantity=quantity, joined=joined)


def attention_of_pair(
    translator: Translator,
    pair: SentencePair,
    *,
    quantity: Quantity = "weight",
    joined: bool = False,
    probe: Probe | None = None,
) -> AttentionMaps:
    """The same of a sentence pair.

    Args:
        probe: what is done to the model while weights are recorded.
    """
    if quantity == "weight":
        maps = record(translator, pair, probe=probe)
    elif quantity == "contribution":
        maps = head_contributions(translator, pair)
    else:
        raise HeadscopeError(f"'{quantity}' cannot be recorded of a sentence: choose weight or contribution")
    return words(maps) if joined else maps
