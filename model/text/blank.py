"""What counts as blank: text in which nothing can be seen. No vocabulary cuts it into pieces, no reader takes it."""

import unicodedata

_CATEGORIES = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
"""Controls, formatting characters (soft hyphen, zero-width blanks, joiners, byte order marks) and blanks."""
_FILLERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
"""Invisible characters of other categories: fillers of Hangul and Braille, and what selects among forms of a letter."""


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text."""
    return all(character in _FILLERS or unicodedata.category(character) in _CATEGORIES for character in text)
