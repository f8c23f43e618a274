"""Heads, numbers and tokens as the address spells them: counted from 1; of heads and numbers each once, sorted."""

from headscope.analysis.records.heads import Head
from headscope.app.wire.strip import SIDES, Pin
from headscope.model.sites import KINDS

MOST = 1000
"""Of a list, what is read."""


def read_numbers(text: str) -> tuple[int, ...]:
    """The indices, from 0, of numbers with commas between them.

    Raises:
        ValueError: one is none, or below 1.
    """
    numbers = {int(number) - 1 for number in text.split(",", MOST)[:MOST]}
    if min(numbers) < 0:
        raise ValueError(text)
    return tuple(sorted(numbers))


def spell_numbers(numbers: tuple[int, ...]) -> str | None:
    """None: there are none."""
    return ",".join(str(number + 1) for number in numbers) or None


def read_heads(text: str) -> tuple[Head, ...]:
    """The heads of `spell_heads`.

    Raises:
        ValueError: one makes no sense.
    """
    heads = set()
    for name in text and text.split(",", MOST)[:MOST]:
        kind, layer, head = name.split(".")
        if kind not in KINDS or int(layer) < 1 or int(head) < 1:
            raise ValueError(name)
        heads.add(Head(kind, int(layer) - 1, int(head) - 1))
    return tuple(sorted(heads))


def spell_heads(heads: tuple[Head, ...]) -> str:
    """As in "cross.3.1,encoder.1.2"."""
    return ",".join(f"{kind}.{layer + 1}.{head + 1}" for kind, layer, head in heads)


def read_pin(text: str) -> Pin:
    """A token of the strip.

    Raises:
        ValueError: it is none.
    """
    side, _, number = text.partition(".")
    if side not in SIDES or int(number) < 1:
        raise ValueError(text)
    return Pin(side, int(number) - 1)  # type: ignore[arg-type]


def spell_pin(pin: Pin) -> str:
    """The same as text."""
    return f"{pin.side}.{pin.index + 1}"
