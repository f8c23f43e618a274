"""How tokens are shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.labels import Label, cut, direction, graphemes, isolate, labels, running, visible


def sentence(text: str, *pieces: tuple[str, tuple[int, int]]) -> Tokens:
    return Tokens(text, tuple(Token(piece, index, span) for index, (piece, span) in enumerate(pieces)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", "ltr"),
        ("שלום", "rtl"),
        ("12 «مرحبا» abc", "rtl"),
        ("abc שלום", "ltr"),
        ("猫", "ltr"),
        ("1 …", "ltr"),
        ("", "ltr"),
    ],
)
def test_direction_of_running_text(text, expected):
    assert direction(text) == expected


def test_the_word_start_mark_stands_apart():
    found = labels(sentence("so far", ("▁so", (0, 2)), ("fa", (3, 5)), ("r", (5, 6)), ("▁", (6, 6))))
    assert [(label.mark, label.text, label.full) for label in found] == [
        ("▁", "so", "▁so"),
        ("", "fa", "fa"),
        ("", "r", "r"),
        ("▁", "", "▁"),
    ]


def test_repeated_tokens_stay_separate():
    found = labels(sentence("the the", ("▁the", (0, 3)), ("▁the", (3, 7))))
    assert len(found) == 2
    assert found[0] == found[1]


@pytest.mark.parametrize("piece", ["<s>", "</s>", "&amp;", "<script>", "<b>x</b>", "**bold**", ":red[x]", "$x$"])
def test_markup_is_literal(piece):
    (label,) = labels(sentence(piece, (piece, (0, len(piece)))))
    assert label.text == label.full == str(label) == piece


def test_byte_pieces_of_one_character_are_that_character():
    text = "a€😀"
    euro = [(piece, (1, 2)) for piece in ("<0xE2>", "<0x82>", "<0xAC>")]
    smile = [(piece, (2, 3)) for piece in ("<0xF0>", "<0x9F>", "<0x98>", "<0x80>")]
    found = labels(sentence(text, ("▁a", (0, 1)), *euro, *smile))
    assert [(label.text, label.part, label.parts) for label in found] == [
        ("a", 1, 1),
        *[("€", part, 3) for part in (1, 2, 3)],
        *[("😀", part, 4) for part in (1, 2, 3, 4)],
    ]
    assert str(found[2]) == "€ 2/3"


def test_the_same_character_twice_is_two_groups():
    found = labels(sentence("ĀĀ", *[(b, (i, i + 1)) for i in (0, 1) for b in ("<0xC4>", "<0x80>")]))
    assert [(label.part, label.parts) for label in found] == [(1, 2), (2, 2)] * 2


def test_bytes_that_spell_nothing_are_shown_as_they_are():
    found = labels(sentence("", ("<0xE2>", (0, 0)), ("<0x82>", (0, 0))))
    assert [(label.text, label.parts) for label in found] == [("<0xE2>", 1), ("<0x82>", 1)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a␣b"),
        ("\u3000", "␣"),
        ("10\u00a0km", "10⍽km"),
        ("\t\n\x00", "␉␊␀"),
        ("\x7f", "␡"),
        ("\u200b", "‹200B›"),
        ("\u202eabc", "‹202E›abc"),
        ("\u00ad", "‹00AD›"),
        ("\u3164", "‹3164›"),
        ("\u2028", "‹2028›"),
        ("\u0301", "◌\u0301"),
        ("e\u0301", "e\u0301"),
        ("\u200d", "‹200D›"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("שלום", "שלום"),
    ],
)
def test_what_cannot_be_seen_gets_a_sign(text, shown):
    assert visible(text) == shown


def test_long_tokens_are_cut_by_grapheme_and_kept_for_hover():
    family = "👨\u200d👩\u200d👧\u200d👦"
    text = "x" + family * 3
    (label,) = labels(sentence(text, (text, (0, len(text)))), width=3)
    assert label.text == f"x{family}…"
    assert label.full == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab", ["a", "b"]),
        ("e\u0301a", ["e\u0301", "a"]),
        ("👍🏽!", ["👍🏽", "!"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("❤️\u200d🔥x", ["❤️\u200d🔥", "x"]),
        ("🏴\U000e0067\U000e0062\U000e007fx", ["🏴\U000e0067\U000e0062\U000e007f", "x"]),
    ],
)
def test_graphemes(text, expected):
    assert graphemes(text) == expected


def test_right_to_left_text_is_isolated_and_keeps_its_order():
    assert isolate("שלום") == "\u2068שלום\u2069"
    assert isolate("Haus") == "Haus"
    assert str(Label("▁", "مرحبا", "▁مرحبا")) == "▁\u2068مرحبا\u2069"


@given(st.text())
def test_nothing_shown_is_invisible(text):
    for char in visible(text).replace("◌", ""):
        assert unicodedata.category(char) not in ("Cc", "Zs", "Zl", "Zp", "Cs", "Co")


@given(st.text(), st.integers(1, 30))
def test_cutting_keeps_the_beginning(text, width):
    short = cut(text, width)
    assert "".join(graphemes(text)) == text
    assert len(graphemes(text)) <= width or text.startswith(short.removesuffix("…"))
    assert len(graphemes(text)) > width or short == text


@given(st.lists(st.text(max_size=8), max_size=8))
def test_one_label_a_token(pieces):
    found = labels(sentence("", *[(piece, (0, 0)) for piece in pieces]))
    assert len(found) == len(pieces)


def test_running_text_keeps_its_blanks_and_shows_what_no_file_could_hold():
    assert running("It is  one\x1b\x00 line\r\n\ud800.") == "It is  one␛␀ line␍␊‹D800›."
