"""Texts with where they come from, and whether a model can read them."""

import pytest

from headscope.analysis.corpus.texts import NOT_STATED, read_texts, require_readable, unknown_share
from headscope.model.data.prepared import load_prepared
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES, letter_translator


def folder(path, *parts, about="{}"):
    path.mkdir()
    (path / "data.json").write_text(about)
    for part in ("train", "dev", *parts):
        (path / f"{part}.tsv").write_text(f"{path.name} {part} 1\tx\n{path.name} {part} 2\tx\n")
    return load_prepared(path)


def test_parts_that_no_training_learns_from(tmp_path):
    first, second = folder(tmp_path / "a", "test", "heldout"), folder(tmp_path / "b")
    sources = [source for source, _ in read_texts([first, second]).pairs]
    assert sources == [f"{name} {number}" for name in ("a heldout", "a test", "b dev") for number in (1, 2)]
    assert [source for source, _ in read_texts([first], parts=["dev"], most=1).pairs] == ["a dev 1"]
    with pytest.raises(HeadscopeError, match="has no part 'test'"):
        read_texts([second], parts=["test"])


def test_where_they_come_from(tmp_path):
    stated = '{"name": "n", "origin": "the web", "licence": "CC0", "attribution": "nobody"}'
    first, second = folder(tmp_path / "a", about=stated), folder(tmp_path / "b")
    texts = read_texts([first, second, first])
    assert (texts.origin, texts.licence, texts.attribution) == (
        "the web; b",
        f"CC0; {NOT_STATED}",
        f"nobody; {NOT_STATED}",
    )


def test_what_a_model_cannot_read():
    translator = letter_translator()
    assert unknown_share(translator, ["a b", "c ? "], "target") == 0.25
    require_readable(translator, [("a b", "c ?")])
    with pytest.raises(HeadscopeError, match=r"cannot read the source text: 100 % of its pieces"):
        require_readable(translator, [("Words", "a")])
    with pytest.raises(HeadscopeError, match=r"cannot read the target text: 67 % of its pieces"):
        require_readable(translator, [("a", "a ? ?")])
    with pytest.raises(HeadscopeError, match="no source text"):
        require_readable(translator, [])


def test_pieces_of_text_are_known(translator):
    require_readable(translator, SENTENCES)
