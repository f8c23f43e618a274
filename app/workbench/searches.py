"""Searches of the workbench's sentences, each made once. Like the workbench, it knows no streamlit and no torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from headscope.analysis.search.record import SearchRecord
from headscope.app.workbench.workbench import MAX_PIECES, Sentence, Workbench
from headscope.model.progress import Progress
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import Sampling, SearchSettings

if TYPE_CHECKING:
    from headscope.analysis.search.exact import ExactSearch
    from headscope.analysis.search.mbr import Mbr, Utility
    from headscope.analysis.search.study import SearchStudy
    from headscope.model.translator import Translator

NODES, SECONDS = 10_000, 10.0
"""What a visitor's exact search may cost."""
SAMPLES = 64


@dataclass(frozen=True, slots=True)
class Searches:
    """What is known of how sentences are searched. Every result is kept as the workbench's own are.

    All methods raise HeadscopeError where `Workbench.read` does, and Cancelled where `progress` wants them to stop
    waiting for others.
    """

    bench: Workbench

    def study(self, checkpoint: str) -> "SearchStudy | None":
        """What a corpus says of a checkpoint's searches; None: no study of its weights lies with it."""
        from headscope.analysis.search.study import load_study

        return self.bench.of_its_weights(checkpoint, "search study", lambda: load_study(self.bench.card(checkpoint)))

    def settings(
        self,
        sentence: Sentence,
        *,
        kind: Literal["gnmt", "power"] | None = None,
        n_best: int = 1,
        max_length: int | None = None,
    ) -> SearchSettings:
        """A sentence's beam and length penalty, and what its checkpoint wants otherwise.

        Args:
            max_length: pieces of a translation at most, end of sentence counted; None: 50 more than the source has.
        """
        own = self.bench.card(sentence.checkpoint).search
        settings = SearchSettings(
            beam=sentence.beam,
            n_best=n_best,
            penalty=LengthPenalty(sentence.length_penalty, kind or own.kind),
            longest=own.longest,
            finish=own.finish,
        )
        return settings if max_length is None else settings.within(max_length)

    def search(
        self,
        sentence: Sentence,
        *,
        settings: SearchSettings | None = None,
        constraints: Constraints = FREE,
        sampling: Sampling | None = None,
        progress: Progress | None = None,
    ) -> SearchRecord:
        """The whole search of a sentence, or samples of its translations."""
        from headscope.analysis.search.searching import search_record

        settings = settings or self.settings(sentence)

        def compute(translator: "Translator") -> SearchRecord:
            return search_record(
                translator,
                sentence.source,
                settings=settings,
                sampling=sampling,
                constraints=constraints,
                max_source_pieces=MAX_PIECES,
            )

        return self.bench.once(sentence, ("search", settings, constraints, sampling), compute, progress)

    def constraints(
        self,
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

        return self.bench.once(sentence, ("constraints", prefix, force, forbid), compute, progress)

    def exact(
        self, sentence: Sentence, *, settings: SearchSettings | None = None, progress: Progress | None = None
    ) -> "ExactSearch":
        """The most probable translation, if 10,000 hypotheses and 10 seconds prove it."""
        from headscope.analysis.search.exact import exact_search
        from headscope.model.search.exact import Budget

        settings = settings or self.settings(sentence)

        def compute(translator: "Translator") -> "ExactSearch":
            return exact_search(
                translator,
                sentence.source,
                settings=settings,
                budget=Budget(nodes=NODES, seconds=SECONDS),
                max_source_pieces=MAX_PIECES,
                progress=progress,
            )

        return self.bench.once(sentence, ("exact", settings), compute, progress)

    def mbr(
        self,
        sentence: Sentence,
        *,
        sampling: Sampling | None = None,
        utility: "Utility" = "chrf",
        progress: Progress | None = None,
    ) -> "Mbr":
        """The choice among samples: 64 of the model's own distribution unless `sampling` says otherwise."""
        from headscope.analysis.search.mbr import mbr

        sampling, settings = sampling or Sampling(count=SAMPLES), self.settings(sentence)

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

        return self.bench.once(sentence, ("mbr", sampling, utility, settings), compute, progress)
