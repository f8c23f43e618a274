"""What the page says of each view."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """Of one view."""

    name: str
    question: str
    text: str
    equation: str
    source: str


TEXTS: Mapping[str, Text] = {
    "translations": Text(
        "Translations",
        "How do they translate it?",
        "Each model translates the sentence in its own way; a marked word has no counterpart in A's translation, and "
        "in A's, lacks one in another's. "
        "The numbers are the log-probability that each model gives each translation when it is made to read it: so one "
        "sees whether a model finds another's translation bad, or has only missed it. "
        "The map below is how much each token of one translation surprises each model; where vocabularies differ it is "
        "of words, which are found by their characters.",
        r"-\log p(y_t \mid y_{<t}, x)",
        "Words are aligned by the longest matching blocks (difflib). One sentence is an anecdote: see “Corpus”.",
    ),
    "heads": Text(
        "Heads",
        "Where do they look differently?",
        "All models read the same sentence with the same translation; each map is a head's attention, and below it "
        "stands how much more, or less, it looks there than A's head does. "
        "Heads of the same place need not do the same, even in models that were trained alike: “Most alike here” takes "
        "for each model the head whose rows are nearest in this sentence, “Matched over a corpus” the one that it was "
        "matched with over many. "
        "Some head is always nearest: the number says how near.",
        r"\mathrm{JSD}(p, q) = H\left(\tfrac{p + q}{2}\right) - \tfrac{H(p) + H(q)}{2}",
        "Jensen-Shannon divergence in nats, mean over rows, start and end symbols left aside: 0 is the same, ln 2 "
        "nothing in common. Of different vocabularies words are compared: keys summed, rows averaged.",
    ),
}
VIEW_LABELS = {name: text.name for name, text in TEXTS.items()}
