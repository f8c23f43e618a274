"""What is asked of sentences."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.removal import removal
from headscope.analysis.records.heads import Cell, Head
from headscope.app.workbench import sentences
from headscope.app.workbench.result_cache import nbytes
from headscope.app.workbench.sentences import MAX_PIECES, Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.translator import load_translator
from tests.app.workbench.test_workbench import Impatient
from tests.toys import SENTENCES


def sentence(text: str = "How much does a ticket cost?") -> Sentence:
    return Sentence("toy", text, 4, 0.6)


def test_a_real_sentence(checkpoint):
    bench = Workbench({"toy": checkpoint})
    reading = sentences.read(bench, sentence())
    assert len(reading.maps.encoder) == 2
    assert reading.maps.predicts.text == "Wie viel kostet eine Fahrkarte an die Küste?"
    assert reading.seconds > 0
    layers = [layer for kind in ("encoder", "decoder", "cross") for layer in reading.maps.layers(kind)]
    arrays = [*layers, *reading.maps.allowed.values(), reading.maps.log_probs]
    assert nbytes(reading) == sum(array.nbytes for array in arrays)
    assert bench.card("toy").languages == ("en", "de")


def test_a_weight_that_the_sentence_lacks_is_refused(checkpoint):
    bench, asked = Workbench({"toy": checkpoint}), sentence()
    changed = sentences.with_weight(bench, asked, Cell(Head("cross", 1, 0), 1, 2), 0.5)
    assert changed.maps_before.fingerprint == sentences.read(bench, asked).maps.fingerprint
    assert changed.maps_after.cross[1][0][1, 2] == pytest.approx(0.5)
    for cell in (Cell(Head("cross", 1, 0), 99, 0), Cell(Head("decoder", 1, 0), 0, 0), Cell(Head("cross", 9, 0), 0, 0)):
        with pytest.raises(HeadscopeError):
            sentences.with_weight(bench, asked, cell, 0.5)


def test_the_heads_that_tell_most(checkpoint):
    bench, asked = Workbench({"toy": checkpoint}), sentence()
    ranked = sentences.importance(bench, asked).ranked
    found = sentences.telling(bench, asked, "zero")
    assert found == tuple(sorted(found))
    assert set(found) == set(ranked[: len(found)])
    tries = [
        sentences.without(bench, asked, sorted(ranked[:at]), "zero") for at in range(1, sentences.MOST_TELLING + 1)
    ]
    changed = [at for at, each in enumerate(tries, 1) if each.before.text != each.after.text]
    assert len(found) == (changed[0] if changed else 1)


def test_what_follows_from_a_sentence_is_computed_once(checkpoint):
    loads = []

    def load(folder):
        loads.append(folder)
        return load_translator(folder, "cpu")

    bench, asked = Workbench({"toy": checkpoint}, load=load), sentence()
    head = Head("cross", 1, 0)
    questions = [
        lambda: sentences.read(bench, asked),
        lambda: sentences.measures(bench, asked),
        lambda: sentences.contributions(bench, asked),
        lambda: sentences.importance(bench, asked),
        lambda: sentences.without(bench, asked, [head], "zero"),
        lambda: sentences.inside(bench, asked, head),
        lambda: sentences.with_weight(bench, asked, Cell(head, 1, 2), 0.5),
        lambda: sentences.likeness(bench, asked, head),
    ]
    for question in questions:
        assert question() is question()
    assert len(loads) == 1
    read, importance = sentences.read(bench, asked), sentences.importance(bench, asked)
    assert sentences.contributions(bench, asked).quantity == "contribution"
    assert importance.measure == "removal"
    zeroed = sentences.without(bench, asked, [head], "zero")
    assert zeroed.effect.total == pytest.approx(importance.change[importance.heads.index(head)], abs=1e-4)
    uniform = sentences.without(bench, asked, [head], "uniform")
    assert uniform.before.targets[0].text == read.maps.predicts.text
    assert uniform.effect.total != zeroed.effect.total
    np.testing.assert_allclose(sentences.inside(bench, asked, head).weights, read.maps.cross[1][0], atol=1e-5)


def test_work_that_is_cancelled_is_done_when_it_is_asked_for_again(checkpoint):
    bench, asked = Workbench({"toy": checkpoint}), sentence()
    heads = [Head("cross", 0, 0)]
    for question in (sentences.importance, lambda *asked, **how: sentences.without(*asked, heads, "zero", **how)):
        with pytest.raises(Cancelled):
            question(bench, asked, progress=Impatient())
        known = question(bench, asked)
        assert known is question(bench, asked, progress=Impatient()), "what is known needs no work"


def test_who_waits_for_others_can_stop_waiting(checkpoint):
    started, release = threading.Event(), threading.Event()

    def long(translator):
        started.set()
        release.wait(10)

    bench = Workbench({"toy": checkpoint})
    sentences.read(bench, sentence())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bench.once, "toy", "long", long)
        assert started.wait(10)
        with pytest.raises(Cancelled):
            sentences.importance(bench, sentence(), progress=Impatient())
        release.set()
        first.result()


def test_search_settings_reach_the_search(checkpoint):
    bench = Workbench({"toy": checkpoint})
    texts = {
        sentences.read(bench, Sentence("toy", "The mountains keep bees.", beam, penalty)).maps.predicts.text
        for beam, penalty in ((1, 0.0), (8, 5.0), (8, -2.0))
    }
    assert len(texts) > 1


@pytest.mark.parametrize(("text", "message"), [(" ", "blank"), ("word " * MAX_PIECES, f"{MAX_PIECES} are the most")])
def test_what_cannot_be_read(checkpoint, text, message):
    with pytest.raises(HeadscopeError, match=message):
        sentences.read(Workbench({"toy": checkpoint}), sentence(text))


def test_heads_are_replaced_by_what_they_do_elsewhere(checkpoint, translator, monkeypatch):
    """The mean is over all of the gallery's sentences; the other sentence is the first that is another one."""
    bench, asked, heads = Workbench({"toy": checkpoint}), sentence(), [Head("cross", 1, 0)]
    known = ((asked.source, "x"), *SENTENCES[:2])
    monkeypatch.setattr("headscope.app.workbench.studies.examples", lambda bench, checkpoint: known)
    own = asked.settings(translator.settings)
    for instead, others in (("mean", known), ("resampled", [SENTENCES[0]])):
        pairs = [sentence_pair(translator, *each) for each in others]
        found = sentences.without(bench, asked, heads, instead)
        probe = removal(translator, heads, instead, pairs=pairs)
        expected = what_if(translator, asked.source, probe, settings=own)
        assert found.after.text == expected.after.text
        assert found.effect.total == pytest.approx(expected.effect.total, abs=1e-5)
        assert sentences.without(bench, asked, heads, instead) is found
    monkeypatch.setattr("headscope.app.workbench.studies.examples", lambda bench, checkpoint: known[:1])
    with pytest.raises(HeadscopeError, match="no other sentence"):
        sentences.without(bench, asked, heads, "resampled")
