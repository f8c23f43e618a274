"""What can be asked of a sentence: each question a function of the workbench, each answer computed once.

All raise HeadscopeError as `Workbench.once` does, and where the sentence is blank or too long. What takes its time has
`progress`, which may cancel it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from headscope.analysis.interventions.instead import Instead, taken_from
from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Cell, Head
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.search.settings import SearchSettings

if TYPE_CHECKING:
    from headscope.analysis.attribution.importance import HeadImportance
    from headscope.analysis.capture.pairs import SentencePair
    from headscope.analysis.capture.query_key import QueryKey
    from headscope.analysis.interventions.effects import WhatIf
    from headscope.analysis.interventions.heads import Contexts, Means
    from headscope.analysis.measures.head_measures import HeadMeasures
    from headscope.analysis.measures.warnings import WarningKind
    from headscope.model.translator import Translator

R = TypeVar("R")

Entry = Literal["text", "pieces"]

AT_ONCE = 512
"""Padded pieces that are read between two reports of how far some work is."""
MOST_TELLING = 4
"""Heads that are taken away together at most, to see another translation."""
MAX_PIECES = 512
"""Longest source sentence a page shows, end of sentence included."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is to be translated, by what and how."""

    checkpoint: str
    source: str
    beam: int
    length_penalty: float
    entry: Entry = "text"
    """What the source is: text, or pieces with blanks between them."""
    target: tuple[int, ...] | None = None
    """Pieces that are read in the place of the best translation; None: that one is read."""
    cut: bool = False
    """They are read as they are; else with the end of sentence behind them, which may stand there already."""

    def settings(self, own: SearchSettings) -> SearchSettings:
        """A checkpoint's own way to search, with the sentence's beam and alpha."""
        return own.override(beam=self.beam, alpha=self.length_penalty)


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, translated, with all its attention."""

    maps: AttentionMaps
    pair: "SentencePair"
    warnings: "tuple[WarningKind, ...]"
    seconds: float
    """Time for the translation and the record; loading the model is not in it."""


def once(
    bench: Workbench,
    sentence: Sentence,
    what: object,
    compute: "Callable[[Translator], R]",
    progress: Progress | None = None,
) -> R:
    """A result by its sentence and name: from the shelf, or computed by the sentence's model, which reads text or
    pieces as the sentence does.
    """

    def spelt(translator: "Translator") -> R:
        return compute(translator.in_pieces() if sentence.entry == "pieces" else translator)

    return bench.once(sentence.checkpoint, (sentence, what), spelt, progress)


def read(bench: Workbench, sentence: Sentence) -> Reading:
    """The sentence's translation with all its attention."""

    def compute(translator: "Translator") -> Reading:
        from headscope.analysis.capture.attention import record
        from headscope.analysis.capture.pairs import given_pair, sentence_pair
        from headscope.analysis.measures.warnings import warnings_of

        start = time.perf_counter()
        source = translator.source(sentence.source, MAX_PIECES)
        if sentence.target is None:
            pair = sentence_pair(translator, sentence.source, settings=sentence.settings(translator.settings))
        else:
            end = translator.vocabulary.end
            ended = sentence.cut or sentence.target[-1:] == (end,)
            pair = given_pair(translator, source, sentence.target if ended else (*sentence.target, end))
        maps = record(translator, pair)
        return Reading(maps, pair, warnings_of(translator, pair), time.perf_counter() - start)

    return once(bench, sentence, "reading", compute)


def spelt(bench: Workbench, sentence: Sentence) -> str:
    """The sentence as it is typed the other way: a text's pieces with blanks between them, or the text of pieces."""

    def compute(translator: "Translator") -> str:
        if sentence.entry == "text":
            return " ".join(translator.source(sentence.source, MAX_PIECES).pieces)
        source = translator.in_pieces().source(sentence.source, MAX_PIECES)
        return translator.vocabulary.decode(source.ids, "source")

    return bench.once(sentence.checkpoint, (sentence, "spelt"), compute)


def measures(bench: Workbench, sentence: Sentence) -> "HeadMeasures":
    """What every head does in the sentence, in pieces."""
    from headscope.analysis.measures.head_measures import head_measures

    maps = read(bench, sentence).maps
    return once(bench, sentence, "measures", lambda translator: head_measures(maps))


def contributions(bench: Workbench, sentence: Sentence) -> AttentionMaps:
    """What each head adds from each token: the norms of `analysis.attribution.contributions.head_contributions`."""
    from headscope.analysis.attribution.contributions import head_contributions

    pair = read(bench, sentence).pair
    return once(bench, sentence, "contributions", lambda translator: head_contributions(translator, pair))


def importance(bench: Workbench, sentence: Sentence, *, progress: Progress | None = None) -> "HeadImportance":
    """What becomes of the translation's log-probability without each head."""
    from headscope.analysis.attribution.importance import removal_importance

    pair = read(bench, sentence).pair

    def compute(translator: "Translator") -> "HeadImportance":
        return removal_importance(translator, pair, batch_tokens=AT_ONCE, progress=progress)

    return once(bench, sentence, "importance", compute, progress)


def without(
    bench: Workbench, sentence: Sentence, heads: Sequence[Head], instead: Instead, *, progress: Progress | None = None
) -> "WhatIf":
    """The sentence translated with all heads, and with some taken away.

    Raises:
        HeadscopeError: other sentences are needed, and no gallery has any.
    """
    from headscope.analysis.interventions.effects import what_if
    from headscope.analysis.interventions.heads import MeanReplaced, Resampled
    from headscope.analysis.interventions.removal import removal

    elsewhere = _elsewhere(bench, sentence, instead, progress) if instead in ("mean", "resampled") else {}

    def compute(translator: "Translator") -> "WhatIf":
        if elsewhere:
            probe = {"mean": MeanReplaced, "resampled": Resampled}[instead](translator.model.config, heads, elsewhere)
        else:
            probe = removal(translator, heads, instead)
        settings = sentence.settings(translator.settings)
        return what_if(translator, sentence.source, probe, settings=settings, progress=progress)

    return once(bench, sentence, ("what if", tuple(heads), instead), compute, progress)


def _elsewhere(bench: Workbench, sentence: Sentence, instead: Instead, progress: Progress | None) -> "Contexts | Means":
    """What every head puts out elsewhere: on average over the gallery's sentences, or in its first that is another."""
    from headscope.analysis.capture.pairs import sentence_pair
    from headscope.analysis.interventions.heads import contexts, mean_contexts
    from headscope.app.workbench.studies import examples

    others = taken_from(instead, examples(bench, sentence.checkpoint), sentence.source)
    if not others:
        raise HeadscopeError("the gallery has no other sentence: choose something else in their place")

    def compute(translator: "Translator") -> "Contexts | Means":
        pairs = [sentence_pair(translator, *each) for each in others]
        if instead == "mean":
            return mean_contexts(translator, pairs, batch_tokens=AT_ONCE, progress=progress)
        return contexts(translator, pairs[0])

    return bench.once(sentence.checkpoint, ("elsewhere", instead, others), compute, progress)


def with_weight(
    bench: Workbench, sentence: Sentence, cell: Cell, weight: float, *, progress: Progress | None = None
) -> "WhatIf":
    """The sentence translated as it is, and with one weight of one head set.

    Raises:
        HeadscopeError: the translation as it is has no such weight, or none that can be set.
    """
    from headscope.analysis.interventions.effects import what_if
    from headscope.analysis.interventions.weights import WeightSet, require_cell

    maps = read(bench, sentence).maps

    def compute(translator: "Translator") -> "WhatIf":
        probe = WeightSet(translator.model.config, cell, weight)
        require_cell(maps, cell)
        settings = sentence.settings(translator.settings)
        return what_if(translator, sentence.source, probe, settings=settings, progress=progress)

    return once(bench, sentence, ("weight", cell, weight), compute, progress)


def likeness(bench: Workbench, sentence: Sentence, head: Head) -> Mapping[Head, float]:
    """How much of its attention every head that looks at the same tokens shares with one, in pieces."""
    from headscope.analysis.measures.likeness import likeness

    maps = read(bench, sentence).maps
    return once(bench, sentence, ("likeness", head), lambda translator: likeness(maps, head))


def telling(
    bench: Workbench, sentence: Sentence, instead: Instead, *, progress: Progress | None = None
) -> tuple[Head, ...]:
    """The heads that tell most in the sentence, sorted: in the order of how much its log-probability changes when each
    is set to zero alone, as many as it takes for another translation to be found; the first alone where `MOST_TELLING`
    of them do not suffice.
    """
    ranked = importance(bench, sentence, progress=progress).ranked[:MOST_TELLING]
    for count in range(1, len(ranked) + 1):
        heads = tuple(sorted(ranked[:count]))
        found = without(bench, sentence, heads, instead, progress=progress)
        if found.before.text != found.after.text:
            return heads
    return ranked[:1]


def inside(bench: Workbench, sentence: Sentence, head: Head) -> "QueryKey":
    """How one head comes to its weights."""
    from headscope.analysis.capture.query_key import query_key

    pair = read(bench, sentence).pair
    return once(bench, sentence, ("query and key", head), lambda translator: query_key(translator, pair, head))
