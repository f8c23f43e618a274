"""The record of attention of one sentence pair, taken in one teacher-forced pass.

`S` source pieces with the end of sentence, `T` target rows, `H` heads of a layer.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from analysis.record import AttentionMaps, Kind, Token, Tokens
from model.probe import Probe, Site
from model.search.beam import SearchSettings
from model.translator import Translator
from model.vocabulary import Segmentation


class AttentionProbe(Probe):
    """Keeps the attention weights of every head, and changes nothing."""

    def __init__(self) -> None:
        self.weights_at: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        """All three kinds of attention; nothing is read behind the feed-forward layers."""
        return site.kind in ("encoder", "decoder", "cross")

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        """Keep them."""
        self.weights_at[site] = weights.detach()
        return weights

    def maps(self, kind: Kind, queries: int, keys: int) -> tuple[np.ndarray, ...]:
        """The first sentence's maps without padding, one [H, Q, K] float32 array a layer."""
        layers = sorted(site for site in self.weights_at if site.kind == kind)
        return tuple(self.weights_at[site][0, :, :queries, :keys].float().cpu().numpy() for site in layers)


def attention_maps(
    translator: Translator, source: str, target: str | None = None, *, settings: SearchSettings | None = None
) -> AttentionMaps:
    """All attention of a sentence and its translation: the one given, or the best that beam search finds.

    Raises:
        HeadscopeError: the sentence is blank or too long for the model.
    """
    read = translator.source(source)
    if target is None:
        written = translator.translate([source], settings=settings)[0].targets[0]
    else:
        written = translator.vocabulary.encode(target, "target")
    translator.model.positions.require(len(written.ids) + 1)
    return record(translator, read, written)


@torch.inference_mode()
def record(translator: Translator, source: Segmentation, target: Segmentation) -> AttentionMaps:
    """The record of one pair of segmented sentences."""
    probe = AttentionProbe()
    ids, present = translator.batch([source.ids])
    reads, predicts, _ = translator.targets([target.ids])
    log_probs = translator.model(ids, present, reads, probe=probe).float().log_softmax(-1)
    rows, columns = reads.shape[1], ids.shape[1]
    return AttentionMaps(
        encoder=probe.maps("encoder", columns, columns),
        decoder=probe.maps("decoder", rows, rows),
        cross=probe.maps("cross", rows, columns),
        source=tokens(translator, source, "source"),
        reads=tokens(translator, target, "reads"),
        predicts=tokens(translator, target, "predicts"),
        log_probs=log_probs[0].gather(-1, predicts[0][:, None])[:, 0].cpu().numpy(),
        quantity="weight",
        fingerprint=_fingerprint(translator, source.ids, target.ids),
    )


def tokens(translator: Translator, segmentation: Segmentation, role: str) -> Tokens:
    """A sentence as tokens: with the end of sentence (`source`, `predicts`), or behind the start symbol (`reads`)."""
    vocabulary = translator.vocabulary
    side = "source" if role == "source" else "target"
    plain = [
        Token(piece, index, span)
        for piece, index, span in zip(segmentation.pieces, segmentation.ids, segmentation.spans, strict=True)
    ]
    if role == "reads":
        plain.insert(0, Token(vocabulary.piece(vocabulary.start, side), vocabulary.start, (0, 0), special=True))
    else:
        end = len(segmentation.text)
        plain.append(Token(vocabulary.piece(vocabulary.end, side), vocabulary.end, (end, end), special=True))
    return Tokens(segmentation.text, tuple(plain))


def _fingerprint(translator: Translator, source: Sequence[int], target: Sequence[int]) -> str:
    content = repr((str(translator.card.path), translator.weights_digest, tuple(source), tuple(target), "weight"))
    return hashlib.sha256(content.encode()).hexdigest()[:16]
