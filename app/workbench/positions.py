"""What can be asked of a checkpoint's positions. Errors, progress and the shelf are those of `sentences`."""

from dataclasses import replace
from typing import TYPE_CHECKING

from headscope.analysis.positions.regions import Training, training
from headscope.analysis.positions.terms import ScoreTerms, Stack
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    import numpy as np

    from headscope.analysis.positions.geometry import Projection, ShiftMap, Spectrum
    from headscope.analysis.positions.relative import Relative
    from headscope.analysis.positions.scores import HeadScores
    from headscope.analysis.positions.table import PositionTable
    from headscope.analysis.records.difference import Common
    from headscope.model.translator import Translator


def twin(bench: Workbench, checkpoint: str) -> str | None:
    """A checkpoint of the same languages with positions of another kind; None: there is none here."""
    own = bench.card(checkpoint)
    for name in bench.names:
        try:
            card = bench.card(name)
        except HeadscopeError:  # a broken folder is no twin; its own page says what is wrong with it
            continue
        if card.languages == own.languages and card.config.positions != own.config.positions:
            return name
    return None


def trained(bench: Workbench, checkpoint: str, length: int) -> Training:
    """How often the first positions were trained, on both sides."""
    return training(bench.card(checkpoint), length)


def table(bench: Workbench, checkpoint: str, length: int) -> "PositionTable":
    """The first rows of the table."""

    def compute(translator: "Translator") -> "PositionTable":
        from headscope.analysis.positions.table import position_table

        return position_table(translator, length)

    return bench.once(checkpoint, ("position table", length), compute)


def shift_map(bench: Workbench, checkpoint: str, length: int, *, every: bool) -> "ShiftMap":
    """Whether a shift is a linear map of the table, over the well-trained positions, or over every one."""
    from headscope.analysis.positions.geometry import shift_map

    found = table(bench, checkpoint, length)
    return bench.once(
        checkpoint, ("shift map", length, every), lambda translator: shift_map(found.rows, _among(found, every))
    )


def projection(bench: Workbench, checkpoint: str, length: int, *, every: bool) -> "Projection":
    """The plane on which these rows vary most."""
    from headscope.analysis.positions.geometry import projection

    found = table(bench, checkpoint, length)
    return bench.once(
        checkpoint, ("plane", length, every), lambda translator: projection(found.rows, _among(found, every))
    )


def spectrum(bench: Workbench, checkpoint: str, length: int, *, every: bool) -> "Spectrum":
    """How fast each dimension swings along these rows."""
    from headscope.analysis.positions.geometry import spectrum

    found = table(bench, checkpoint, length)
    return bench.once(
        checkpoint, ("spectrum", length, every), lambda translator: spectrum(found.rows, _among(found, every))
    )


def _among(found: "PositionTable", every: bool) -> "np.ndarray":
    return found.trained | every


def scores(bench: Workbench, checkpoint: str, stack: Stack, length: int) -> "HeadScores":
    """What the heads of a first layer make of positions alone."""

    def compute(translator: "Translator") -> "HeadScores":
        from headscope.analysis.positions.scores import head_scores

        return head_scores(translator, stack, length)

    return bench.once(checkpoint, ("position scores", stack, length), compute)


def relative(bench: Workbench, checkpoint: str, stack: Stack, length: int) -> "Relative":
    """What a scheme without a table has in its place, in the first layer."""

    def compute(translator: "Translator") -> "Relative":
        from headscope.analysis.positions.relative import relative_positions

        return relative_positions(translator, stack, length)

    return bench.once(checkpoint, ("relative positions", stack, length), compute)


def terms(bench: Workbench, sentence: Sentence, stack: Stack) -> ScoreTerms:
    """The first layer's scores in the sentence, term by term."""
    pair = sentences.read(bench, sentence).pair

    def compute(translator: "Translator") -> ScoreTerms:
        from headscope.analysis.positions.scores import score_terms

        return score_terms(translator, pair, stack)

    return sentences.once(bench, sentence, ("score terms", stack), compute)


def attention_of_both(bench: Workbench, sentence: Sentence, other: str) -> "Common":
    """The attention of two checkpoints that read the sentence with the first one's translation.

    Raises:
        HeadscopeError: they have other languages, or no tokens in common.
    """
    pair = sentences.read(bench, sentence).pair

    def compute(translator: "Translator", second: "Translator") -> "Common":
        from headscope.analysis.positions.side_by_side import attention_of_both

        pieces = sentence.entry == "pieces"
        return attention_of_both(translator.in_pieces() if pieces else translator, second, pair)

    return bench.once_with(sentence.checkpoint, other, (sentence, "attention of both"), compute)


def asked_of(bench: Workbench, sentence: Sentence, other: str) -> Sentence:
    """The same sentence for another checkpoint, with the same translation where it cuts both into the same pieces.

    Raises:
        HeadscopeError: it reads another language.
    """
    languages, others = (bench.card(name).languages for name in (sentence.checkpoint, other))
    if languages[0] != others[0]:
        raise HeadscopeError(
            f"{other} reads '{others[0]}', the sentence is '{languages[0]}': choose a checkpoint of that language"
        )
    own = replace(sentence, checkpoint=other, target=None, cut=False)
    maps = sentences.read(bench, sentence).maps
    written = tuple(token.id for token in maps.predicts.tokens)
    if languages != others or max(written) >= bench.card(other).config.target_vocabulary:
        return own
    forced = replace(own, target=written, cut=not maps.finished)
    read = sentences.read(bench, forced).maps
    return forced if (read.source, read.predicts) == (maps.source, maps.predicts) else own
