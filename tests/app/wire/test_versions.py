"""Translations of several models, as they are drawn."""

import numpy as np

from headscope.analysis.comparison.translations import ComparedTranslations, Word
from headscope.app.wire.versions import versions


def found(*texts: str, log_probs: list[list[float]], finished: bool = True) -> ComparedTranslations:
    """Translations of which the second word differs."""
    words = []
    for text in texts:
        spans, start = [], 0
        for part in text.split(" "):
            spans.append((start, start + len(part)))
            start += len(part) + 1
        words.append(tuple(Word(text[a:b], (a, b), place == 1) for place, (a, b) in enumerate(spans)))
    names = tuple(f"model {number}" for number in range(len(texts)))
    return ComparedTranslations("src", names, texts, tuple(words), (finished,) * len(texts), np.array(log_probs))


def test_words_keep_their_blanks_and_marks():
    shown = versions(found("ein Hund", "ein Tier", log_probs=[[-1.0, -2.5], [-3.0, -1.5]]))
    assert [version.letter for version in shown.versions] == ["A", "B"]
    first = shown.versions[0]
    assert [(word.text, word.space, word.differs) for word in first.words] == [
        ("ein", False, False),
        ("Hund", True, True),
    ]
    assert first.log_probs == ("−1.00", "−2.50")
    assert not first.cut_off
    assert shown.facts.startswith("2 different translations")
    assert "holds" not in shown.facts


def test_punctuation_stands_at_its_word():
    glued = ComparedTranslations(
        "s",
        ("a", "b"),
        ("ja.", "ja."),
        ((Word("ja", (0, 2), False), Word(".", (2, 3), False)),) * 2,
        (True, False),
        np.zeros((2, 2)),
    )
    shown = versions(glued)
    assert [word.space for word in shown.versions[0].words] == [False, False]
    assert [version.cut_off for version in shown.versions] == [False, True]
    assert shown.facts == "All find the same translation."


def test_a_model_that_would_rather_have_another_ones_translation_is_named():
    shown = versions(found("x y", "x z", log_probs=[[-1.0, -1.2], [-3.0, -1.5]]))
    assert "B holds A's translation for more probable than its own, by 0.300 nats" in shown.facts
    assert "A holds" not in shown.facts
