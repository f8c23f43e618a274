"""Checkpoints, models and results of one server."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled


class Model:
    """Stands for a translator, and can be watched."""

    def __init__(self, folder):
        self.folder = folder


def found(text: str = "a") -> dict[str, np.ndarray]:
    """A result of 28 bytes."""
    return {text: np.ones(7, np.float32)}


def reader(bench, read=lambda model, text: found(text)):
    """Asks for the result of a text by a checkpoint."""
    return lambda text="a", checkpoint="one": bench.once(checkpoint, text, lambda model: read(model, text))


@pytest.fixture
def folders(tmp_path):
    found = {}
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        found[name] = tmp_path / name
    return found


def test_a_result_is_computed_once_however_many_ask(folders):
    loads, reads = [], []
    bench = Workbench(folders, load=lambda folder: loads.append(folder) or Model(folder))
    read = reader(bench, lambda model, text: reads.append(text) or found())
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(read, ["a"] * 8))
    assert len(loads) == len(reads) == 1
    assert all(result is results[0] for result in results)
    read("b")
    assert (len(loads), len(reads)) == (1, 2)


def test_one_heavy_computation_at_a_time(folders):
    at_once, most = [], []
    lock = threading.Lock()

    def compute(model, text):
        with lock:
            at_once.append(1)
            most.append(len(at_once))
        with lock:
            at_once.pop()
        return found(text)

    read = reader(Workbench(folders, load=Model), compute)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(read, "abcdef"))
    assert set(most) == {1}


def test_a_visitor_who_waits_too_long_is_told(folders):
    started, release = threading.Event(), threading.Event()

    def compute(model, text):
        started.set()
        release.wait(10)
        return found()

    read = reader(Workbench(folders, load=Model, patience=0.05), compute)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(read, "a")
        assert started.wait(10)
        for text in ("a", "b"):
            with pytest.raises(HeadscopeError, match="busy with other sentences"):
                read(text)
        release.set()
        first.result()
    read("b")


class Impatient:
    """Wants no work to go on."""

    def update(self, done, total):
        raise Cancelled


def test_who_waits_for_others_can_stop_waiting(folders):
    started, release = threading.Event(), threading.Event()

    def compute(model):
        started.set()
        release.wait(10)
        return found()

    bench = Workbench(folders, load=Model)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(bench.once, "one", "long", compute)
        assert started.wait(10)
        with pytest.raises(Cancelled):
            bench.once("one", "other", lambda model: found(), Impatient())
        release.set()
        first.result()


def test_two_models_are_kept_at_most(folders):
    alive = []

    def load(folder):
        model = Model(folder)
        alive.append(weakref.ref(model))
        return model

    read = reader(Workbench(folders, load=load))
    for text in "abc":
        for name in folders:
            read(text, name)
    gc.collect()
    assert sum(reference() is not None for reference in alive) <= 2


def test_results_are_bounded_in_bytes(folders):
    reads = []
    bench = Workbench(folders, load=Model, result_bytes=2 * 28)
    read = reader(bench, lambda model, text: reads.append(text) or found(text))
    for text in "abcba":
        read(text)
    assert reads == ["a", "b", "c", "a"]


def test_a_checkpoint_written_again_is_loaded_again(folders):
    loads = []
    read = reader(Workbench(folders, load=lambda folder: loads.append(folder) or Model(folder)))
    read()
    (folders["one"] / "config.json").write_text('{"changed": true}')
    read()
    assert len(loads) == 2


def test_only_the_checkpoints_of_the_server_are_opened(folders, checkpoint):
    bench = Workbench(folders, load=Model)
    for name in (str(checkpoint), "../one", ""):
        with pytest.raises(HeadscopeError, match="one, two, three"):
            reader(bench)(checkpoint=name)
        with pytest.raises(HeadscopeError, match="no checkpoint"):
            bench.card(name)


def test_a_checkpoint_that_is_made_is_there_for_all(folders, checkpoint):
    bench = Workbench(folders, load=Model)
    assert bench.add("new", checkpoint, lambda: "made") == "made"
    assert bench.names == ["one", "two", "three", "new"]
    assert bench.card("new").languages == ("en", "de")


def test_a_checkpoint_that_cannot_be_made_is_not_there(folders, checkpoint):
    def fail():
        raise HeadscopeError("no such model")

    bench = Workbench(folders, load=Model)
    with pytest.raises(HeadscopeError, match="no such model"):
        bench.add("new", checkpoint, fail)
    with pytest.raises(HeadscopeError, match="'one' here already"):
        bench.add("one", checkpoint, lambda: pytest.fail("made"))
    assert bench.names == ["one", "two", "three"]
    assert list(reader(bench)()) == ["a"]
