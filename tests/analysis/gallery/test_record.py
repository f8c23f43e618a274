"""The gallery as a file."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.gallery.record import GALLERY, as_rows, load_gallery, save_gallery
from headscope.analysis.records.heads import Head
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from tests.analysis.gallery.galleries import ALSO, HOSTILE, a_gallery, a_sentence, an_example
from tests.toys import tiny_config


@pytest.fixture
def card(tmp_path) -> Card:
    return Card(tmp_path, "toy", tiny_config(), ("en", "de"))


def test_what_is_written_is_read(card):
    assert load_gallery(card) is None
    gallery = a_gallery(
        an_example(also=ALSO, sentence=a_sentence(HOSTILE, pin=("output", 2))),
        an_example("idle", head=Head("encoder", 1, 3), counter=None),
    )
    save_gallery(gallery, card.path)
    assert load_gallery(card) == gallery
    assert isinstance(gallery.examples[1].head, Head)


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 100))
def test_maps_keep_their_weights(rows, columns, seed):
    weights = np.random.default_rng(seed).random((rows, columns))
    np.testing.assert_allclose(a_sentence(map=as_rows(weights)).weights, weights, atol=1 / 510 + 1e-9)


DAMAGE = {
    "format": (lambda plain: plain.update(format=2), "is of format 2, and this version reads format 1"),
    "question": (lambda plain: plain["examples"][0].update(question="charm"), "no such question"),
    "key": (lambda plain: plain.update(colour="red"), "no key 'colour'"),
    "missing": (lambda plain: plain["examples"][0].pop("number"), "'examples.0.number' is missing"),
    "infinite": (lambda plain: plain["examples"][0]["number"].update(value=float("inf")), "number.value"),
    "ragged": (lambda plain: plain["examples"][0]["sentence"].update(map=["00", "0000"]), "rows of a map differ"),
    "letters": (lambda plain: plain["examples"][0]["sentence"].update(map=["0g"]), "map.0 = '0g'"),
    "empty": (lambda plain: plain["examples"][0]["sentence"].update(map=[]), "sentence.map"),
    "pin": (lambda plain: plain["examples"][0]["sentence"].update(pin=["source", -1]), "pin"),
    "head": (lambda plain: plain["examples"][0].update(head=["cross", 3, 0]), "there is no head cross 4.1"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged(card, damage):
    change, message = DAMAGE[damage]
    plain = json.loads(a_gallery(an_example()).model_dump_json())
    change(plain)
    (card.path / GALLERY).write_text(json.dumps(plain))
    with pytest.raises(HeadscopeError) as raised:
        load_gallery(card)
    assert message in str(raised.value)
    assert str(card.path / GALLERY) in str(raised.value)


def test_no_json_at_all(card):
    (card.path / GALLERY).write_text("{")
    with pytest.raises(HeadscopeError, match="is not JSON"):
        load_gallery(card)
    assert load_gallery(replace(card, path=card.path / "elsewhere")) is None
