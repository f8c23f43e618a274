import json
from pathlib import Path

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.text.vocabulary import load_vocabulary


@pytest.mark.parametrize("name", ["vocabulary.json", "joint.model"])
def test_a_missing_file_is_named(sentencepiece: Path, name: str):
    (sentencepiece / name).unlink()
    with pytest.raises(HeadscopeError, match=f"there is no .*{name}"):
        load_vocabulary(sentencepiece)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "words"}, "kind = 'words'"),
        ({"pad": -1}, "pad = -1"),
        ({"extra": 1}, "no key 'extra'"),
        ({"models": 0}, "needs models"),
        ({"models": 3}, "models = 3"),
    ],
)
def test_a_description_that_cannot_be_says_why(sentencepiece: Path, changes: dict[str, object], message: str):
    file = sentencepiece / "vocabulary.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | changes), "utf-8")
    with pytest.raises(HeadscopeError, match=message):
        load_vocabulary(sentencepiece)


@pytest.mark.parametrize("content", ["", "{", "[1, 2]", '{"a": 1}', '["a", 2]', "[" * 100_000])
def test_a_broken_table_is_named(symbols: Path, content: str):
    (symbols / "joint.json").write_text(content, "utf-8")
    with pytest.raises(HeadscopeError, match=r"joint\.json"):
        load_vocabulary(symbols)


def test_a_description_that_is_not_text_is_named(symbols: Path):
    (symbols / "vocabulary.json").write_bytes(b"\xff\xfe")
    with pytest.raises(HeadscopeError, match=r"vocabulary\.json"):
        load_vocabulary(symbols)
