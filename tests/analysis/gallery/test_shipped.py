"""The galleries that ship: what they show is what the checkpoint does."""

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.gallery.record import GALLERY, load_gallery
from headscope.analysis.gallery.wording import wording
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.model.card import SHIPPED, available, read_card
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import load_translator

NAMES = [name for name in available() if (SHIPPED / name / GALLERY).exists()]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_what_was_found(name):
    translator = load_translator(SHIPPED / name, "cpu")
    gallery = load_gallery(translator.card)
    assert gallery
    assert gallery.weights == translator.weights_digest
    settings = SearchSettings(beam=gallery.beam, penalty=LengthPenalty(gallery.length_penalty))
    for example in gallery.examples:
        assert wording(example, gallery.gold).title
        for shown in filter(None, (example.sentence, example.counter)):
            maps = attention_maps(translator, shown.source, settings=settings)
            assert shown.target == maps.predicts.text
            layer = maps.layers(example.head.kind)[example.head.layer]
            assert shown.weights == pytest.approx(layer[example.head.head], abs=1 / 500)
            if example.question in MEASURES:
                found = head_measures(maps)
                value = found.values[example.question][found.heads.index(example.head)]
                assert shown.value == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_what_ships_is_small_and_says_where_it_is_from(name):
    assert (SHIPPED / name / GALLERY).stat().st_size < 100_000
    gallery = load_gallery(read_card(SHIPPED / name))
    assert gallery
    assert len(gallery.examples) >= 8
    assert gallery.licence
    assert gallery.attribution
    assert all(example.number.sentences >= 100 for example in gallery.examples)
