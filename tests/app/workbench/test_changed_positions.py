"""Sentences with changed positions."""

import numpy as np
import pytest

from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.positions import Shifted, Swapped, exchanged, within
from headscope.app.workbench.changed_positions import Change, changed, followed
from headscope.app.workbench.sentences import Sentence, read
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from headscope.model.translator import load_translator
from tests.app.page_tools import SENTENCE
from tests.toys import save_toy_checkpoint

ASKED = Sentence("toy", SENTENCE, 1, 0.6)


@pytest.fixture(scope="module")
def folders(checkpoint, learned, tmp_path_factory):
    folder = tmp_path_factory.mktemp("changed")
    return {
        "toy": checkpoint,
        "learned": learned,
        "narrow": save_toy_checkpoint(folder / "narrow", passes=1, d_model=16),
    }


@pytest.fixture(scope="module")
def bench(folders):
    return Workbench(folders)


@pytest.mark.parametrize(
    ("change", "probe"),
    [
        (Change("exchange", "source", 1, 3), exchanged(1, 3, "source")),
        (Change("offset", "both", by=4), Shifted(4)),
        (Change("offset", "target", by=4), Shifted(4, ["target"])),
    ],
)
def test_what_comes_of_it_is_what_the_analysis_finds(bench, translator, change, probe):
    found = changed(bench, ASKED, change)
    settings = ASKED.settings(translator.settings)
    expected = what_if(translator, SENTENCE, probe, settings=settings)
    assert (found.before.text, found.after.text) == (expected.before.text, expected.after.text)
    np.testing.assert_allclose(found.effect.after, expected.effect.after, atol=1e-6)
    assert changed(bench, ASKED, change) is found


def test_every_change_of_tokens_is_another_one(bench):
    hows = [Change(how, "source", 1, 4, by=2).elsewhere().describe() for how in ("exchange", "move", "repeat", "shift")]
    assert len(set(hows)) == 4
    assert hows[3] == "Rearranged source {1: 3}"


def test_the_positions_of_another_checkpoint(bench, folders):
    found = changed(bench, ASKED, Change("swap", "both", other="learned"))
    own, other = (load_translator(folders[name]) for name in ("toy", "learned"))
    probe = Swapped(own, other)
    expected = what_if(own, SENTENCE, probe, settings=within(own, probe, ASKED.settings(own.settings)))
    assert found.after.text == expected.after.text
    assert followed(found, Change("swap", "both", other="learned"), "encoder") == {}


def test_what_does_not_fit(bench):
    with pytest.raises(HeadscopeError, match="choose one whose positions to take"):
        changed(bench, ASKED, Change("swap", "both"))
    with pytest.raises(HeadscopeError, match="between models of one width only"):
        changed(bench, ASKED, Change("swap", "both", other="narrow"))
    with pytest.raises(HeadscopeError, match="there is no checkpoint 'nobody'"):
        changed(bench, ASKED, Change("swap", "both", other="nobody"))
    with pytest.raises(HeadscopeError, match="the first position is 0"):
        changed(bench, ASKED, Change("offset", "both", by=-1))


def test_which_heads_go_by_what(bench):
    change = Change("exchange", "source", 1, 3)
    found = changed(bench, ASKED, change)
    assert set(followed(found, change, "encoder")) <= {(*head,) for head in _heads(found)}
    assert followed(found, change, "decoder") == {}
    assert read(bench, ASKED).maps.source == found.maps_before.source


def _heads(found):
    return [
        ("encoder", layer, head) for layer, maps in enumerate(found.maps_before.encoder) for head in range(len(maps))
    ]
