"""The record of attention of a sentence pair, taken in one teacher-forced pass.

`N` sentences, `S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair, sentence_pair, written
from headscope.analysis.records.attention_maps import AttentionMaps, Quantity, Token, Tokens
from headscope.model.network.finite import require_finite
from headscope.model.network.probe import ForwardContext, Links, Probe, Probes
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import AttentionKind, Side, Site, layers_of
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import Translator


class AttentionProbe(Probe):
    """Keeps the attention weights of every head and what each may look at, and changes nothing."""

    def __init__(self) -> None:
        self.weights_at: dict[Site, Tensor] = {}
        self.links: dict[AttentionKind, Links] = {}

    def wants(self, site: Site) -> bool:
        """Attention; nothing is read behind the feed-forward layers."""
        return site.attends

    def begin(self, forward: ForwardContext) -> None:
        """Keep the masks."""
        self.links |= forward.links

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """Keep them."""
        self.weights_at[site] = weights.detach()
        return weights


def attention_maps(
    translator: Translator,
    source: str,
    target: str | None = None,
    *,
    settings: SearchSettings | None = None,
    probe: Probe | None = None,
) -> AttentionMaps:
    """All attention of a sentence and its translation: the one given, or the best that beam search finds.

    Args:
        probe: changes the pass that is recorded (takes heads away, say). It has no part in the search, so records with
            and without it are of the same tokens.

    Raises:
        HeadscopeError: the sentence is blank or too long for the model.
    """
    return record(translator, sentence_pair(translator, source, target, settings=settings), probe=probe)


def record(translator: Translator, pair: SentencePair, *, probe: Probe | None = None) -> AttentionMaps:
    """The record of one sentence pair."""
    return records(translator, [pair], probe=probe)[0]


@torch.inference_mode()
def records(
    translator: Translator, pairs: Sequence[SentencePair], *, probe: Probe | None = None
) -> list[AttentionMaps]:
    """The records of several pairs, taken in one padded pass; each is what it would be alone.

    Args:
        probe: changes the pass; the weights are those that it leaves.
    """
    seen = AttentionProbe()
    both = seen if probe is None else Probes(probe, seen)
    found = log_probs(translator.model, forced_batch(translator, pairs), probe=both)

    def of(row: int, pair: SentencePair) -> AttentionMaps:
        maps = {site: weights[row] for site, weights in seen.weights_at.items()}
        allowed: dict[AttentionKind, Tensor] = {kind: links.allowed(row) for kind, links in seen.links.items()}
        return assemble(translator, pair, maps, allowed, found[row], "weight", probe)

    return [of(row, pair) for row, pair in enumerate(pairs)]


def assemble(
    translator: Translator,
    pair: SentencePair,
    maps: Mapping[Site, Tensor],
    allowed: Mapping[AttentionKind, Tensor],
    log_probs: Tensor,
    quantity: Quantity,
    probe: Probe | None = None,
) -> AttentionMaps:
    """A record from its parts, all padded: maps [H Q K] by site, which links the pass allowed [Q K], and
    log-probabilities [T].

    Args:
        probe: what the pass was changed by.

    Raises:
        HeadscopeError: a number in the maps is not finite.
    """
    source, (reads, predicts) = source_tokens(translator, pair.source), target_tokens(translator, pair)
    sizes = {"source": len(source), "target": len(reads)}
    cut: dict[AttentionKind, tuple[np.ndarray, ...]] = {}
    links: dict[AttentionKind, np.ndarray] = {}
    for kind in translator.model.capabilities().kinds:
        layers = layers_of(translator.model, kind)
        real = slice(sizes[layers[0].queries]), slice(sizes[layers[0].keys])
        shown = [maps[site][:, *real] for site in layers]
        for values in shown:
            require_finite(values, translator.model, f"{quantity}s of attention")
        cut[kind] = tuple(map(to_numpy, shown))
        links[kind] = allowed[kind][real].cpu().numpy().copy()
    return AttentionMaps(
        maps=cut,
        allowed=links,
        source=source,
        reads=reads,
        predicts=predicts,
        log_probs=to_numpy(log_probs[: len(predicts)]),
        quantity=quantity,
        fingerprint=_fingerprint(translator, pair, quantity, probe),
    )


def source_tokens(translator: Translator, source: Segmentation) -> Tokens:
    """A source as tokens: with the end of sentence, unless the model reads it without one."""
    found = _plain(source)
    if translator.model.config.source_end:
        found.append(_symbol(translator, translator.vocabulary.end, "source", len(source.text)))
    return Tokens(source.text, tuple(found), source.mark)


def target_tokens(translator: Translator, pair: SentencePair) -> tuple[Tokens, Tokens]:
    """What a decoder reads and what it predicts, a row each: the start symbol and all but the last token, and all
    tokens; the last one is the end of sentence, unless the translation was cut off.
    """
    vocabulary, target = translator.vocabulary, pair.target
    predicts = _plain(target)
    if pair.finished:
        predicts.append(_symbol(translator, vocabulary.end, "target", len(target.text)))
    reads = [_symbol(translator, vocabulary.start, "target", 0), *predicts[:-1]]
    return Tokens(target.text, tuple(reads), target.mark), Tokens(target.text, tuple(predicts), target.mark)


def _plain(segmentation: Segmentation) -> list[Token]:
    parts = zip(segmentation.pieces, segmentation.ids, segmentation.spans, strict=True)
    return [Token(piece, index, span) for piece, index, span in parts]


def _symbol(translator: Translator, index: int, side: Side, place: int) -> Token:
    return Token(translator.vocabulary.piece(index, side), index, (place, place), special=True)


def _fingerprint(translator: Translator, pair: SentencePair, quantity: Quantity, probe: Probe | None) -> str:
    ids = pair.source.ids, written(translator, pair)
    made = (str(translator.card.path), translator.weights_digest, *ids, quantity)
    content = repr(made if probe is None else (*made, probe.describe()))
    return hashlib.sha256(content.encode()).hexdigest()[:16]
