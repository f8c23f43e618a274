"""Checkpoints, models and results of one server."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.app.workbench.result_cache import nbytes
from headscope.app.workbench.workbench import MAX_PIECES, Sentence, Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.network.sites import KINDS
from headscope.model.progress import Cancelled
from headscope.model.translator import load_translator


class Model:
    """Stands for a translator, and can be watched."""

    def __init__(self, folder):
        self.folder = folder


def maps(text: str = "a") -> AttentionMaps:
    tokens = Tokens(text, (Token(text, 5, (0, 1)),))
    return AttentionMaps(
        maps={kind: (np.ones((2, 1, 1), np.float32),) for kind in KINDS},
        allowed={},
        source=tokens,
        reads=tokens,
        predicts=tokens,
        log_probs=np.zeros(1, np.float32),
        quantity="weight",
        fingerprint=text,
    )


def found(text: str = "a") -> tuple[None, AttentionMaps]:
    return None, maps(text)


@pytest.fixture
def folders(tmp_path):
    found = {}
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        found[name] = tmp_path / name
    return found


def sentence(text: str = "a", checkpoint: str = "one") -> Sentence:
    return Sentence(checkpoint, text, 4, 0.6)


def test_a_sentence_is_read_once_however_many_ask(folders):
    loads, reads = [], []
    bench = Workbench(
        folders,
        load=lambda folder: loads.append(folder) or Model(folder),
        analyse=lambda model, sentence: reads.append(sentence) or found(),
    )
    with ThreadPoolExecutor(8) as pool:
        readings = list(pool.map(bench.read, [sentence()] * 8))
    assert len(loads) == len(reads) == 1
    assert all(reading is readings[0] for reading in readings)
    bench.read(sentence("b"))
    assert (len(loads), len(reads)) == (1, 2)


def test_one_heavy_computation_at_a_time(folders):
    at_once, most = [], []
    lock = threading.Lock()

    def analyse(model, sentence):
        with lock:
            at_once.append(1)
            most.append(len(at_once))
        with lock:
            at_once.pop()
        return found(sentence.source)

    bench = Workbench(folders, load=Model, analyse=analyse)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(bench.read, [sentence(text) for text in "abcdef"]))
    assert set(most) == {1}


def test_a_visitor_who_waits_too_long_is_told(folders):
    started, release = threading.Event(), threading.Event()

    def analyse(model, sentence):
        started.set()
        release.wait(10)
        return found()

    bench = Workbench(folders, load=Model, analyse=analyse, patience=0.05)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bench.read, sentence("a"))
        assert started.wait(10)
        for text in ("a", "b"):
            with pytest.raises(HeadscopeError, match="busy with other sentences"):
                bench.read(sentence(text))
        release.set()
        first.result()
    bench.read(sentence("b"))


class Impatient:
    """Wants no work to go on."""

    def update(self, done, total):
        raise Cancelled


def test_work_that_is_cancelled_is_done_when_it_is_asked_for_again(checkpoint):
    bench, asked = Workbench({"toy": checkpoint}), sentence("How much does a ticket cost?", "toy")
    heads = [Head("cross", 0, 0)]
    for question in (bench.importance, lambda asked, **how: bench.what_if(asked, heads, "zero", **how)):
        with pytest.raises(Cancelled):
            question(asked, progress=Impatient())
        assert question(asked) is question(asked, progress=Impatient()), "what is known needs no work"


def test_who_waits_for_others_can_stop_waiting(checkpoint):
    started, release = threading.Event(), threading.Event()

    def analyse(model, asked):
        if asked.source == "long":
            started.set()
            release.wait(10)
        return found(asked.source)

    bench = Workbench({"toy": checkpoint}, load=Model, analyse=analyse)
    bench.read(sentence("a", "toy"))
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bench.read, sentence("long", "toy"))
        assert started.wait(10)
        with pytest.raises(Cancelled):
            bench.importance(sentence("a", "toy"), progress=Impatient())
        release.set()
        first.result()


def test_two_models_are_kept_at_most(folders):
    alive = []

    def load(folder):
        model = Model(folder)
        alive.append(weakref.ref(model))
        return model

    bench = Workbench(folders, load=load, analyse=lambda model, sentence: found())
    for text in "abc":
        for name in folders:
            bench.read(sentence(text, name))
    gc.collect()
    assert sum(reference() is not None for reference in alive) <= 2


def test_results_are_bounded_in_bytes(folders):
    reads = []
    bench = Workbench(
        folders,
        load=Model,
        analyse=lambda model, sentence: reads.append(sentence.source) or found(sentence.source),
        result_bytes=2 * 28,
    )
    for text in "abcba":
        bench.read(sentence(text))
    assert reads == ["a", "b", "c", "a"]


def test_a_checkpoint_written_again_is_loaded_again(folders):
    loads = []
    bench = Workbench(
        folders, load=lambda folder: loads.append(folder) or Model(folder), analyse=lambda model, sentence: found()
    )
    bench.read(sentence())
    (folders["one"] / "config.json").write_text('{"changed": true}')
    bench.read(sentence())
    assert len(loads) == 2


def test_only_the_checkpoints_of_the_server_are_opened(folders, checkpoint):
    bench = Workbench(folders, load=Model, analyse=lambda model, sentence: found())
    for name in (str(checkpoint), "../one", ""):
        with pytest.raises(HeadscopeError, match="one, two, three"):
            bench.read(sentence(checkpoint=name))
        with pytest.raises(HeadscopeError, match="no checkpoint"):
            bench.card(name)


def test_a_checkpoint_that_is_made_is_there_for_all(folders, checkpoint):
    bench = Workbench(folders, load=Model, analyse=lambda model, sentence: found())
    assert bench.add("new", checkpoint, lambda: "made") == "made"
    assert bench.names == ["one", "two", "three", "new"]
    assert bench.card("new").languages == ("en", "de")


def test_a_checkpoint_that_cannot_be_made_is_not_there(folders, checkpoint):
    def fail():
        raise HeadscopeError("no such model")

    bench = Workbench(folders, load=Model, analyse=lambda model, sentence: found())
    with pytest.raises(HeadscopeError, match="no such model"):
        bench.add("new", checkpoint, fail)
    with pytest.raises(HeadscopeError, match="'one' here already"):
        bench.add("one", checkpoint, lambda: pytest.fail("made"))
    assert bench.names == ["one", "two", "three"]
    assert bench.read(sentence()).maps.fingerprint == "a"


def test_a_real_sentence(checkpoint):
    bench = Workbench({"toy": checkpoint})
    reading = bench.read(sentence("How much does a ticket cost?", "toy"))
    assert len(reading.maps.encoder) == 2
    assert reading.maps.predicts.text == "Wie viel kostet eine Fahrkarte an die Küste?"
    assert reading.seconds > 0
    layers = [layer for kind in ("encoder", "decoder", "cross") for layer in reading.maps.layers(kind)]
    arrays = [*layers, *reading.maps.allowed.values(), reading.maps.log_probs]
    assert nbytes(reading) == sum(array.nbytes for array in arrays)
    assert bench.card("toy").languages == ("en", "de")


def test_what_follows_from_a_sentence_is_computed_once(checkpoint):
    loads = []

    def load(folder):
        loads.append(folder)
        return load_translator(folder, "cpu")

    bench, asked = Workbench({"toy": checkpoint}, load=load), sentence("How much does a ticket cost?", "toy")
    head = Head("cross", 1, 0)
    questions = [
        lambda: bench.contributions(asked),
        lambda: bench.importance(asked),
        lambda: bench.what_if(asked, [head], "zero"),
        lambda: bench.query_key(asked, head),
    ]
    for question in questions:
        assert question() is question()
    assert len(loads) == 1
    assert bench.contributions(asked).quantity == "contribution"
    assert bench.importance(asked).measure == "removal"
    assert bench.what_if(asked, [head], "zero").effect.total == pytest.approx(
        bench.importance(asked).change[bench.importance(asked).heads.index(head)], abs=1e-4
    )
    uniform = bench.what_if(asked, [head], "uniform")
    assert uniform.before.targets[0].text == bench.read(asked).maps.predicts.text
    assert uniform.effect.total != bench.what_if(asked, [head], "zero").effect.total
    np.testing.assert_allclose(bench.query_key(asked, head).weights, bench.read(asked).maps.cross[1][0], atol=1e-5)


def test_search_settings_reach_the_search(checkpoint):
    bench = Workbench({"toy": checkpoint})
    texts = {
        bench.read(Sentence("toy", "The mountains keep bees.", beam, penalty)).maps.predicts.text
        for beam, penalty in ((1, 0.0), (8, 5.0), (8, -2.0))
    }
    assert len(texts) > 1


@pytest.mark.parametrize(("text", "message"), [(" ", "blank"), ("word " * MAX_PIECES, f"{MAX_PIECES} are the most")])
def test_what_cannot_be_read(checkpoint, text, message):
    with pytest.raises(HeadscopeError, match=message):
        Workbench({"toy": checkpoint}).read(sentence(text, "toy"))
