"""All that can be asked of one search."""

import pytest

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.report import search_report
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.exact import Budget
from headscope.model.search.settings import Sampling, SearchSettings
from headscope.model.search.spelling import in_words
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
SETTINGS = SearchSettings(beam=2)


def test_what_is_not_asked_for_is_not_there(translator):
    nothing = in_words(translator.vocabulary)
    report = search_report(translator, SOURCE, settings=SETTINGS, constraints=nothing, alternatives=3)
    assert report.record.trace == translator.search(SOURCE, settings=SETTINGS, alternatives=3)
    assert (report.free, report.difference, report.exact, report.mbr) == (None, None, None, None)


def test_a_search_that_was_told_something_has_the_free_one_beside_it(translator):
    told = in_words(translator.vocabulary, prefix="Jeden")
    report = search_report(translator, SOURCE, settings=SETTINGS, constraints=told)
    assert report.record.text.startswith("Jeden")
    assert report.free.text == TARGET
    assert report.difference == compare_searches(report.free.trace, report.record.trace)
    forbidden = Constraints(forbidden=frozenset({report.free.trace.hypotheses[0].pieces[:1]}))
    assert search_report(translator, SOURCE, constraints=forbidden).free.text == TARGET


def test_samples_have_no_free_search(translator):
    told = in_words(translator.vocabulary, prefix="Jeden")
    report = search_report(translator, SOURCE, sampling=Sampling(count=2), constraints=told)
    assert (len(report.record.texts), report.free) == (2, None)


def test_exact_search_and_the_most_typical_sample(translator):
    typical = Sampling(count=6, temperature=0.3)
    report = search_report(translator, SOURCE, settings=SETTINGS, budget=Budget(nodes=500), typical=typical)
    assert (report.exact.text, report.exact.settings, report.exact.budget) == (TARGET, SETTINGS, Budget(nodes=500))
    assert (sum(report.mbr.counts), report.mbr.sampling, report.mbr.utility) == (6, typical, "chrf")


def test_blank(translator):
    with pytest.raises(HeadscopeError, match="blank"):
        search_report(translator, " ")
