"""Where one decoder head looks when it predicts one piece: over the source, and over what it has read."""

from dataclasses import dataclass

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.labels import Label, labels
from headscope.app.wire.beam_tree import Place


@dataclass(frozen=True, slots=True)
class Attend:
    """What the component gets."""

    node: str
    """The candidate's place, as the trees name it."""
    head: str
    predicts: Label
    source: tuple[Label, ...]
    cross: list[float]
    """A weight for each token of the source."""
    reads: tuple[Label, ...]
    decoder: list[float]
    """A weight for each token that is read."""


def attend(maps: AttentionMaps, place: Place, layer: int, head: int, predicts: Label) -> Attend:
    """The last row of a head, in both kinds of the decoder's attention.

    Args:
        maps: the record of the hypothesis that the candidate extends; its last row is about to predict the piece.
        place: of the candidate.
        predicts: its piece.
    """
    return Attend(
        node=f"{place.lane}.{place.step}.{place.index}",
        head=f"Layer {layer + 1}, head {head + 1}",
        predicts=predicts,
        source=labels(maps.source),
        cross=maps.cross[layer][head][-1].astype(float).round(4).tolist(),
        reads=labels(maps.reads),
        decoder=maps.decoder[layer][head][-1].astype(float).round(4).tolist(),
    )
