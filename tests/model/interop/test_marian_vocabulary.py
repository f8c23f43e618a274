"""Vocabularies of Marian in all their forms."""

import json

import pytest
import yaml

from headscope.model.errors import HeadscopeError
from headscope.model.interop.marian_vocabulary import read_marian_vocabulary
from tests.model.interop.toys import sentencepiece

PIECES = ["</s>", "<unk>", "a", "yes", "null", "1e3", "~", "😀", "\t", "\u2028", ":", "▁x"]
IDS = {piece: index for index, piece in enumerate(PIECES)}


@pytest.mark.parametrize("name", ["vocab.yml", "vocab.json", "vocab.spm", "vocab"])
@pytest.mark.parametrize(
    "text",
    [
        yaml.safe_dump(IDS),
        yaml.safe_dump(IDS, default_flow_style=True),
        json.dumps(IDS),
        json.dumps(IDS, ensure_ascii=False),
        "\n".join(PIECES) + "\n",
        "\ufeff" + "\r\n".join(PIECES),
        "# made by hand\n" + yaml.safe_dump(IDS),
    ],
    ids=["yaml", "flow", "json", "json in unicode", "list", "list of windows", "comment"],
)
def test_forms_are_known_by_what_they_hold(tmp_path, name, text):
    (tmp_path / name).write_bytes(text.encode())
    found = read_marian_vocabulary(tmp_path / name)
    assert found.table == tuple(PIECES)
    assert (found.sentencepiece, list(found.notes)) == (False, [])


@pytest.mark.parametrize("name", ["vocab.spm", "vocab.yml"])
def test_sentencepiece(tmp_path, name):
    model, pieces = sentencepiece()
    (tmp_path / name).write_bytes(model)
    found = read_marian_vocabulary(tmp_path / name)
    assert found.sentencepiece
    assert found.table == tuple(pieces)


def test_a_piece_that_stands_there_twice(tmp_path):
    (tmp_path / "v.yml").write_text("</s>: 0\n<unk>: 1\na: 2\nb: 3\na: 4\n")
    found = read_marian_vocabulary(tmp_path / "v.yml")
    assert found.table == ("</s>", "<unk>", "a", "b", "<unused 4>")
    assert found.notes == ["v.yml, line 5: 'a' has an id already, 2, which counts"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: a piece and its id are expected"),
        (b"\xff\xfe", "neither text in UTF-8 nor a SentencePiece model"),
        (b"</s>\n<unk>\na\na\n", "line 4: 'a' stands there a second time"),
        (b"</s>\n\n<unk>\n", "line 2: a piece is expected"),
        (b"</s>\na\n", "the pieces </s> and <unk>"),
        (b"</s>: 0\n<unk>: 1\na: -1\n", "line 3: a piece and its id are expected, not 'a'"),
        (b"</s>: 0\n<unk>: 1\na: 2\nb: 2\n", "ids are missing"),
        (b"</s>: 0\n<unk>: 1\na: 2\na: 3\nb: 3\n", "ids are missing"),
    ],
)
def test_what_is_no_vocabulary(tmp_path, content, message):
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(HeadscopeError) as caught:
        read_marian_vocabulary(tmp_path / "v")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
