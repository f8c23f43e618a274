"""What a server computes before its first visitor comes, and what it leaves alone from then on."""

import gc
from collections.abc import Iterator

import pytest

from headscope.app.view.session import warm_up
from headscope.app.workbench.workbench import Workbench


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    """Lets the garbage collector look everywhere again."""
    yield
    gc.unfreeze()


def test_searches_for_garbage_leave_out_what_is_loaded(checkpoint):
    loaded = [[]]
    warm_up(Workbench({"toy": checkpoint}))
    assert all(loaded is not found for found in gc.get_objects())
    made = [[]]
    assert any(made is found for found in gc.get_objects())


def test_a_broken_checkpoint_is_left_for_the_page_to_speak_of(tmp_path):
    warm_up(Workbench({"broken": tmp_path}))
    assert gc.get_freeze_count()
