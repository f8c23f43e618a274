"""Which positions were trained, and how much."""

from pathlib import Path

import numpy as np

from headscope.analysis.positions.regions import training
from headscope.model.card import Card
from tests.toys import tiny_config

COUNTS = {"source": (1000, 1000, 10, 9, 1), "target": (1000, 20)}


def card(config=None, counts=COUNTS) -> Card:
    return Card(Path("toy"), "toy", config or tiny_config(), ("en", "de"), positions=counts)


def test_regions_of_both_sides():
    found = training(card(), 7)
    assert found.regions["source"] == ("trained", "trained", "trained", "rare", "rare", "never", "never")
    assert found.regions["target"] == ("trained", "trained", *["never"] * 5)
    assert found.counts["source"].tolist() == [1000, 1000, 10, 9, 1, 0, 0]
    assert found.trained.tolist() == [True, True, True, False, False, False, False]


def test_nothing_is_possible_past_a_learned_table():
    learned = tiny_config(positions="learned", position_table=6)
    assert training(card(learned), 8).regions["source"][5:] == ("never", "impossible", "impossible")
    assert training(card(), 8).regions["source"][5:] == ("never", "never", "never")


def test_nobody_has_counted():
    found = training(card(tiny_config(positions="learned", position_table=3), {}), 4)
    assert found.regions["target"] == ("unknown", "unknown", "unknown", "impossible")
    assert found.trained.tolist() == [True, True, True, False]
    assert found.counts == {}


def test_one_side_alone_was_counted():
    found = training(card(counts={"target": (5, 5)}), 3)
    assert found.regions["source"] == ("unknown",) * 3
    np.testing.assert_array_equal(found.trained, [True, True, False])
