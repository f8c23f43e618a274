"""What a corpus says of a checkpoint's positions: from the study that lies with it, or measured over a few sentences.

Errors, progress and the shelf are those of `sentences`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from headscope.analysis.positions.terms import CorpusShares, Stack
from headscope.app.workbench import studies
from headscope.app.workbench.workbench import Workbench
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress

if TYPE_CHECKING:
    from headscope.analysis.capture.pairs import SentencePair
    from headscope.analysis.positions.comparison import Comparison
    from headscope.analysis.positions.length_record import LengthStudy
    from headscope.analysis.positions.study import PositionStudy
    from headscope.analysis.positions.study_record import ChangeEffect, HeadByDistance, HeadShares, ReadAt
    from headscope.model.translator import Translator

T = TypeVar("T")
FEW = 20
"""Sentences of each length, where they are translated while a visitor waits."""
GALLERY = "the sentences of a gallery, which are no sample"
Of = Literal["heads", "changes", "readable", "length", "shares"]


@dataclass(frozen=True, slots=True)
class Measured(Generic[T]):
    """Some numbers, and what they were measured over."""

    value: T
    corpus: str
    sentences: int


def heads(
    bench: Workbench, checkpoint: str, texts: "Texts", progress: Progress | None = None
) -> "Measured[tuple[HeadByDistance, ...]]":
    """Attention of every head by distance, key minus query from −`REACH` to `REACH`."""

    def measure(translator: "Translator", pairs: "Sequence[SentencePair]") -> "tuple[HeadByDistance, ...]":
        from headscope.analysis.positions.study import by_distance

        return by_distance(translator, pairs, progress=progress)

    return _measured(bench, checkpoint, "heads", lambda study: study.heads, texts, measure, progress)


def readable(
    bench: Workbench, checkpoint: str, texts: "Texts", progress: Progress | None = None
) -> "Measured[tuple[ReadAt, ...]]":
    """How well position can be read off every layer.

    Raises:
        HeadscopeError: there are too few tokens, or the model has no residual stream.
    """

    def kept(study: "PositionStudy") -> "tuple[ReadAt, ...]":
        if study.unreadable:
            raise HeadscopeError(study.unreadable)
        return study.readable

    def measure(translator: "Translator", pairs: "Sequence[SentencePair]") -> "tuple[ReadAt, ...]":
        from headscope.analysis.positions.study import read_off

        return read_off(translator, pairs, progress=progress)

    return _measured(bench, checkpoint, "readable", kept, texts, measure, progress)


def shares(
    bench: Workbench, checkpoint: str, stack: Stack, texts: "Texts", progress: Progress | None = None
) -> Measured[CorpusShares]:
    """What the scores of a first layer owe to each term.

    Raises:
        HeadscopeError: position and content do not add up in this checkpoint's first layer.
    """

    def kept(study: "PositionStudy") -> "tuple[HeadShares, ...]":
        if study.inseparable:
            raise HeadscopeError(study.inseparable)
        return study.shares

    def measure(translator: "Translator", pairs: "Sequence[SentencePair]") -> "tuple[HeadShares, ...]":
        from headscope.analysis.positions.study import first_layer

        return first_layer(translator, pairs, progress=progress)

    from headscope.analysis.positions.study import kept_shares

    found = _measured(bench, checkpoint, "shares", kept, texts, measure, progress)
    return Measured(kept_shares(found.value, stack, found.sentences), found.corpus, found.sentences)


def changes(
    bench: Workbench, checkpoint: str, texts: "Texts", progress: Progress | None = None
) -> "Measured[tuple[ChangeEffect, ...]]":
    """Loss, BLEU and chrF under the usual changes; measured here, without another checkpoint's positions."""

    def measure(translator: "Translator", pairs: "Sequence[SentencePair]") -> "tuple[ChangeEffect, ...]":
        from headscope.analysis.positions.effects import position_effects, usual_changes

        return position_effects(translator, pairs, usual_changes(translator, pairs), progress=progress)

    return _measured(bench, checkpoint, "changes", lambda study: study.changes, texts, measure, progress)


def length(
    bench: Workbench, checkpoint: str, texts: "Texts", progress: Progress | None = None
) -> "Measured[LengthStudy]":
    """Loss and translations by length and position, and of short sentences that stand further on."""

    def measure(translator: "Translator", pairs: "Sequence[SentencePair]") -> "LengthStudy":
        from headscope.analysis.positions.length import length_study

        texts = [(pair.source.text, pair.target.text) for pair in pairs]
        return length_study(translator, texts, most=FEW, progress=progress)

    return _measured(bench, checkpoint, "length", lambda study: study.length, texts, measure, progress)


def comparison(
    bench: Workbench, checkpoint: str, other: str, texts: "Texts", progress: Progress | None = None
) -> "Measured[Comparison]":
    """The translations of two checkpoints and their heads, matched: from the study of either, with its null, or
    measured here without one.

    Raises:
        HeadscopeError: they have other languages.
    """
    for name, second in ((checkpoint, other), (other, checkpoint)):
        study = studies.positions(bench, name)
        if study and study.comparison and study.other_weights == bench.once(second, "digest", _digest):
            found = study.comparison if name == checkpoint else study.comparison.turned()
            return Measured(found, study.data, found.sentences)
    given = texts()

    def compute(translator: "Translator", second: "Translator") -> "Measured[Comparison]":
        from headscope.analysis.positions.comparison import compared_checkpoints

        found = compared_checkpoints(translator, second, given, progress=progress)
        return Measured(found, GALLERY, found.sentences)

    return bench.once_with(checkpoint, other, ("positions compared", given), compute, progress)


def _digest(translator: "Translator") -> str:
    return translator.weights_digest


Texts = Callable[[], tuple[Pair, ...]]
"""Sentences to measure where there is no study; asked for only then."""


def _measured(
    bench: Workbench,
    checkpoint: str,
    what: Of,
    kept: "Callable[[PositionStudy], T]",
    texts: Texts,
    measure: "Callable[[Translator, Sequence[SentencePair]], T]",
    progress: Progress | None,
) -> Measured[T]:
    study = studies.positions(bench, checkpoint)
    if study is not None:
        return Measured(kept(study), study.data, study.sentences)
    given = texts()

    def compute(translator: "Translator") -> Measured[T]:
        from headscope.analysis.capture.pairs import corpus_pairs

        pairs = corpus_pairs(translator, given)
        return Measured(measure(translator, pairs), GALLERY, len(pairs))

    return bench.once(checkpoint, ("positions over", what, given), compute, progress)
