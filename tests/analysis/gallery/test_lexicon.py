"""Lists of words, and sentences of our own."""

import re

from headscope.analysis.gallery.lexicon import PREFIXES, VERBS, references


def test_twins_of_it_are_balanced():
    every = list(references())
    assert len({reference.text for reference in every}) == len(every) >= 200
    for first, second in zip(every[::2], every[1::2], strict=True):
        assert (first.right, first.wrong, first.frame) == (second.wrong, second.right, second.frame)
        assert first.text.partition(" it ")[0] == second.text.partition(" it ")[0]
        assert [word for word in re.findall(r"\w+", first.text) if word == "it"] == ["it"]


def test_lists_are_in_order():
    forms = [form for english in VERBS for form in english]
    assert len(forms) == len(set(forms))
    assert all(stem.islower() for stems in PREFIXES.values() for stem in stems)


def test_sentences_are_spelt_out():
    found = list(references())
    first, second = found[:2]
    assert first.text == "The dog ate the cake because it was hungry."
    assert (first.right, first.wrong, first.frame) == ("dog", "cake", 0)
    assert (second.text, second.right) == ("The dog ate the cake because it was sweet.", "cake")
    assert {reference.frame for reference in found} == set(range(8))


def test_every_form_has_its_translations():
    assert VERBS["see", "saw", "seen"] == ("sehen", "gesehen")
    assert all(forms and translations for forms, translations in VERBS.items())
