"""Which installed fonts can write a text: a figure must not show boxes in the place of letters."""

from collections.abc import Iterable
from functools import cache

FIRST = "DejaVu Sans Mono"
"""Comes with matplotlib, so it is there on every machine."""
REGULAR = ("normal", 400, "normal")
ISOLATES = "\u2068\u2069"
"""They keep text from right to left together, and are never drawn."""


def families(text: str) -> tuple[list[str], set[str]]:
    """Font families that together can write a text, the preferred first, and the characters that none of them has."""
    from matplotlib.font_manager import fontManager

    regular = {entry.name for entry in fontManager.ttflist if (entry.style, entry.weight, entry.stretch) == REGULAR}
    found, missing = [FIRST], _lacking((char for char in text if char not in ISOLATES), FIRST)
    for name in sorted(name for name in regular if "Noto" in name or "DejaVu" in name):
        if not missing:
            break
        if len(left := _lacking(missing, name)) < len(missing):
            found.append(name)
            missing = left
    return found, missing


def spelt(text: str, missing: set[str]) -> str:
    """The text with the code of each missing character in its place, as in ‹0A97›."""
    return "".join(f"‹{ord(char):04X}›" if char in missing else char for char in text)


def complaint(missing: set[str]) -> str:
    """What is to be said of characters that no font has; nothing where there are none."""
    if not missing:
        return ""
    codes = ", ".join(f"U+{ord(char):04X}" for char in sorted(missing)[:8])
    more = f" and {len(missing) - 8} more" if len(missing) > 8 else ""
    return f"no installed font has {codes}{more}: codes stand in their place (a Noto font of that script would help)"


def _lacking(characters: Iterable[str], family: str) -> set[str]:
    return {char for char in characters if ord(char) not in _characters(family)}


@cache
def _characters(family: str) -> frozenset[int]:
    """Code points that a family can draw as outlines; colour bitmaps cannot be part of a vector figure."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties(family=family), fallback_to_default=False))
    return frozenset(font.get_charmap() if font.scalable and "Emoji" not in family else ())
