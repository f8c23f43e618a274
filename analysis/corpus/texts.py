"""Sentence pairs that something is measured over, with where they come from, and whether a model can read them."""

from collections.abc import Sequence
from dataclasses import dataclass

from headscope.analysis.measures.warnings import MOST_UNKNOWN
from headscope.model.data.parallel_text import Pair
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.sites import Side
from headscope.model.translator import Translator

NOT_STATED = "not stated"


@dataclass(frozen=True)
class Texts:
    """Sentences that the model was not trained on, and that may be shown."""

    pairs: Sequence[Pair]
    """Sources and reference translations."""
    origin: str
    licence: str
    attribution: str


def read_texts(
    data: Sequence[PreparedData],
    *,
    parts: Sequence[str] = (),
    most: int | None = None,
    skip_bad_lines: bool = False,
) -> Texts:
    """The pairs of some parts of data sets, and what these say of themselves.

    Args:
        parts: in this order; none: those that no training on the data learns from.
        most: pairs that are taken, the first ones; None: all.

    Raises:
        HeadscopeError: a part is missing, or its files are not what they should be.
    """
    pairs = [
        pair
        for each in data
        for part in parts or each.unseen
        for pair in each.read(part, skip_bad_lines=skip_bad_lines).pairs
    ]

    def stated(key: str) -> str:
        unknown = {"origin": [each.name for each in data]}.get(key, [NOT_STATED] * len(data))
        found = [str(each.metadata.get(key, other)) for each, other in zip(data, unknown, strict=True)]
        return "; ".join(dict.fromkeys(found))

    return Texts(pairs[:most], stated("origin"), stated("licence"), stated("attribution"))


def require_readable(translator: Translator, pairs: Sequence[Pair]) -> None:
    """Check that pairs are written in what the model can read.

    Raises:
        HeadscopeError: there are none, most pieces of a side are none of the model's, or a language tag is missing.
    """
    sides: tuple[Side, Side] = ("source", "target")
    for at, side in enumerate(sides):
        unknown = unknown_share(translator, [pair[at] for pair in pairs], side)
        if unknown > MOST_UNKNOWN:
            raise HeadscopeError(
                f"this model cannot read the {side} text: {100 * unknown:.0f} % of its pieces are not in the "
                "vocabulary; give text in its language, and where it has no model for text, its pieces with blanks "
                "between them"
            )


def unknown_share(translator: Translator, texts: Sequence[str], side: Side) -> float:
    """How many of the pieces that texts are cut into the model does not know, from 0 to 1.

    Raises:
        HeadscopeError: there are no pieces, or a language tag is missing.
    """
    ids = [index for text in translator.vocabulary.encode_ids(texts, side) for index in text]
    if not ids:
        raise HeadscopeError(f"there is no {side} text to read: give a part of the data that has some")
    return ids.count(translator.vocabulary.unknown) / len(ids)
