"""Two sources that differ in little, and two translations that differ because of it: worked examples of patching.

The sentences are our own, of the kinds of WinoMT (Stanovsky et al. 2019: the gender of a person that only a pronoun
tells) and MuCoW (Raganato et al. 2019: a word with two translations). A model is shown by those alone that it tells
apart, and most of them it does not.
"""

from dataclasses import dataclass
from typing import Literal

from headscope.analysis.attribution.patching import Patching, patching
from headscope.model.progress import Progress, Silent
from headscope.model.translator import Translator

LANGUAGES = ("en", "de")


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """Of the first source the first translation is right, of the second the second."""

    kind: Literal["gender", "ambiguous word"]
    word: str
    """The word of the sources whose translation it is about."""
    sources: tuple[str, str]
    translations: tuple[str, str]
    """Whole, or the end of a sentence."""


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
)
"""No translation of a person says she or he: what is compared is the noun, and the words that agree with it."""


def told_apart(translator: Translator) -> list[MinimalPair]:
    """The pairs of which the model finds the right translation more probable in either source; none for a model of
    other languages."""
    if tuple(translator.card.languages) != LANGUAGES:
        return []
    asked = [(pair, source, target) for pair in PAIRS for source in pair.sources for target in pair.translations]
    scored = iter(translator.score([(source, target) for _, source, target in asked]))
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
        found.append(TracedPair(pair, patching(translator, second, first, pair.translations)))
    progress.update(len(pairs), len(pairs))
    return found
