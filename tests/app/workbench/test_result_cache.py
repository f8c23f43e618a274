"""The bounded cache."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from headscope.app.workbench.result_cache import ResultCache
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled

PATIENCE = 10.0


def waiting(shelf: ResultCache, key: str, make, count: int) -> list:
    """What `count` threads get that ask while another one makes the value."""
    started, release = threading.Event(), threading.Event()

    def slow():
        started.set()
        release.wait(PATIENCE)
        return make()

    def ask():
        try:
            return shelf.get(key, lambda: "made by one who waited", patience=PATIENCE)
        except Exception as error:
            return error

    def lead():
        try:
            return shelf.get(key, slow, patience=PATIENCE)
        except BaseException as error:
            return error

    with ThreadPoolExecutor(count + 1) as pool:
        first = pool.submit(lead)
        assert started.wait(PATIENCE)
        others = [pool.submit(ask) for _ in range(count)]
        release.set()
        return [first.result(), *(other.result() for other in others)]


def test_a_value_is_made_once_for_all_who_wait():
    made = []
    assert waiting(ResultCache(1), "key", lambda: made.append(1) or "value", 4) == ["value"] * 5
    assert made == [1]


def test_a_failure_reaches_all_who_wait_and_is_forgotten():
    shelf = ResultCache(1)

    def fail():
        raise HeadscopeError("no")

    assert [str(error) for error in waiting(shelf, "key", fail, 3)] == ["no"] * 4
    assert len(shelf) == 0
    assert shelf.get("key", lambda: "value", patience=PATIENCE) == "value"


@pytest.mark.parametrize("interruption", [Cancelled, SystemExit])
def test_whoever_waits_takes_over_from_one_who_is_interrupted(interruption):
    def stop():
        raise interruption

    first, *others = waiting(ResultCache(1), "key", stop, 3)
    assert isinstance(first, interruption)
    assert others == ["made by one who waited"] * 3


def test_waiting_ends_with_a_message():
    shelf = ResultCache(1)
    started, release = threading.Event(), threading.Event()
    maker = threading.Thread(
        target=shelf.get, args=("key", lambda: started.set() or release.wait(PATIENCE)), kwargs={"patience": 1}
    )
    maker.start()
    assert started.wait(PATIENCE)
    with pytest.raises(HeadscopeError, match="busy"):
        shelf.get("key", lambda: None, patience=0.01)
    release.set()
    maker.join()


def test_the_values_used_longest_ago_go_first():
    shelf = ResultCache(2)
    for key in ("a", "b"):
        shelf.get(key, str, patience=PATIENCE)
    shelf.get("a", str, patience=PATIENCE)
    shelf.get("c", str, patience=PATIENCE)
    made = []
    for key in ("a", "c", "b"):
        shelf.get(key, lambda key=key: made.append(key), patience=PATIENCE)
    assert made == ["b"]


def test_values_are_weighed_and_the_newest_stays_even_when_it_is_too_heavy():
    shelf: ResultCache[str, int] = ResultCache(10, weigh=lambda value: value)
    for key, weight in (("a", 4), ("b", 6), ("c", 3)):
        shelf.get(key, lambda weight=weight: weight, patience=PATIENCE)
    assert len(shelf) == 2
    shelf.get("heavy", lambda: 99, patience=PATIENCE)
    assert len(shelf) == 1
    assert shelf.get("heavy", lambda: 0, patience=PATIENCE) == 99


def test_what_is_made_is_known():
    shelf = ResultCache(2)
    assert "key" not in shelf
    inside = []
    shelf.get("key", lambda: inside.append("key" in shelf), patience=PATIENCE)
    assert inside == [False]
    assert "key" in shelf
