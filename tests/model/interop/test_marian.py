import pytest

from model.interop.marian import read_marian
from tests.model.interop.toys import (
    SOURCES,
    assert_same_inside,
    assert_same_translations,
    small_marian,
    translator_of,
)

FRENCH = ["Le vieux château a été vendu l'été dernier.", "Combien coûte un billet ?", "Bonjour", "Il neige."]
CHINESE = ["你好，世界！", "昨天我在河边看到一座老房子。", "多少钱？"]


@pytest.mark.parametrize(
    "changes",
    [{}, {"activation_function": "relu"}, {"scale_embedding": False}],
    ids=str,
)
def test_same_inside(tmp_path, float64, changes):
    theirs = small_marian(tmp_path, **changes)
    assert_same_inside(translator_of(read_marian(tmp_path)), theirs, SOURCES)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a model that has begun to learn `SENTENCES`, and the model."""
    from tests.model.interop.toys import learn
    from tests.toys import SENTENCES

    folder = tmp_path_factory.mktemp("marian")
    theirs = small_marian(folder, d_model=32, dropout=0.0, noise=0.0, init_std=0.18)
    vocabulary = read_marian(folder).vocabulary
    rows = [(vocabulary.encode(s, "source").ids, vocabulary.encode(t, "target").ids) for s, t in SENTENCES]
    learn(theirs, rows, steps=60, before=[vocabulary.start])
    theirs.final_logits_bias[0, vocabulary.end] += 3  # so that most of what it writes comes to an end
    theirs.save_pretrained(folder)
    return folder, theirs


@pytest.mark.parametrize(("beam", "alpha"), [(1, 1.0), (2, 1.0), (4, 1.0), (4, 0.6), (4, 0.0)])
def test_same_translations(trained, beam, alpha):
    from tests.model.interop.toys import mixtures

    folder, theirs = trained
    assert_same_translations(translator_of(read_marian(folder)), theirs, mixtures(24), beam=beam, alpha=alpha)
