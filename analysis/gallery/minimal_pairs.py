"""Two sources, or two beginnings, that differ in little, and two translations that differ because of it: worked
examples of patching.

The sentences are our own, of the kinds of WinoMT (Stanovsky et al. 2019: the gender of a person that only a pronoun
tells) and MuCoW (Raganato et al. 2019: a word with two translations). A model is shown by those alone that it tells
apart, and most of them it does not.
"""

from dataclasses import dataclass
from typing import Literal

from headscope.analysis.attribution.patching import Patching, begun, patching
from headscope.model.card import Card
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator

LANGUAGES = ("en", "de")
Kind = Literal["gender", "ambiguous word", "written before"]


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Of the first source the first translation is right, of the second the second."""

    kind: Kind
    word: str
    """The word of the sources whose translation it is about."""
    sources: tuple[str, str]
    translations: tuple[str, str]
    """Whole, or the end of a sentence."""
    prefix: str = ""
    """What both translations begin with in the first run, in the place of what they begin with; blank: the same."""

    @property
    def first_translations(self) -> tuple[str, str]:
        """The translations as they are compared in the first run."""
        return begun(self.translations, self.prefix) if self.prefix else self.translations


@dataclass(frozen=True, slots=True, eq=False)
class TracedPair:
    """A pair that a model tells apart, and what single activations of the first source do in the second."""

    pair: MinimalPair
    patching: Patching


def _good(word: str, she: str, he: str) -> MinimalPair:
    return MinimalPair(
        "gender",
        word,
        (f"She is a good {word}.", f"He is a good {word}."),
        (f"ist eine gute {she}.", f"ist ein guter {he}."),
    )


def _ambiguous(word: str, sources: tuple[str, str], translations: tuple[str, str]) -> MinimalPair:
    return MinimalPair("ambiguous word", word, sources, translations)


def _written(word: str, she: str, he: str) -> MinimalPair:
    """The source leaves open who it is; the article that is written already tells."""
    source = f"The {word} laughed."
    return MinimalPair("written before", word, (source, source), (f"Der {she} lachte.", f"Der {he} lachte."), "Die")


PAIRS = (
    _good("cousin", "Cousine", "Cousin"),
    _good("singer", "Sängerin", "Sänger"),
    _good("neighbor", "Nachbarin", "Nachbar"),
    _good("teacher", "Lehrerin", "Lehrer"),
    _good("student", "Studentin", "Student"),
    _good("doctor", "Ärztin", "Arzt"),
    _ambiguous("light", ("The bag is light.", "The room is light."), ("ist leicht.", "ist hell.")),
    _ambiguous(
        "stopped", ("The clock has stopped.", "The rain has stopped."), ("ist stehengeblieben.", "hat aufgehört.")
    ),
    _ambiguous(
        "match",
        ("They watched the match.", "They lit the match."),
        ("Sie haben das Spiel", "Sie haben das Streichholz"),
    ),
    _ambiguous("bat", ("The bat flew away.", "The bat broke in two."), ("Die Fledermaus", "Der Schläger")),
    _ambiguous("bank", ("The bank of the river is high.", "The bank of the city is big."), ("Das Ufer", "Die Bank")),
    _written("student", "Studentin", "Student"),
    _written("teacher", "Lehrerin", "Lehrer"),
)
"""No translation of a person says she or he: what is compared is the noun, and the words that agree with it."""


def fits(card: Card) -> bool:
    """Whether the pairs are of a model's languages."""
    return tuple(card.languages) == LANGUAGES


def told_apart(translator: Translator) -> list[MinimalPair]:
    """The pairs of which the model finds the right translation more probable in either run; none for a model of other
    languages."""
    if not fits(translator.card):
        return []
    asked = [
        (source, target)
        for pair in PAIRS
        for source, targets in zip(pair.sources, (pair.first_translations, pair.translations), strict=True)
        for target in targets
    ]
    scored = iter(translator.score(asked))
    found = []
    for pair in PAIRS:
        right, wrong, other_wrong, other_right = (next(scored).total for _ in range(4))
        if right > wrong and other_right > other_wrong:
            found.append(pair)
    return found


def traced_pairs(translator: Translator, *, progress: Progress | None = None) -> list[TracedPair]:
    """The pairs that the model tells apart, patched: activations of the first source put into the second.

    Raises:
        Cancelled: `progress` wants it to stop.
    """
    pairs, progress = told_apart(translator), progress or Silent()
    found = []
    for done, pair in enumerate(pairs):
        progress.update(done, len(pairs))
        first, second = pair.sources
        others = pair.first_translations if pair.prefix else None
        traced = patching(translator, second, first, pair.translations, other_translations=others)
        found.append(TracedPair(pair, traced))
    progress.update(len(pairs), len(pairs))
    return found
