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
_SIGNS = frozenset("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Formatting characters that are seen: they are drawn around the numbers behind them."""


def is_blank(text: str) -> bool:
    """Whether there is nothing to see in a text."""
    return not any(map(_is_seen, text))


def _is_seen(character: str) -> bool:
    if character in _SIGNS:
        return True
    return unicodedata.category(character) not in _CATEGORIES and character not in _FILLERS
