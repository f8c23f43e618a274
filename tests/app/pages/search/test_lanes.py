"""Searches side by side."""

import math
from dataclasses import replace

import pytest

from headscope.app.pages.search.lanes import chosen, difference, ended, forbade, forced, lanes, written
from headscope.app.view.search_state import Other, Place, SearchView
from headscope.app.view.state import View
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.search.constraints import FREE, Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.trace import Bound, Ending, Fate
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
SENTENCE = Sentence("toy", SOURCE, 3, 0.6)
VIEW = View("toy", SOURCE, beam=3)


@pytest.fixture(scope="module")
def bench(checkpoint, translator):
    return Workbench({"toy": checkpoint}, load=lambda folder: translator)


@pytest.fixture(scope="module")
def found(bench, translator):
    ids = translator.vocabulary.encode(SENTENCES[4][1], "target").ids
    search = SearchView(
        n_best=2,
        other=Other(beam=1, length_penalty=1.0, kind="power"),
        branches=(Constraints(prefix=ids[:1]), Constraints(prefix=(9999,))),
    )
    return lanes(bench, SENTENCE, replace(VIEW, search=search))


def test_a_comes_first_then_b_then_branches(found):
    assert [lane.name for lane in found] == ["a", "b", "1", "2"]
    a, b, branch, broken = found
    assert a.record.text == TARGET
    assert (a.settings.beam, a.settings.n_best, a.comparison) == (3, 2, None)
    assert (b.settings.beam, b.settings.penalty) == (1, LengthPenalty(1.0, "power"))
    assert branch.settings == a.settings
    assert branch.record.trace.steps[0].kept[0].forced
    assert broken.record is None
    assert "there is no piece 9999" in broken.problem
    assert [lane.how for lane in (a, b)] == ["beam 3, length penalty 0.6, 2 best", "beam 1, length penalty 1 (power)"]


def test_a_forced_piece_costs_its_own_log_probability(found, translator):
    from headscope.analysis.capture.forced import forced_batch, log_probs
    from headscope.analysis.capture.pairs import given_pair

    branch = found[2].record
    best = branch.trace.hypotheses[0]
    pair = given_pair(translator, translator.source(SOURCE), (*best.pieces, branch.end))
    assert best.log_probs == pytest.approx(
        log_probs(translator.model, forced_batch(translator, [pair]))[0].tolist(), abs=1e-4
    )
    a = found[0].record.trace.hypotheses[0]
    said = difference(found[2], found[0])
    assert said.startswith("another translation, from piece 1 on · other hypotheses from step 1 on · log p −")
    assert f"score {best.score - a.score:+.3f}".replace("-", "−") in said


def test_scores_of_another_penalty_are_not_compared(found):
    assert "score" not in difference(found[1], found[0])
    assert difference(found[0], found[0]) == ""
    same = replace(found[0], comparison=replace(found[2].comparison, step=None, piece=None))
    assert difference(same, found[0]) == "the same as A at every step"
    within = replace(same, comparison=replace(same.comparison, step=4))
    assert difference(within, found[0]) == "the same translation · other hypotheses from step 5 on"
    recut = replace(same, comparison=replace(same.comparison, step=4, piece=2))
    assert difference(recut, found[0]).startswith("the same translation in other pieces, from piece 3 on · other hypo")
    nothing = replace(same.record, texts=(), trace=replace(same.record.trace, hypotheses=()))
    empty = replace(within, record=nothing, comparison=replace(within.comparison, piece=0))
    assert "translation" not in difference(empty, found[0])


def test_samples_say_how_they_are_drawn(bench):
    other = Other(method="sample", samples=2, temperature=0.5, top_k=3, top_p=0.9, seed=1)
    b = lanes(bench, SENTENCE, replace(VIEW, search=SearchView(other=other)))[1]
    assert b.how == "2 samples, temperature 0.5, seed 1, top-k 3, top-p 0.9, length penalty 0.6"
    assert len(b.record.texts) == 2
    assert b.record.sampling == other.sampling


def test_the_first_piece_of_the_winner_is_selected(found):
    assert chosen(found, None).path == found[0].record.trace.hypotheses[0].pieces[:1]
    for nowhere in (Place("4", 0, 0), Place("a", 99, 0), Place("a", 0, 99), Place("2", 0, 0)):
        assert chosen(found, nowhere) == chosen(found, None)


def test_a_candidate_with_its_path_and_its_text(found):
    branch = found[2].record
    for step in range(len(branch.trace.steps)):
        at = chosen(found, Place("1", step, 0))
        assert at.path == branch.trace.path(step, 0)
        assert at.text == branch.live_texts[step][at.candidate.parent]
        assert math.isclose(at.candidate.total, sum(c.log_prob for c in branch.trace.ancestors(step, 0)))


def test_what_a_hypothesis_reads_with_its_piece(found):
    a = found[0].record
    assert written(chosen(found, Place("a", 0, 0))) == a.live_texts[1][0]
    last = len(a.trace.steps) - 1
    for index, candidate in enumerate(a.trace.steps[last].candidates):
        assert written(chosen(found, Place("a", last, index))) == a.live_texts[last][candidate.parent]


def test_forcing_and_forbidding_go_on_from_what_a_lane_was_told(found):
    told = Constraints(prefix=(1, 2), forbidden=frozenset({(1, 2, 3), (1, 2, 4)}))
    lane = replace(found[0], constraints=told)
    assert forced(lane, (1, 2, 3, 5)) == Constraints(prefix=(1, 2, 3, 5), forbidden=frozenset({(1, 2, 4)}))
    assert forbade(lane, (1, 2, 5)) == replace(told, forbidden=told.forbidden | {(1, 2, 5)})
    assert forbade(lane, (1, 2)) == Constraints(prefix=(1,), forbidden=told.forbidden | {(1, 2)})
    assert forced(found[0], (7,)) == Constraints(prefix=(7,))
    assert forbade(found[0], (7,)) == Constraints(forbidden=frozenset({(7,)}))


def test_what_is_forbidden_is_excluded(bench, found):
    best = found[0].record.trace.hypotheses[0].pieces
    branch = forbade(found[0], best[:2])
    lane = lanes(bench, SENTENCE, replace(VIEW, search=SearchView(branches=(branch,))))[1]
    assert [c.piece for c in lane.record.trace.steps[1].candidates if c.fate is Fate.EXCLUDED] == [best[1]]
    assert all(h.pieces[:2] != best[:2] for h in lane.record.trace.hypotheses)
    assert lane.constraints == branch != FREE


def test_why_a_search_ended():
    assert ended(Bound(Ending.LENGTH, None, None), 1) == "Ended at the greatest length."
    assert ended(Bound(Ending.EXHAUSTED, None, -1.0), 1) == "Ended: no live hypothesis was left."
    said = ended(Bound(Ending.BOUND, -2.5, -1.25), 1)
    assert said == "Ended: no live hypothesis could still reach more than −2.500, and the best finished one has −1.250."
    assert "number 3 of the finished ones" in ended(Bound(Ending.BOUND, -2.5, -1.25), 3)
