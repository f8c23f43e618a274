"""Records of searches."""

import pytest

from headscope.analysis.search.searching import sample, search_record
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
SETTINGS = SearchSettings(beam=3, n_best=2)


def test_a_search_in_words(translator):
    record = search_record(translator, SOURCE, settings=SETTINGS, alternatives=5)
    assert record.trace == translator.search(SOURCE, settings=SETTINGS, alternatives=5)
    assert record.text == TARGET
    assert record.texts[1] == translator.vocabulary.decode(record.trace.hypotheses[1].pieces, "target")
    assert record.source.text == SOURCE
    assert record.source.tokens[-1].special
    assert (record.settings, record.sampling, record.constraints) == (SETTINGS, None, Constraints())
    for number, step in enumerate(record.trace.steps):
        assert len(record.live_texts[number]) == len(step.predictions)
        for index, c in enumerate(step.candidates):
            before = record.trace.path(number, index)[:-1]
            assert record.live_texts[number][c.parent] == translator.vocabulary.decode(before, "target")
            assert record.pieces[c.piece] == translator.vocabulary.piece(c.piece, "target")
    assert record.live_texts[0] == ("",)
    end = translator.vocabulary.end
    assert (record.label(end).full, record.label(end).special) == ("</s>", True)
    assert record.nbytes > 10_000


def test_samples_in_words(translator):
    sampling = Sampling(count=4, temperature=2.0, seed=1)
    settings = SearchSettings(penalty=LengthPenalty(0.0), extra_length=5)
    record = search_record(translator, SOURCE, settings=settings, sampling=sampling)
    again = sample(translator, SOURCE, sampling, settings=settings, alternatives=8)
    assert record.trace == again
    assert (record.sampling, len(record.texts)) == (sampling, 4)
    for text, hypothesis in zip(record.texts, again.hypotheses, strict=True):
        assert hypothesis.score == hypothesis.total
        (scored,) = translator.score([(SOURCE, text)])
        if scored.target.ids == hypothesis.pieces and hypothesis.finished:
            assert hypothesis.log_probs == pytest.approx(scored.log_probs, abs=1e-4)
    assert record.to_pandas()["drawn"].notna().all()


def test_constraints(translator):
    prefix = translator.vocabulary.encode("Das", "target").ids
    for sampling in (None, Sampling(count=3)):
        record = search_record(translator, SOURCE, constraints=Constraints(prefix=prefix), sampling=sampling)
        assert all(text.startswith("Das") for text in record.texts)
        assert record.constraints.prefix == prefix
        with pytest.raises(HeadscopeError, match="no piece 999"):
            search_record(translator, SOURCE, constraints=Constraints(prefix=(999,)), sampling=sampling)


def test_nothing_left(translator):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    record = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    assert (record.text, record.texts, record.trace.hypotheses) == ("", (), ())
    assert search_record(translator, SOURCE, sampling=Sampling(), constraints=record.constraints).text == ""
