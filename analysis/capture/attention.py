"""The record of attention of a sentence pair, taken in one teacher-forced pass.

`N` sentences, `S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from headscope.analysis.capture.forced import forced_batch, log_probs, to_numpy
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.records.attention_maps import AttentionMaps, Kind, Quantity, Token, Tokens
from headscope.analysis.records.heads import KINDS
from headscope.model.network.probe import Probe, Site
from headscope.model.search.beam import SearchSettings
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import Translator


class AttentionProbe(Probe):
    """Keeps the attention weights of every head, and changes nothing."""

    def __init__(self) -> None:
        self.weights_at: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        """All three kinds of attention; nothing is read behind the feed-forward layers."""
        return site.kind in KINDS

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """Keep them."""
        self.weights_at[site] = weights.detach()
        return weights


def attention_maps(
    translator: Translator, source: str, target: str | None = None, *, settings: SearchSettings | None = None
) -> AttentionMaps:
    """All attention of a sentence and its translation: the one given, or the best that beam search finds.

    Raises:
        HeadscopeError: the sentence is blank or too long for the model.
    """
    pair = sentence_pair(translator, source, target, settings=settings)
    return record(translator, pair.source, pair.target)


def record(translator: Translator, source: Segmentation, target: Segmentation) -> AttentionMaps:
    """The record of one pair of segmented sentences."""
    return records(translator, [SentencePair(source, target)])[0]


@torch.inference_mode()
def records(translator: Translator, pairs: Sequence[SentencePair]) -> list[AttentionMaps]:
    """The records of several pairs, taken in one padded pass; each is what it would be alone."""
    probe = AttentionProbe()
    found = log_probs(translator.model, forced_batch(translator, pairs), probe=probe)
    return [
        assemble(translator, pair, {site: w[row] for site, w in probe.weights_at.items()}, found[row], "weight")
        for row, pair in enumerate(pairs)
    ]


def assemble(
    translator: Translator,
    pair: SentencePair,
    maps: Mapping[Site, Tensor],
    log_probs: Tensor,
    quantity: Quantity,
) -> AttentionMaps:
    """A record from its parts: padded maps [H Q K] by site, and padded log-probabilities [T]."""
    source = tokens(translator, pair.source, "source")
    reads, predicts = (tokens(translator, pair.target, role) for role in ("reads", "predicts"))
    shapes = {"encoder": (source, source), "decoder": (reads, reads), "cross": (reads, source)}

    def layers(kind: Kind) -> tuple[np.ndarray, ...]:
        queries, keys = map(len, shapes[kind])
        return tuple(to_numpy(maps[site][:, :queries, :keys]) for site in sorted(maps) if site.kind == kind)

    return AttentionMaps(
        encoder=layers("encoder"),
        decoder=layers("decoder"),
        cross=layers("cross"),
        source=source,
        reads=reads,
        predicts=predicts,
        log_probs=to_numpy(log_probs[: len(predicts)]),
        quantity=quantity,
        fingerprint=_fingerprint(translator, pair, quantity),
    )


def tokens(translator: Translator, segmentation: Segmentation, role: str) -> Tokens:
    """A sentence as tokens: with the end of sentence (`source`, `predicts`), or behind the start symbol (`reads`).

    A source has no end of sentence where the model reads it without one.
    """
    vocabulary = translator.vocabulary
    side = "source" if role == "source" else "target"
    plain = [
        Token(piece, index, span)
        for piece, index, span in zip(segmentation.pieces, segmentation.ids, segmentation.spans, strict=True)
    ]
    if role == "reads":
        plain.insert(0, Token(vocabulary.piece(vocabulary.start, side), vocabulary.start, (0, 0), special=True))
    elif role == "predicts" or translator.model.config.source_end:
        end = len(segmentation.text)
        plain.append(Token(vocabulary.piece(vocabulary.end, side), vocabulary.end, (end, end), special=True))
    return Tokens(segmentation.text, tuple(plain), segmentation.mark)


def _fingerprint(translator: Translator, pair: SentencePair, quantity: Quantity) -> str:
    content = repr((str(translator.card.path), translator.weights_digest, pair.source.ids, pair.target.ids, quantity))
    return hashlib.sha256(content.encode()).hexdigest()[:16]
