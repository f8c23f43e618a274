"""What is known of a checkpoint, in tables."""

from pathlib import Path

import pytest

from headscope.app.pages.models.tables import origin, tables
from headscope.model.card import Card
from tests.toys import tiny_config


def found(**fields) -> dict[str, tuple[list, str]]:
    card = Card(Path("x"), "x", tiny_config(), ("en", "de"), **fields)
    return {table.title: ([*table.rows], table.otherwise) for table in tables(card, {"total": 4}, symbols=True)}


def test_where_nothing_is_recorded():
    assert found()["Scores"] == ([], "Not measured.")
    assert found()["Positions in training"] == ([], "Not recorded.")
    assert found()["Origin"][0] == [("licence", "not stated"), ("training", "not recorded")]


def test_positions_double_and_end_with_each_sides_last():
    rows, _ = found(positions={"source": (9, 8, 7, 6, 5), "target": (9, 9, 0)})["Positions in training"]
    assert rows == [("1", "9", "9"), ("2", "8", "9"), ("3", "7", "0"), ("4", "6", "never"), ("5", "5", "never")]


def test_scores_of_every_form():
    scores = {
        "test": {"sentences": 14565, "bleu": {"score": 33.32, "interval": 0.57, "signature": "s"}, "nll": 1.8199},
        "by length": [{"from": 1, "below": 6, "nll": 0.9}, {"from": 6, "below": None, "chrf": 50.25}],
        "bleu": 25.0,
        "odd": {"bleu": {"score": "?", "interval": None}},
    }
    rows, _ = found(scores=scores)["Scores"]
    assert rows == [
        ("test", "14,565", "33.3 ± 0.6", "–", "1.82", "–"),
        ("by length, 1 to 5", "–", "–", "–", "0.900", "–"),
        ("by length, 6 or more", "–", "–", "50.2", "–", "–"),
        ("bleu: 25.0", "–", "–", "–", "–", "–"),
        ("odd", "–", "? ± None", "–", "–", "–"),
    ]


@pytest.mark.parametrize(
    ("training", "licence"),
    [
        ({"imported": {"toolkit": "Marian", "name": "m", "licence": "cc-by-4.0"}}, "cc-by-4.0"),
        ({"imported": {"toolkit": "Marian", "name": "m", "licence": None}}, "not stated"),
        ({"data": {"name": "tatoeba-en-de"}}, "CC BY 2.0 (of the text), attribution: www.manythings.org/anki"),
        ({"data": {"name": "mine"}}, "not stated"),
        ({"data": "mine"}, "not stated"),
    ],
)
def test_the_licence_is_the_models_or_that_of_the_text(training, licence):
    assert origin(training)["licence"].startswith(licence)
