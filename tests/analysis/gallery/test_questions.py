"""The questions of the gallery."""

import re

import pytest

from headscope.analysis.gallery.questions import QUESTIONS
from headscope.analysis.measures.head_measures import MEASURES


def test_questions_about_measures_are_about_kinds_that_have_them():
    from headscope.app.view.state import measures_of

    for name in QUESTIONS.keys() & MEASURES.keys():
        assert all(name in measures_of(kind) for kind in QUESTIONS[name].kinds)


@pytest.mark.parametrize(
    ("question", "value", "control", "met"),
    [
        ("end", 0.51, 0.9, True),  # its threshold is 0.5, whatever the control has
        ("end", 0.5, 0.1, False),
        ("idle", 0.09, 0.0, True),  # here less is more, than 0.1
        ("idle", 0.1, 0.5, False),
        ("needed", 0.4, 0.3, True),  # the control alone counts
        ("needed", 0.3, 0.3, False),
    ],
)
def test_the_right_side_of_a_threshold_or_of_the_control(question, value, control, met):
    assert QUESTIONS[question].met(value, control) == met


def test_texts_have_places_for_what_is_known_alone():
    for asked in QUESTIONS.values():
        for text in (asked.finding, asked.otherwise):
            assert set(re.findall(r"{(\w*)}", text)) == {"head", "value", "control"}
        assert "{" not in asked.question + asked.claim + asked.denial + asked.note
