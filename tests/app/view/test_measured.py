"""A head's measures in a sentence beside the corpus."""

import re
from dataclasses import replace

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.head_measures import head_measures
from headscope.analysis.measures.profile import head_profile
from headscope.analysis.records.heads import Head
from headscope.app.view.measured import NO_PROFILE, rows, summary
from headscope.app.view.state import REMOVAL, measures_of
from tests.toys import SENTENCES

HEAD = Head("encoder", 1, 2)


@pytest.fixture(scope="module")
def found(translator):
    return head_measures(attention_maps(translator, SENTENCES[2][0]))


@pytest.fixture(scope="module")
def profile(translator):
    return head_profile(translator, [SENTENCES[0], SENTENCES[1], ("", "leer")])


def numbers(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"−?\d[\d.]*", text.replace("−", "-"))]


def test_every_measure_of_the_kind_with_its_place_in_the_corpus(found, profile):
    table = rows(HEAD, found, profile)
    names = [name for name in measures_of("encoder") if name != REMOVAL]
    assert len(table) == len(names)
    at = profile.heads.index(HEAD)
    for name, (_, here, corpus, span) in zip(names, table, strict=True):
        value = found.values[name][found.heads.index(HEAD)]
        low, high = profile.quantiles[name][at][[0, -1]]
        assert numbers(here) == pytest.approx([value], rel=5e-3)
        assert numbers(corpus) == pytest.approx([profile.mean[name][at], profile.deviation[name][at]], rel=5e-3)
        assert numbers(span) == pytest.approx([low, high], rel=5e-3)
        assert here.startswith("**") == (not low <= value <= high)


def test_without_a_profile_there_is_this_sentence_alone(found):
    assert {len(row) for row in rows(Head("cross", 0, 1), found, None)} == {2}


def test_over_how_much_was_measured_and_the_roles(profile):
    assert "2 sentences, 1 left out." in summary(HEAD, profile)
    for head in profile.heads:
        text = summary(head, profile)
        if profile.mean["end"][profile.heads.index(head)] >= 0.5:
            assert "rests on the end of sentence (end ≥ 0.5)" in text
        else:
            assert "end of sentence" not in text


def test_a_measure_without_a_value_has_a_dash(translator):
    one = head_measures(attention_maps(translator, "We", ""))
    cells = dict(row[:2] for row in rows(Head("cross", 0, 0), one, None))
    assert cells["Diagonality"] == "–"


def test_the_page_shows_it_beside_the_sentence_in_pieces(open_app, found, profile, monkeypatch):
    monkeypatch.setattr("headscope.analysis.measures.profile.load_profile", lambda folder: profile)
    page = open_app(kind="cross", layer="1", head="2", unit="words", special="hidden")
    table = next(text.value for text in page.markdown if "This sentence" in text.value)
    for row in rows(Head("cross", 0, 1), found, profile):
        assert f"| {' | '.join(row)} |" in table
    assert "2 sentences" in page.caption[0].value


def test_the_page_says_that_there_is_no_profile(open_app):
    assert open_app().caption[0].value == NO_PROFILE


def test_a_profile_of_other_weights_counts_for_nothing(open_app, profile, monkeypatch):
    monkeypatch.setattr(
        "headscope.analysis.measures.profile.load_profile", lambda folder: replace(profile, weights="others")
    )
    assert open_app().caption[0].value == NO_PROFILE
