"""Galleries made by hand."""

from typing import Any

from headscope.analysis.gallery.record import Example, Further, Gallery, Number, Shown
from headscope.analysis.records.heads import Head

HOSTILE = "<script>alert(1)</script> </s> &amp; **b** $x$ :red[y]"


def a_number(value: float = 0.5, half: float = 0.1, sentences: int = 1234) -> Number:
    """A number with an interval around it."""
    return Number(value=value, low=value - half, high=value + half, sentences=sentences)


def a_sentence(source: str = "A dog.", **changes: Any) -> Shown:
    """A sentence with a small map."""
    fields: dict[str, Any] = {"source": source, "target": "Ein Hund.", "value": 1.0, "map": ("00ff", "8000", "0102")}
    return Shown(**fields | changes)


def an_example(question: str = "end", **changes: Any) -> Example:
    """An example with a counter-example."""
    fields: dict[str, Any] = {
        "question": question,
        "head": Head("cross", 1, 0),
        "number": a_number(0.9),
        "control": a_number(0.2),
        "sentence": a_sentence(),
        "counter": a_sentence("A cat.", value=0.0),
    }
    return Example(**fields | changes)


def a_gallery(*examples: Example, **changes: Any) -> Gallery:
    """A gallery of these examples."""
    fields: dict[str, Any] = {
        "weights": "0" * 32,
        "data": "a test",
        "licence": "CC0",
        "attribution": "nobody",
        "gold": "letters",
        "beam": 4,
        "length_penalty": 0.6,
        "examples": examples,
    }
    return Gallery(**fields | changes)


ALSO = {
    "aer": Further(number=a_number(0.4), control=a_number(0.6), head=Head("cross", 0, 1)),
    "between": Further(number=a_number(0.3), control=a_number(0.2)),
    "unchanged": Further(number=a_number(0.7), control=a_number(0.8)),
}
