import gzip
import json
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor

from headscope.model.errors import HeadscopeError
from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary, train_sentencepiece
from headscope.model.text.vocabulary import Segmentation, load_vocabulary

SENTENCES = (
    "The old house by the river was sold last summer.",
    "Das alte Haus am Fluss wurde im letzten Sommer verkauft.",
    "She reads a letter from her brother every evening.",
    "Jeden Abend liest sie einen Brief von ihrem Bruder.",
    "We could not see the mountains because of the fog.",
    "Wegen des Nebels konnten wir die Berge nicht sehen.",
    "How much does a ticket to the coast cost?",
    "Wie viel kostet eine Fahrkarte an die Küste?",
)
SIZE = 360
JOINT = train_sentencepiece(SENTENCES, SIZE)
BYTES = 4
"""Id of the piece for byte 0."""

AWKWARD = [
    *("", " ", "  ", "a", "The", "ß", ".", "é", "e\u0301", "a\u0327\u0301", "\u0301", "ﬃ", "︰", "½", "ŀ", "ﷺ", "각"),
    *("\u1100\u1161\u11a8", "日本", "🙂", "👨‍👩‍👧", "שלום", "\0", "\x01", "\u00ad", "\u200b", "\ufeff", "\u2028"),
    *("\x85", "\r\n", "\t", "\u3000", "\ufffd", "\ud800", "▁", "<s>", "</s>", "<pad>", "<unk>", "<0x41>"),
]
anything = st.lists(st.one_of(st.sampled_from(AWKWARD), st.characters(exclude_categories=())), max_size=8).map("".join)
ids = st.lists(
    st.one_of(
        st.integers(0, SIZE - 1),
        st.sampled_from([0, 1, 2, 3, *(BYTES + byte for byte in b"\xc3\xa9\xf0\x9f\x99\x82\x80\xff\x00")]),
    ),
    max_size=12,
)
plain_words = st.lists(st.text("abcdehilnorstuwäöß.?Ø🙂日é", min_size=1, max_size=6), min_size=1, max_size=6)


def stored_model(vocabulary: SentencePieceVocabulary, folder: Path) -> bytes:
    vocabulary.save(folder)
    return (folder / "joint.model").read_bytes()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return stored_model(JOINT, tmp_path_factory.mktemp("joint"))


def shown(segmentation: Segmentation) -> list[str]:
    return [segmentation.text[start:end] for start, end in segmentation.spans]


def assert_in_order(segmentation: Segmentation) -> None:
    before = (0, 0)
    for start, end in segmentation.spans:
        assert before[0] <= start <= end <= len(segmentation.text)
        assert before[1] <= end
        before = (start, end)


@given(anything)
def test_every_text_can_be_encoded_and_no_special_id_comes_out(text: str):
    found = JOINT.encode(text)
    assert found.text == text
    assert min(found.ids, default=BYTES) >= BYTES
    assert list(found.ids) == JOINT.encode_ids([text])[0]
    assert found.pieces == tuple(JOINT.piece(index, "source") for index in found.ids)


@given(anything)
def test_spans_are_in_order_and_leave_out_only_what_changes_nothing(text: str):
    found = JOINT.encode(text)
    assert_in_order(found)
    inside = sorted({place for start, end in found.spans for place in range(start, end)})
    assert JOINT.encode("".join(text[place] for place in inside)).ids == found.ids


@given(plain_words)
def test_spans_show_the_pieces_where_normalisation_changes_nothing(words: list[str]):
    text = " ".join(words)
    found = JOINT.encode(text)
    beginning = True
    for piece, stretch in zip(found.pieces, shown(found), strict=True):
        if piece.startswith("<0x"):
            assert bytes.fromhex(piece[3:5]) in stretch.encode()
            assert len(stretch) == 1
        else:
            assert piece.replace("▁", "" if beginning else " ") == stretch
        beginning = False
    assert JOINT.decode(found.ids) == text


@given(anything)
@example("a\u0327\u0301")
def test_composed_and_decomposed_text_give_the_same_pieces(text: str):
    assert JOINT.encode(unicodedata.normalize("NFC", text)).ids == JOINT.encode(unicodedata.normalize("NFD", text)).ids


@pytest.mark.parametrize(
    ("text", "stretches"),
    [
        ("🙂", ["", "🙂", "🙂", "🙂", "🙂"]),
        (". ︰.", [" ", "︰", "︰", "."]),
        ("x\u200bx", ["", "x", "\u200b", "x"]),
    ],
)
def test_pieces_of_one_character_share_its_span(text: str, stretches: list[str]):
    assert shown(JOINT.encode(text))[-len(stretches) :] == stretches


def test_blanks_belong_to_the_piece_that_begins_with_them():
    text = "  The \u3000 old  "
    stretches = shown(JOINT.encode(text))
    assert "".join(stretches) == "The \u3000 old"
    assert [stretch for stretch in stretches if stretch.startswith((" ", "\u3000"))] == [
        next(stretch for stretch in stretches if " \u3000 " in stretch)
    ]


def test_control_symbols_in_a_text_are_text():
    text = "<s> </s> <pad> <unk> <0x41>"
    found = JOINT.encode(text)
    assert "".join(shown(found)) == text
    assert JOINT.decode(found.ids) == text


def test_a_lone_surrogate_counts_as_the_replacement_character():
    assert JOINT.encode("a\ud83db").ids == JOINT.encode("a\ufffdb").ids


@given(ids)
@example([BYTES + 0xC3, 0, BYTES + 0xA9])
def test_located_text_is_what_sentencepiece_decodes(model: bytes, ids: list[int]):
    found = JOINT.locate(ids)
    assert found.text == JOINT.decode(ids) == SentencePieceProcessor(model_proto=model).decode(ids)
    assert found.ids == tuple(ids)
    assert_in_order(found)
    assert {place for start, end in found.spans for place in range(start, end)} == set(range(len(found.text)))
    for index, stretch in zip(ids, shown(found), strict=True):
        if index in (0, 2, 3):
            assert stretch == ""


def test_located_bytes_of_one_character_share_its_span():
    found = JOINT.locate([BYTES + byte for byte in "é".encode() + b"\xf0\x9f"] + [3])
    assert found.text == "é\ufffd\ufffd"
    assert shown(found) == ["é", "é", "\ufffd", "\ufffd", ""]


def test_the_same_texts_give_the_same_vocabulary(tmp_path: Path):
    train_sentencepiece(iter(SENTENCES), SIZE).save(tmp_path / "again")
    JOINT.save(tmp_path / "first")
    for name in ("joint.model", "vocabulary.json"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "first" / name).read_bytes()


@pytest.mark.parametrize(
    ("texts", "size", "message"),
    [
        ([], 300, "no text"),
        ([" ", "\n"], 300, "no text"),
        (["so little text"], 5000, "too little for a vocabulary of 5,000 pieces: choose at most 2"),
        (SENTENCES, 280, "280 pieces is too small for this text: choose at least 2"),
    ],
)
def test_training_that_cannot_be_says_why(texts: list[str], size: int, message: str):
    with pytest.raises(HeadscopeError, match=message):
        train_sentencepiece(texts, size)


def test_two_models_and_two_tables_come_back_from_a_folder(tmp_path: Path):
    english, german = (train_sentencepiece(SENTENCES[side::2], 330 + side) for side in (0, 1))
    models = [stored_model(vocabulary, tmp_path / "one") for vocabulary in (english, german)]
    tables = [[vocabulary.piece(index, "source") for index in range(330)][::-1] for vocabulary in (english, german)]
    vocabulary = SentencePieceVocabulary(models, tables=tables, pad=329, unknown=328, start=329, end=326)
    vocabulary.save(tmp_path / "both")
    loaded = load_vocabulary(tmp_path / "both")
    for one in (vocabulary, loaded):
        assert (one.pad, one.unknown, one.start, one.end) == (329, 328, 329, 326)
        assert one.size("source") == one.size("target") == 330
        assert one.encode(SENTENCES[0]).ids == tuple(329 - index for index in english.encode(SENTENCES[0]).ids)
        assert one.encode_ids([SENTENCES[1]], "target") == [list(one.encode(SENTENCES[1], "target").ids)]
        assert one.decode([329, *one.encode(SENTENCES[1], "target").ids, 326]) == SENTENCES[1]


def test_a_piece_that_is_not_in_the_table_is_unknown(model: bytes):
    first, *others = JOINT.encode("The old").pieces
    table = ["<unk>", "</s>", first, "▁Häuser", "▁new", "<pad>"]
    vocabulary = SentencePieceVocabulary([model], tables=[table], pad=5, unknown=0, start=5, end=1)
    assert vocabulary.encode("The old").ids == (2, *[0] * len(others))
    assert {1, 5}.isdisjoint(vocabulary.encode("</s> <pad>").ids)
    assert vocabulary.decode([4, 3, 4, 1]) == "new Häuser new"
    assert vocabulary.locate([4, 3, 4, 1]).spans == ((0, 3), (3, 10), (10, 14), (14, 14))


def test_tables_of_opus_mt(shared: Path):
    folder = shared / "data" / "opus_mt_shapes" / "fr-en"
    ids = json.loads(gzip.decompress((folder / "vocab.json.gz").read_bytes()))
    models = [(folder / f"{side}.spm").read_bytes() for side in ("source", "target")]
    vocabulary = SentencePieceVocabulary(
        models,
        tables=[sorted(ids, key=ids.__getitem__)],
        pad=ids["<pad>"],
        unknown=ids["<unk>"],
        start=ids["<pad>"],
        end=ids["</s>"],
    )
    source, target = (SentencePieceProcessor(model_proto=model) for model in models)
    text = "Un naturaliste s’étonne : « déjà ☃ ? »"
    expected = [ids.get(piece, ids["<unk>"]) for piece in source.encode(text, out_type=str)]
    assert list(vocabulary.encode(text).ids) == expected
    assert vocabulary.encode_ids([text]) == [expected]
    assert ids["<unk>"] in expected
    assert "".join(shown(vocabulary.encode(text))) == text
    text = "A naturalist wonders: already?"
    pieces = target.encode(text, out_type=str)
    assert vocabulary.decode([ids[piece] for piece in pieces] + [ids["</s>"]]) == target.decode(pieces) == text


def test_hard_sentences(shared: Path):
    folder = shared / "data" / "hard_sentences"
    lines = (folder / "blns.txt").read_bytes().decode().split("\n")
    lines += [line.split("\t")[5] for line in (folder / "hard_sentences.tsv").read_bytes().decode().split("\n")[1:-1]]
    assert len(lines) == 743 + 186
    for line, ids in zip(lines, JOINT.encode_ids(lines), strict=True):
        found = JOINT.encode(line)
        assert_in_order(found)
        assert list(found.ids) == ids


@given(st.lists(st.integers(4, JOINT.size("target") - 1) | st.just(JOINT.unknown), max_size=12))
def test_what_pieces_add_to_a_text_makes_up_the_text(ids: list[int]):
    text = b"".join(map(JOINT.spoken, ids)).decode(errors="replace")
    # Of bytes that make up no character, each is one sign here and there are as many as Python likes there.
    assert re.sub("�+", "�", text).strip() == re.sub("�+", "�", JOINT.decode(ids)).strip()
