"""What can be asked of several models of one sentence. Errors, progress and the shelf are those of `sentences`.

A side is a sentence whose checkpoint is named as `analysis.comparison.naming` has it.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.meeting import meet
from headscope.app.workbench import sentences
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.data.parallel_text import Pair, read_parallel
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress, Silent

if TYPE_CHECKING:
    from headscope.analysis.comparison.cka import LayerCka
    from headscope.analysis.comparison.corpus import ComparedCorpus, Outputs
    from headscope.analysis.comparison.translations import ComparedTranslations
    from headscope.model.translator import Translator

MOST_PAIRS = 2000
"""Sentence pairs of a visitor's own that are translated."""


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


def as_read(bench: Workbench, side: Sentence, owner: Sentence) -> Sentence:
    """The side with what another one has translated in the place of its own translation, in its own pieces."""
    maps = forced(bench, side, owner)
    return replace(side, target=tuple(token.id for token in maps.predicts.tokens), cut=not maps.finished)


def layers(
    bench: Workbench, first: str, second: str, texts: tuple[Pair, ...], *, progress: Progress | None = None
) -> "LayerCka":
    """How alike the layers of two models are over some sentence pairs."""

    def compute(translator: "Translator", other: "Translator") -> "LayerCka":
        from headscope.analysis.comparison.cka import layer_cka

        return layer_cka(translator, other, texts, progress=progress)

    return bench.once_with(first, second, ("layers", texts), compute, progress)


def outputs(
    bench: Workbench, side: Sentence, texts: tuple[Pair, ...], *, progress: Progress | None = None
) -> "Outputs":
    """What one model makes of some sentence pairs, searched as the side is."""

    def compute(translator: "Translator") -> "Outputs":
        from headscope.analysis.comparison.corpus import outputs

        settings = side.settings(translator.settings)
        return outputs(translator, texts, settings=settings, batch_tokens=sentences.AT_ONCE, progress=progress)

    how = side.beam, side.length_penalty
    return bench.once(side.checkpoint, ("outputs", how, texts), compute, progress)


def corpus(
    bench: Workbench, sides: Sequence[Sentence], names: Sequence[str], texts: tuple[Pair, ...]
) -> "ComparedCorpus":
    """All models over some sentence pairs, from their `outputs`."""
    from headscope.analysis.comparison.corpus import compared_outputs

    found = tuple(outputs(bench, side, texts) for side in sides)
    language = bench.card(sides[0].checkpoint).languages[1]
    return bench.aside(
        ("compared corpus", tuple(names), found, texts), lambda: compared_outputs(names, found, texts, language)
    )


def uploaded(name: str, content: bytes) -> tuple[Pair, ...]:
    """The sentence pairs of a visitor's file, of many the first.

    Raises:
        HeadscopeError: it is of an unknown type, or a line is bad.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"pairs{PurePath(name).suffix.lower()}"
        file.write_bytes(content)
        try:
            return read_parallel(file).pairs[:MOST_PAIRS]
        except HeadscopeError as error:
            raise HeadscopeError(str(error).replace(str(file), name)) from error
