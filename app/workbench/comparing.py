"""What can be asked of several models of one sentence. Errors, progress and the shelf are those of `sentences`.

A side is a sentence whose checkpoint is named as `analysis.comparison.naming` has it.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.meeting import meet
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent

if TYPE_CHECKING:
    from headscope.analysis.comparison.translations import ComparedTranslations
    from headscope.model.translator import Translator


def sides(sentence: Sentence, others: Sequence[str]) -> list[Sentence]:
    """The sentence in its own checkpoint, and in others; each reads the best translation that it finds itself."""
    names = [sentence.checkpoint, *others]
    return [replace(sentence, checkpoint=name, target=None, cut=False) for name in names]


def require_same_languages(bench: Workbench, sides: Sequence[Sentence]) -> None:
    """Check that the models read and write the same languages.

    Raises:
        HeadscopeError: they do not, or there is no such checkpoint.
    """
    first = bench.card(sides[0].checkpoint).languages
    for side in sides[1:]:
        other = bench.card(side.checkpoint).languages
        if other != first:
            raise HeadscopeError(
                f"{sides[0].checkpoint} translates {'-'.join(first)}, {side.checkpoint} {'-'.join(other)}: choose "
                "those of the same languages"
            )


def forced(bench: Workbench, side: Sentence, owner: Sentence) -> AttentionMaps:
    """The record of what another side has translated, read by this one."""
    if side == owner:
        return sentences.read(bench, owner).maps
    pair = sentences.read(bench, owner).pair

    def compute(translator: "Translator") -> AttentionMaps:
        from headscope.analysis.comparison.translations import forced_maps

        return forced_maps(translator, pair)

    return sentences.once(bench, side, ("translation of", owner), compute)


def translations(
    bench: Workbench, sides: Sequence[Sentence], names: Sequence[str], *, progress: Progress | None = None
) -> "ComparedTranslations":
    """The translations of all sides, and what each thinks of those of the others.

    Args:
        names: what the sides are called.
    """
    from headscope.analysis.comparison.translations import together

    progress, count = progress or Silent(), len(sides)
    require_same_languages(bench, sides)
    for done, owner in enumerate(sides):
        progress.update(done, 2 * count)
        sentences.read(bench, owner)
    # A model at a time, for few are kept.
    by_model = []
    for done, side in enumerate(sides, count):
        progress.update(done, 2 * count)
        by_model.append([forced(bench, side, owner) for owner in sides])
    return together(names, [*zip(*by_model, strict=True)])


def met(bench: Workbench, sides: Sequence[Sentence], owner: Sentence, *, in_words: bool) -> list[AttentionMaps]:
    """The records of one translation in all sides, with tokens in common."""
    require_same_languages(bench, sides)
    return meet([forced(bench, side, owner) for side in sides], in_words=in_words)
