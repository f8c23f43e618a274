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
    "search": Text(
        "Search",
        "Where do their searches part?",
        "Each tree is one model's search of the same sentence, with the same beam and length penalty: what could "
        "follow at each step, and what was kept. "
        "Where models write the same pieces the first step in which their live hypotheses differ is marked; of "
        "different vocabularies each tree stands alone.",
        r"\mathrm{score}(y) = \frac{\log p(y \mid x)}{\mathrm{lp}(y)}",
        "Wu et al. 2016, equation 14. The page “Search” changes settings and asks what if.",
    ),
    "why": Text(
        "Why",
        "What makes each of them say it?",
        "All models read the same translation; each picture says what every token of the source, and of what was "
        "written before, did for the chosen token, by the same method. "
        "Numbers of one model are not on the scale of another one's: compare which tokens stand out, not how much. "
        "A method says what a number is sensitive to, by its own definition.",
        r"\sum_i a_i = f(x) - f(x')",
        "Where a method is complete its sums hold for each model by itself. The page “Why” has more of every one.",
    ),
    "layers": Text(
        "Layers",
        "Do their layers know the same?",
        "Each cell compares one layer of A with one of another model over all tokens of the sentence pairs: 1 means "
        "that one is a turned and scaled copy of the other, 0 is what unrelated ones have on average. "
        "The estimator without bias is taken, for the plain one is near 1 for anything where tokens are few. "
        "Likeness says nothing of what a layer is used for, and two trainings of one kind are not at 1 either.",
        r"\mathrm{CKA}(X, Y) = \frac{\mathrm{HSIC}(X, Y)}{\sqrt{\mathrm{HSIC}(X, X)\, \mathrm{HSIC}(Y, Y)}}",
        "Linear CKA: Kornblith et al. 2019; HSIC without bias: Song et al. 2012. Of different vocabularies words are "
        "compared, each by the mean of its pieces.",
    ),
    "corpus": Text(
        "Corpus",
        "Where do they differ over many sentences?",
        "All models translate the same sentence pairs; for pairs of your own BLEU and chrF stand with 95 % intervals, "
        "and p is of a difference from A as large where there is none. "
        "Below are the sentences on which they differ most: those whose translations have the least in common, by chrF "
        "between them, or whose references they find most unequally probable. "
        "The first of many by a measure are extremes: they show what happens, not how often.",
        r"\max_m \log p_m(y^\ast \mid x) - \min_m \log p_m(y^\ast \mid x)",
        "Paired bootstrap: Koehn 2004, over distinct sources. A large p does not say that two are equal.",
    ),
}
VIEW_LABELS = {name: text.name for name, text in TEXTS.items()}
