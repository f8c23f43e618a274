"""Translations of one sentence by several models, one below the other, with what each model thinks of each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headscope.analysis.records.labels import direction, visible
from headscope.app.wire.encoding import number

if TYPE_CHECKING:
    from headscope.analysis.comparison.translations import ComparedTranslations

LETTERS = "ABCD"
"""What the sides are called, in the order in which they stand."""


@dataclass(frozen=True, slots=True)
class VersionWord:
    """A word of a translation."""

    text: str
    space: bool
    """Whether a blank stands before it."""
    differs: bool


@dataclass(frozen=True, slots=True)
class Version:
    """One translation."""

    letter: str
    name: str
    """Of the model that has found it."""
    words: tuple[VersionWord, ...]
    cut_off: bool
    log_probs: tuple[str, ...]
    """Under each of the models, in nats."""


@dataclass(frozen=True, slots=True)
class Versions:
    """What the component gets."""

    versions: tuple[Version, ...]
    direction: str
    """Of the text: ltr or rtl."""
    facts: str


def versions(found: "ComparedTranslations") -> Versions:
    """All translations."""
    parts = zip(LETTERS, found.names, found.texts, found.words, found.finished, found.log_probs, strict=False)
    return Versions(
        versions=tuple(
            Version(
                letter,
                name,
                tuple(
                    VersionWord(visible(word.text), bool(text[:start].rstrip() != text[:start]), word.differs)
                    for word in words
                    for start in [word.span[0]]
                ),
                not finished,
                tuple(number(float(value)) for value in values),
            )
            for letter, name, text, words, finished, values in parts
        ),
        direction=direction(found.texts[0]),
        facts=_facts(found),
    )


def _facts(found: "ComparedTranslations") -> str:
    """Which translations are the same, and which model would rather have had another one's."""
    count = len(found.names)
    different = len(set(found.texts))
    said = (
        "All find the same translation."
        if different == 1
        else f"{different} different translations; words without a counterpart in A are marked, and in A those that "
        "another one lacks."
    )
    for column in range(count):
        best = int(found.log_probs[:, column].argmax())
        gain = float(found.log_probs[best, column] - found.log_probs[column, column])
        if found.texts[best] != found.texts[column] and gain > 0:
            said += (
                f" {LETTERS[column]} holds {LETTERS[best]}'s translation for more probable than its own, by "
                f"{number(gain)} nats: its search has not found it, or prefers another length."
            )
    return said
