import pytest
import torch

from model.interop.marian import read_marian
from tests.model.interop.toys import (
    SOURCES,
    assert_same_inside,
    assert_same_translations,
    real_marian,
    small_marian,
    translator_of,
)

FRENCH = ["Le vieux château a été vendu l'été dernier.", "Combien coûte un billet ?", "Bonjour", "Il neige."]
CHINESE = ["你好，世界！", "昨天我在河边看到一座老房子。", "多少钱？"]


@pytest.mark.parametrize(
    "changes",
    [{}, {"activation_function": "relu"}, {"scale_embedding": False}, {"tie_word_embeddings": False}],
    ids=str,
)
def test_same_inside(tmp_path, float64, changes):
    theirs = small_marian(tmp_path, **changes)
    assert_same_inside(translator_of(read_marian(tmp_path)), theirs, SOURCES)


@pytest.mark.parametrize("beam", [1, 2, 4])
def test_same_translations(tmp_path, beam):
    theirs = small_marian(tmp_path)
    made = assert_same_translations(translator_of(read_marian(tmp_path)), theirs, SOURCES, beam=beam)
    print(made)
