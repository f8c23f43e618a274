"""Everything that a corpus says of a checkpoint's positions, kept with it as `position_study.json`."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from headscope.analysis.capture.pairs import SentencePair, corpus_pairs
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.experiments.runner import Frozen
from headscope.analysis.positions.comparison import Comparison, compared_checkpoints
from headscope.analysis.positions.effects import position_effects, usual_changes
from headscope.analysis.positions.heads import head_distances
from headscope.analysis.positions.length import BINS, MOST, OFFSETS, Bounds, drawn, length_study
from headscope.analysis.positions.length_record import LengthStudy
from headscope.analysis.positions.probing import readable_positions
from headscope.analysis.positions.scores import corpus_shares
from headscope.analysis.positions.study_record import DISTANCES, ChangeEffect, HeadByDistance, HeadShares, ReadAt
from headscope.analysis.positions.terms import PARTS, CorpusShares, Stack
from headscope.model.errors import HeadscopeError
from headscope.model.files import ResultFile
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator

if TYPE_CHECKING:
    import pandas as pd

STUDY = "position_study.json"
"""Not `positions.json`, which says how often each position was trained."""
FORMAT = 1
DIGITS = 5
STACKS: tuple[Stack, ...] = ("encoder", "decoder")
LENGTHS: tuple[Bounds, ...] = (*BINS, (65, 128), (129, 250))
"""Those of the experiment and longer ones, for models that were trained on all lengths."""


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
    shares: tuple[HeadShares, ...]
    inseparable: str | None
    """Why first-layer scores have no such terms; None: they have."""
    other: str | None
    """The checkpoint that it was compared with."""
    other_weights: str | None = None
    """`Translator.weights_digest` of that one."""
    comparison: Comparison | None
    """With that one."""


def position_study(
    translator: Translator,
    texts: Texts,
    other: Translator | None = None,
    null: Sequence[Translator] = (),
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
        other: a checkpoint whose positions are put in the place of its own, and that it is compared with.
        null: other trainings of its kind, to judge by how alike the heads of both are.
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
    texts_drawn = [(pair.source.text, pair.target.text) for pair in pairs]
    nulls = [(translator, each) for each in null]
    comparison = other and compared_checkpoints(translator, other, texts_drawn, nulls, progress=progress)
    readable, unreadable = (), None
    try:
        readable = read_off(translator, pairs, seed=seed, progress=progress)
    except HeadscopeError as error:
        unreadable = str(error)
    shares, inseparable = (), None
    try:
        shares = first_layer(translator, pairs, progress=progress)
    except HeadscopeError as error:
        inseparable = str(error)
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
        distances=DISTANCES,
        heads=by_distance(translator, pairs, progress=progress),
        readable=readable,
        unreadable=unreadable,
        shares=shares,
        inseparable=inseparable,
        other=other and other.card.name,
        other_weights=other and other.weights_digest,
        comparison=comparison,
    )


def by_distance(
    translator: Translator, pairs: Sequence[SentencePair], *, progress: Progress | None = None
) -> tuple[HeadByDistance, ...]:
    """Attention of every head by the `DISTANCES`, as `head_distances` has it."""
    found = head_distances(translator, pairs, progress=progress)
    return tuple(
        HeadByDistance(
            **head._asdict(),
            mean=_plain(found.mean[row]),
            deviation=_plain(found.deviation[row]),
            links=tuple(found.links[row].tolist()),
        )
        for row, head in enumerate(found.heads)
    )


def read_off(
    translator: Translator, pairs: Sequence[SentencePair], *, seed: int = 0, progress: Progress | None = None
) -> tuple[ReadAt, ...]:
    """How well position can be read off every layer of both sides, as `readable_positions` has it."""
    return tuple(
        ReadAt(
            side=each.side,
            layer=each.layer,
            position=round(each.position, DIGITS),
            control=round(each.control, DIGITS),
            error=round(each.error, DIGITS),
        )
        for each in readable_positions(translator, pairs, seed=seed, progress=progress).layers
    )


def first_layer(
    translator: Translator, pairs: Sequence[SentencePair], *, progress: Progress | None = None
) -> tuple[HeadShares, ...]:
    """What the heads of the first layer of both stacks owe to each term, as `corpus_shares` has it."""
    return tuple(
        HeadShares(
            stack=stack, head=head, share=tuple(map(_plain, found.share[head])), deviation=tuple(map(_plain, spread))
        )
        for stack in STACKS
        for found in [corpus_shares(translator, pairs, stack, progress=progress)]
        for head, spread in enumerate(found.deviation)
    )


def kept_shares(shares: Sequence[HeadShares], stack: Stack, sentences: int) -> CorpusShares:
    """The shares of a stack as arrays again."""
    of_stack = [each for each in shares if each.stack == stack]
    share, deviation = (
        np.array([getattr(each, name) for each in of_stack], dtype=float) for name in ("share", "deviation")
    )
    return CorpusShares(share, deviation, sentences)


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
        "share": pd.DataFrame(_share_rows(study.shares)),
    }


def _share_rows(shares: Sequence[HeadShares]) -> list[dict[str, Any]]:
    return [
        {"stack": each.stack, "head": each.head, "query": query, "key": key}
        | {"share": each.share[row][column], "deviation": each.deviation[row][column]}
        for each in shares
        for row, query in enumerate(PARTS)
        for column, key in enumerate(PARTS)
    ]


def _plain(values: np.ndarray) -> tuple[float | None, ...]:
    return tuple(None if np.isnan(value) else round(value, DIGITS) for value in values.tolist())


_FILE = ResultFile(STUDY, FORMAT, "headscope positions", PositionStudy.model_dump_json, PositionStudy.model_validate)
