"""What can stand in the place of heads that are taken away, by name. No torch here."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from headscope.model.data.parallel_text import Pair

Instead = Literal["zero", "uniform", "mean", "resampled"]
INSTEAD: Mapping[Instead, str] = MappingProxyType(
    {
        "zero": "nothing",
        "uniform": "uniform attention",
        "mean": "their mean over sentences",
        "resampled": "what they put out in another sentence",
    }
)
"""In words."""


def taken_from(instead: Instead, known: Sequence[Pair], source: str) -> tuple[Pair, ...]:
    """The sentences that what stands there is taken from: all that are known, or the first that is another one than
    the source; none where none is needed."""
    if instead == "mean":
        return tuple(known)
    others = (pair for pair in known if pair[0].strip() != source.strip())
    return tuple(others)[:1] if instead == "resampled" else ()
