"""How a token is shown, everywhere: on pages, in tables, in figures. No torch, no streamlit.

A label is plain text. Whoever shows it sets it as text, never as HTML or Markdown.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal

from headscope.analysis.records.attention_maps import Tokens

WORD_START = "▁"
WIDTH = 24

_BYTE = re.compile(r"<0x[0-9A-F]{2}>")
_NO_BREAK_SPACES = "\u00a0\u202f"
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_JOINER = "\u200d"
_JOINERS = f"\u200c{_JOINER}"
_FIRST_STRONG_ISOLATE, _POP_ISOLATE = "\u2068", "\u2069"


@dataclass(frozen=True, slots=True)
class Label:
    """One token as it is shown."""

    mark: str
    """The word-start mark, to be drawn faint; empty inside a word."""
    text: str
    """What follows the mark: every blank and control visible, cut to `WIDTH` graphemes."""
    full: str
    """Mark and text, not cut: for hover and for screen readers."""
    part: int = 1
    parts: int = 1
    """Byte pieces are labelled with the character they spell together: this one is the part-th of `parts`."""
    special: bool = False
    """Start, end or padding symbol."""

    def __str__(self) -> str:
        """The label as one string, for places that know no faint marks; right-to-left text is isolated."""
        count = f" {self.part}/{self.parts}" if self.parts > 1 else ""
        return f"{self.mark}{isolate(self.text)}{count}"


@lru_cache(maxsize=64)
def labels(tokens: Tokens, *, width: int = WIDTH) -> tuple[Label, ...]:
    """One label a token, in order; tokens that look alike stay separate.

    Args:
        width: graphemes that are shown at most; the last one becomes "…" where more would follow.
    """
    return tuple(_labels(tokens, width))


def _labels(tokens: Tokens, width: int) -> Iterator[Label]:
    def symbol(index: int) -> tuple[int, int] | int:
        """Byte pieces of one character share its span; every other token stands for itself."""
        token = tokens.tokens[index]
        start, end = token.span
        return token.span if _BYTE.fullmatch(token.piece) and start < end else index

    for _, group in groupby(range(len(tokens)), key=symbol):
        run = list(group)
        for part, index in enumerate(run, 1):
            token = tokens.tokens[index]
            shown = tokens.text[slice(*token.span)] if symbol(index) == token.span else token.piece
            text = shown.lstrip(WORD_START)
            mark = shown[: len(shown) - len(text)]
            text = visible(text)
            yield Label(mark, cut(text, width), mark + text, part, len(run), token.special)


def visible(text: str) -> str:
    """Text in which blanks, controls, invisible and loose combining characters can be seen.

    A space becomes ␣, a no-break space ⍽, a control its picture (␉ for the tab), anything else that is invisible its
    code, as in ‹200B›. Joiners inside a word or an emoji stay, for they shape it.
    """
    return "".join(_visible(text, index) for index in range(len(text)))


def running(text: str) -> str:
    """Running text in one line: blanks stay, all else that `visible` shows is shown, so that any file can hold it."""
    return " ".join(map(visible, text.split(" ")))


def _visible(text: str, index: int) -> str:
    char, category = text[index], unicodedata.category(text[index])
    if char in _NO_BREAK_SPACES:
        return "⍽"
    if category == "Zs":
        return "␣"
    if ord(char) < 0x20:
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "␡"
    if category.startswith("M") and (index == 0 or unicodedata.category(text[index - 1]) in ("Zs", "Cc")):
        return "◌" + char
    if (_is_tag(char) and index > 0) or (char in _JOINERS and 0 < index < len(text) - 1):
        return char
    if category[0] == "C" or category in ("Zl", "Zp") or char in _BLANK_LETTERS:
        return f"‹{ord(char):04X}›"
    return char


def _is_tag(char: str) -> bool:
    """Tags behind a black flag spell its region, as for Scotland."""
    return "\U000e0020" <= char <= "\U000e007f"


def cut(text: str, width: int = WIDTH) -> str:
    """Text of at most `width` graphemes; a longer one ends in "…"."""
    found = graphemes(text)
    return text if len(found) <= width else "".join(found[: width - 1]) + "…"


def graphemes(text: str) -> list[str]:
    """What a reader takes for single characters: letters with their accents, joined emoji, flags.

    The rules of Unicode Standard Annex 29 that matter for cutting a label; Hangul jamo are not composed.
    """
    found: list[str] = []
    for char in text:
        if found and _continues(found[-1], char):
            found[-1] += char
        else:
            found.append(char)
    return found


def _continues(grapheme: str, char: str) -> bool:
    modifies = unicodedata.category(char).startswith("M") or "\U0001f3fb" <= char <= "\U0001f3ff"
    joins = char in _JOINERS or _is_tag(char)
    pairs = _is_region(char) and len(grapheme) == 1 and _is_region(grapheme)
    return modifies or joins or pairs or grapheme.endswith(_JOINER)


def _is_region(char: str) -> bool:
    """Two regional indicators make a flag."""
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def direction(text: str) -> Literal["ltr", "rtl"]:
    """How running text is set: by its first letter that has a direction (Unicode Standard Annex 9, rules P2 and P3)."""
    strong = (unicodedata.bidirectional(char) for char in text)
    return "rtl" if next((kind for kind in strong if kind in ("L", "R", "AL")), "L") != "L" else "ltr"


def isolate(text: str) -> str:
    """Text whose direction cannot disturb what stands beside it; text without right-to-left letters stays as it is."""
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
        return f"{_FIRST_STRONG_ISOLATE}{text}{_POP_ISOLATE}"
    return text
