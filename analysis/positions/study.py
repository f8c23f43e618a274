"""Everything that a corpus says of a checkpoint's positions, kept with it as `position_study.json`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.effects import ChangeEffect, position_effects, usual_changes
from headscope.analysis.positions.heads import HeadDistances, head_distances
from headscope.analysis.positions.length import BINS, MOST, OFFSETS, Bounds, drawn, length_study
from headscope.analysis.positions.length_record import Frozen, LengthStudy
from headscope.analysis.positions.probing import readable_positions
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile, model_text
from headscope.model.progress import Progress, Silent
from headscope.model.sites import AttentionKind
from headscope.model.translator import Translator

if TYPE_CHECKING:
    import pandas as pd

STUDY = "position_study.json"
"""Not `positions.json`, which says how often each position was trained."""
FORMAT = 1
DIGITS = 5
LENGTHS: tuple[Bounds, ...] = (*BINS, (65, 128), (129, 250))
"""Those of the experiment and longer ones, for models that were trained on all lengths."""


class HeadByDistance(Frozen):
    """Attention of a head by distance, key minus query; see `analysis.positions.heads`."""

    kind: AttentionKind
    layer: int
    head: int
    mean: tuple[float | None, ...]
    """Of a link; None where there is none."""
    deviation: tuple[float | None, ...]
    links: tuple[int, ...]


class ReadAt(Frozen):
    """How well position can be read off one layer; see `analysis.positions.probing`."""

    side: Literal["source", "target"]
    layer: int
    position: float
    control: float
    error: float


class PositionStudy(Frozen):
    """All of it."""

    format: Literal[1] = 1
    weights: str
    """`Translator.weights_digest` of the model."""
    data: str
    licence: str
    attribution: str
    sentences: int
    """That were drawn for everything but `length`."""
    length: LengthStudy
    changes: tuple[ChangeEffect, ...]
    distances: tuple[int, ...]
    heads: tuple[HeadByDistance, ...]
    readable: tuple[ReadAt, ...]
    unreadable: str | None
    """Why nothing could be read off the layers; None: it could."""


def position_study(
    translator: Translator,
    texts: Texts,
    other: Translator | None = None,
    *,
    bins: Sequence[Bounds] = LENGTHS,
    offsets: Sequence[int] = OFFSETS,
    most: int = MOST,
    sentences: int = 500,
    seed: int = 0,
    progress: Progress | None = None,
) -> PositionStudy:
    """Measure a checkpoint.

    Args:
        other: a checkpoint whose positions are put in the place of its own.
        most: sentences of each length.
        sentences: drawn for everything else.
        progress: told of each part of the work by itself.

    Raises:
        HeadscopeError: no pair can be read, or none is short.
        Cancelled: `progress` wants it to stop.
    """
    progress = progress or Silent()
    pairs = drawn(corpus_pairs(translator, texts.pairs), sentences, np.random.default_rng(seed))
    if not pairs:
        raise HeadscopeError(f"none of the {len(texts.pairs):,} sentence pairs can be read by this model: give others")
    found = head_distances(translator, pairs, progress=progress)
    reading, unreadable = (), None
    try:
        reading = readable_positions(translator, pairs, seed=seed, progress=progress).layers
    except HeadscopeError as error:
        unreadable = str(error)
    return PositionStudy(
        weights=translator.weights_digest,
        data=texts.origin,
        licence=texts.licence,
        attribution=texts.attribution,
        sentences=len(pairs),
        length=length_study(
            translator, texts.pairs, bins=bins, offsets=offsets, most=most, seed=seed, progress=progress
        ),
        changes=position_effects(translator, pairs, usual_changes(translator, pairs, other), progress=progress),
        distances=tuple(found.distances.tolist()),
        heads=tuple(_heads(found)),
        readable=tuple(
            ReadAt(
                side=each.side,
                layer=each.layer,
                position=round(each.position, DIGITS),
                control=round(each.control, DIGITS),
                error=round(each.error, DIGITS),
            )
            for each in reading
        ),
        unreadable=unreadable,
    )


def save_position_study(study: PositionStudy, checkpoint: Path) -> None:
    """Write `position_study.json` into a checkpoint folder, in the place of one that is there."""
    _FILE.save(study, checkpoint)


def load_position_study(checkpoint: Path) -> PositionStudy | None:
    """The study in a checkpoint folder; None: it has none.

    Raises:
        HeadscopeError: the file is none.
    """
    return _FILE.load(checkpoint)


def tables(study: PositionStudy) -> "dict[str, pd.DataFrame]":
    """The study as tables, by name."""
    import pandas as pd

    def flat(rows: Sequence[Frozen], **fields: object) -> pd.DataFrame:
        plain = [row.model_dump(exclude={"by_sentence"}) for row in rows]
        return pd.json_normalize(plain, sep=" ").assign(**fields)

    conditions = {"natural": study.length.natural, "joined": study.length.joined}
    by_head = [
        {"kind": head.kind, "layer": head.layer, "head": head.head, "distance": distance, "mean": mean}
        | {"deviation": deviation, "links": links}
        for head in study.heads
        for distance, mean, deviation, links in zip(study.distances, head.mean, head.deviation, head.links, strict=True)
    ]
    return {
        "length": pd.concat([flat(each.bins, condition=name) for name, each in conditions.items()]),
        "position": pd.concat([flat(each.positions, condition=name) for name, each in conditions.items()]),
        "offset": flat(study.length.offsets),
        "change": flat(study.changes),
        "distance": pd.DataFrame(by_head),
        "readable": flat(study.readable),
    }


def _heads(found: HeadDistances) -> list[HeadByDistance]:
    def plain(values: np.ndarray) -> tuple[float | None, ...]:
        return tuple(None if np.isnan(value) else round(value, DIGITS) for value in values.tolist())

    return [
        HeadByDistance(
            **head._asdict(),
            mean=plain(found.mean[row]),
            deviation=plain(found.deviation[row]),
            links=tuple(found.links[row].tolist()),
        )
        for row, head in enumerate(found.heads)
    ]


_FILE = ResultFile(STUDY, FORMAT, "headscope positions", model_text, PositionStudy.model_validate)
