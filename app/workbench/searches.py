"""What can be asked of how a sentence is searched. Errors, progress and the shelf are those of `sentences`."""

from typing import TYPE_CHECKING

from headscope.analysis.search.record import SearchRecord
from headscope.app.workbench.sentences import MAX_PIECES, Sentence, once
from headscope.app.workbench.workbench import Workbench
from headscope.model.progress import Progress
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import PenaltyKind
from headscope.model.search.settings import Sampling, SearchSettings

if TYPE_CHECKING:
    from headscope.analysis.search.exact import ExactSearch
    from headscope.analysis.search.mbr import Mbr, Utility
    from headscope.model.translator import Translator

NODES, SECONDS = 10_000, 10.0
"""What a visitor's exact search may cost."""
SAMPLES = 64


def search_settings(
    bench: Workbench,
    sentence: Sentence,
    *,
    kind: PenaltyKind | None = None,
    n_best: int = 1,
    max_length: int | None = None,
    must_contain: tuple[str, ...] = (),
    must_not_contain: tuple[str, ...] = (),
) -> SearchSettings:
    """A sentence's beam and length penalty, and what its checkpoint wants otherwise.

    Args:
        max_length: pieces of a translation at most, end of sentence counted; None: 50 more than the source has.
    """
    own = sentence.settings(bench.card(sentence.checkpoint).search)
    return own.override(
        kind=kind, n_best=n_best, longest=max_length, must_contain=must_contain, must_not_contain=must_not_contain
    )


def search(
    bench: Workbench,
    sentence: Sentence,
    *,
    settings: SearchSettings | None = None,
    constraints: Constraints = FREE,
    sampling: Sampling | None = None,
    progress: Progress | None = None,
) -> SearchRecord:
    """The whole search of a sentence, or samples of its translations."""
    from headscope.analysis.search.searching import search_record

    settings = settings or search_settings(bench, sentence)

    def compute(translator: "Translator") -> SearchRecord:
        return search_record(
            translator,
            sentence.source,
            settings=settings,
            sampling=sampling,
            constraints=constraints,
            max_source_pieces=MAX_PIECES,
        )

    return once(bench, sentence, ("search", settings, constraints, sampling), compute, progress)


def constraints(
    bench: Workbench,
    sentence: Sentence,
    *,
    prefix: str = "",
    force: tuple[str, ...] = (),
    forbid: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> Constraints:
    """Constraints in words, as `model.search.spelling.in_words` takes them."""
    from headscope.model.search.spelling import in_words

    def compute(translator: "Translator") -> Constraints:
        return in_words(translator.vocabulary, prefix=prefix, force=force, forbid=forbid)

    return once(bench, sentence, ("constraints", prefix, force, forbid), compute, progress)


def completions(bench: Workbench, sentence: Sentence, typed: str) -> tuple[tuple[tuple[int, str], ...], ...]:
    """What a visitor may mean who has typed the beginning of a piece, or a word: pieces, each with its spelling."""
    from headscope.model.search.spelling import completions

    def compute(translator: "Translator") -> tuple[tuple[tuple[int, str], ...], ...]:
        spell = translator.vocabulary.piece
        found = completions(translator.vocabulary, typed)
        return tuple(tuple((piece, spell(piece, "target")) for piece in path) for path in found)

    return once(bench, sentence, ("completions", typed), compute)


def exact(
    bench: Workbench, sentence: Sentence, *, settings: SearchSettings | None = None, progress: Progress | None = None
) -> "ExactSearch":
    """The most probable translation, if 10,000 hypotheses and 10 seconds prove it."""
    from headscope.analysis.search.exact import exact_search
    from headscope.model.search.exact import Budget

    settings = settings or search_settings(bench, sentence)

    def compute(translator: "Translator") -> "ExactSearch":
        return exact_search(
            translator,
            sentence.source,
            settings=settings,
            budget=Budget(nodes=NODES, seconds=SECONDS),
            max_source_pieces=MAX_PIECES,
            progress=progress,
        )

    return once(bench, sentence, ("exact", settings), compute, progress)


def mbr(
    bench: Workbench,
    sentence: Sentence,
    *,
    sampling: Sampling | None = None,
    utility: "Utility" = "chrf",
    settings: SearchSettings | None = None,
    progress: Progress | None = None,
) -> "Mbr":
    """The choice among samples: 64 of the model's own distribution unless `sampling` says otherwise."""
    from headscope.analysis.search.mbr import mbr

    sampling, settings = sampling or Sampling(count=SAMPLES), settings or search_settings(bench, sentence)

    def compute(translator: "Translator") -> "Mbr":
        return mbr(
            translator,
            sentence.source,
            sampling=sampling,
            utility=utility,
            settings=settings,
            max_source_pieces=MAX_PIECES,
            progress=progress,
        )

    return once(bench, sentence, ("mbr", sampling, utility, settings), compute, progress)
