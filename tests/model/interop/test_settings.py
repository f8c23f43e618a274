"""Keys that are not obeyed, and YAML read without its guesses."""

from pathlib import Path

import pytest
import yaml

from headscope.model.errors import HeadscopeError
from headscope.model.interop.settings import Keys, yaml_pairs

KEYS = Keys(
    obeyed="width heads",
    harmless={"a name": "name"},
    neglected={"least": ("shorter ones may come", 0, 1), "never": ("these may be written",), "unk": ("it comes", True)},
)
PATH = Path("vocab.yml")
ODD = ["yes", "null", "~", "1e3", "0x1F", "01:30", "", "a", "\t", "\n", " ", "😀", "\u2028", "\u2029", "\x85", "\ufeff"]
ODD += [
    "\x00",
    "\x7f",
    "\x9f",
    "\xa0",
    "#",
    "- ",
    "? ",
    ": ",
    "'",
    '"',
    "\\",
    "{",
    "[",
    "&a",
    "*a",
    "!t",
    "%",
    "@",
    "<<",
]
BREAKS = ("\u2028", "\u2029", "\x85")
"""Ends of lines in YAML 1.1 alone."""


def test_what_is_not_obeyed_is_named():
    values = {"width": 3, "name": "x", "least": 5, "never": [3], "unk": False, "new": "on", "nested": {"a": 1}}
    assert KEYS.notes(values, "part.") == [
        "part.least = 5 is not obeyed: shorter ones may come",
        "part.never = [3] is not obeyed: these may be written",
        "part.unk = False is not obeyed: it comes",
        "part.new = 'on' is not obeyed: no such key is known here",
        "part.nested = {'a': 1} is not obeyed: no such key is known here",
    ]


def test_values_that_change_nothing_are_not_named():
    values = {"least": 1, "never": [], "unk": True, "new": None, "other": False, "third": 0, "heads": 9}
    assert KEYS.notes(values) == []
    assert KEYS.notes({"least": None, "unk": None}) == []


def test_long_values_are_cut():
    (note,) = KEYS.notes({"never": list(range(1000))})
    assert len(note) < 120
    assert "…" in note


@pytest.mark.parametrize("allow_unicode", [True, False])
def test_keys_are_text_as_another_writer_meant_them(allow_unicode):
    pieces = [piece for piece in ODD if not allow_unicode or piece not in BREAKS]
    text = yaml.safe_dump({piece: index for index, piece in enumerate(pieces)}, allow_unicode=allow_unicode)
    assert {(piece, index) for piece, index, _ in yaml_pairs(text, PATH)} == {(p, str(i)) for i, p in enumerate(pieces)}


def test_signs_that_only_the_library_ends_lines_at():
    text = "a\u2028b: 0\n\x85: 1\n? \u2029\n: 2\n'\u2028': 3\n\U000f0000: 4\n"
    expected = [("a\u2028b", "0", 1), ("\x85", "1", 2), ("\u2029", "2", 3), ("\u2028", "3", 5), ("\U000f0000", "4", 6)]
    assert yaml_pairs(text, PATH) == expected


def test_a_key_may_stand_there_twice():
    assert yaml_pairs("a: 0\na: 1\n", PATH) == [("a", "0", 1), ("a", "1", 2)]


@pytest.mark.parametrize(
    "text",
    ["", "- a\n", "a: [1]\n", "a: 0\nb\nc: 1\n", "!!python/object/apply:os.system ['x']: [0]\n", "a: 'b\n", "b: *y\n"],
)
def test_what_is_no_mapping_of_pieces(text):
    with pytest.raises(HeadscopeError, match=r"vocab.yml, line \d: a piece and its id are expected"):
        yaml_pairs(text, PATH)
