"""All that can be asked of how one sentence's translation is found, in one answer: what `headscope search` shows."""

from dataclasses import dataclass, replace

from headscope.analysis.measures.warnings import WarningKind, warnings_of_hypothesis
from headscope.analysis.search.comparison import SearchComparison, compare_searches
from headscope.analysis.search.exact import ExactSearch, exact_search
from headscope.analysis.search.mbr import Mbr, Utility, mbr
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.exact import Budget
from headscope.model.search.settings import Sampling, SearchSettings
from headscope.model.translator import Translator


@dataclass(frozen=True, slots=True)
class SearchReport:
    """A search, or samples, and what stands beside it. None: it was not asked for."""

    record: SearchRecord
    free: SearchRecord | None
    """The search without constraints and words."""
    difference: SearchComparison | None
    """How the search differs from the free one."""
    exact: ExactSearch | None
    mbr: Mbr | None
    warnings: tuple[tuple[WarningKind, ...], ...]
    """Of each hypothesis of `record`."""


def search_report(
    translator: Translator,
    text: str,
    *,
    settings: SearchSettings | None = None,
    sampling: Sampling | None = None,
    constraints: Constraints = FREE,
    alternatives: int | None = None,
    budget: Budget | None = None,
    typical: Sampling | None = None,
    utility: Utility = "chrf",
) -> SearchReport:
    """Search a sentence's translation, or draw some with `sampling`; with constraints or words, also without.

    Args:
        budget: what the proof of the most probable translation may cost; None: it is not looked for.
        typical: how those samples are drawn of which the most typical one is chosen; None: none is.
        utility: what makes these alike.

    Raises:
        HeadscopeError: the sentence is blank or too long, or the constraints cannot be met.
    """
    record = search_record(
        translator, text, settings=settings, sampling=sampling, constraints=constraints, alternatives=alternatives
    )
    told = constraints not in (FREE, Constraints(prefix=translator.vocabulary.prefix))
    plain = replace(settings or translator.settings, must_contain=(), must_not_contain=())
    told = told or plain != (settings or translator.settings)
    source = translator.source(text)
    free = search_record(translator, text, settings=plain) if told and sampling is None else None
    return SearchReport(
        record=record,
        free=free,
        difference=compare_searches(free.trace, record.trace) if free else None,
        exact=exact_search(translator, text, settings=settings, budget=budget) if budget else None,
        mbr=mbr(translator, text, sampling=typical, utility=utility, settings=settings) if typical else None,
        warnings=tuple(warnings_of_hypothesis(translator, source, h) for h in record.trace.hypotheses),
    )
