"""`headscope gallery`."""

import pytest

from headscope.analysis.corpus.texts import NOT_STATED, Texts
from headscope.analysis.gallery.find import find_examples
from headscope.analysis.gallery.record import GALLERY, load_gallery
from headscope.app.commands.gallery import _read_gold
from headscope.model.card import read_card
from headscope.model.errors import HeadscopeError
from tests.app.commands.measuring import LETTERS, saved, write_data
from tests.files import tree
from tests.toys import SENTENCES

PAIRS = [(text, text[::-1]) for text in LETTERS]


@pytest.fixture
def own(reverser, tmp_path):
    return saved(reverser, tmp_path / "own")


def test_what_is_kept_is_what_the_function_gives(command, own, reverser, tmp_path):
    data = write_data(tmp_path / "data", PAIRS, "test", name="letters", licence="CC0")
    found = command("gallery", "--checkpoint", own, "--data", data)
    assert found.code == 0
    assert str(own / GALLERY) in found.err
    gallery = load_gallery(read_card(own))
    assert gallery == find_examples(reverser, Texts(PAIRS, "letters", "CC0", NOT_STATED))
    assert gallery
    assert gallery.examples
    assert "Which head" not in found.out
    assert found.out.count("Numbers from") == len(gallery.examples)


def test_text_that_the_model_cannot_read(command, own, tmp_path):
    data, before = write_data(tmp_path / "data", SENTENCES, "test"), tree(own)
    found = command("gallery", "--checkpoint", own, "--data", data)
    assert found.refuses("this model cannot read the source text", "pieces with blanks")
    assert tree(own) == before


def test_gold_links(tmp_path):
    (tmp_path / "text").write_text("ein Haus ||| a house\n")
    (tmp_path / "links").write_text("1-1 2p2\n")
    given = f"some=set={tmp_path / 'text'},{tmp_path / 'links'}"
    assert _read_gold(None, swap=False) == ("", [])
    with pytest.raises(HeadscopeError, match="there is no file"):
        _read_gold(given, swap=False)
    name, (gold,) = _read_gold(given.replace("some=set", "people"), swap=True)
    assert (name, gold.source, gold.target) == ("people", "a house", "ein Haus")
    assert gold.sure == {(0, 0)}
    for wrong in ("people", "people=a", "=a,b"):
        with pytest.raises(HeadscopeError, match="give a name and two files"):
            _read_gold(wrong, swap=False)
