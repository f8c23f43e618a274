"""What is said of an example: what its numbers show, and no more."""

import pytest

from headscope.analysis.gallery.questions import QUESTIONS
from headscope.analysis.gallery.wording import ELSEWHERE, NEVER, supported, wording
from headscope.analysis.records.heads import Head
from tests.analysis.gallery.galleries import ALSO, a_number, a_sentence, an_example


def untied(text: str) -> str:
    """With plain blanks."""
    return text.replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("question", "value", "half", "expected"),
    [
        ("end", 0.55, 0.04, True),
        ("end", 0.55, 0.05, False),  # the interval reaches the threshold
        ("end", 0.45, 0.01, False),
        ("previous_peak", 0.89, 0.0, False),
        ("idle", 0.05, 0.04, True),  # here less is more
        ("idle", 0.07, 0.04, False),
        ("needed", 0.35, 0.04, True),  # the control ends at 0.3
        ("needed", 0.33, 0.04, False),
    ],
)
def test_claims_need_the_whole_interval(question, value, half, expected):
    example = an_example(question, number=a_number(value, half), control=a_number(0.2, 0.1))
    assert supported(example) == expected
    asked, said = QUESTIONS[question], wording(example, "")
    assert said.title == (asked.claim if expected else asked.denial)


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("value", [0.001, 0.96])
def test_every_text_is_filled(question, value):
    said = wording(an_example(question, number=a_number(value, 0.0005), also=ALSO), "letters")
    assert len(said.finding) == 4
    texts = [said.title, said.question, *said.finding, said.basis, said.sentence, said.counter]
    assert all((text and text[0] == text[0].upper()) or text[0] in "“0123456789lm" for text in texts)
    assert not any(brace in text for text in texts for brace in "{}")
    assert "1,234 sentences" in said.basis


def test_numbers_as_they_are_said():
    example = an_example(head=Head("cross", 3, 4), number=a_number(0.6094, 0.005), control=a_number(1, 0), also=ALSO)
    said = wording(example, "parliament")
    assert untied(said.finding[0]) == (
        "Cross-attention 4.5 has 60.9 % (60.4 to 61.4) of its weight on the source's end of sentence; the other heads "
        "of its layer 100 % (100 to 100)."
    )
    assert "1,234 sentences of parliament, cross-attention 1.2 is best" in said.finding[1]
    assert said.sentence == "100\u00a0% of the weight"
    nats = wording(an_example("idle", number=a_number(0.0432, 0.01)), "").finding[0]
    assert untied(nats).startswith(
        "Without cross-attention 2.1, the log-probability of a translation changes by 0.04 nats (0.03 to 0.05)"
    )
    diagonal = an_example("diagonality", sentence=a_sentence(value=-0.042))
    assert wording(diagonal, "").sentence == "−0.04 of the way to the diagonal"


def test_sentences_of_questions_with_two_outcomes():
    said = wording(an_example("final_verb"), "")
    assert (said.sentence, said.counter) == ("largest weight on the verb", "largest weight elsewhere")
    assert wording(an_example("prefix", counter=None), "").counter == NEVER
    counter = a_sentence(value=0.0, counted=False)
    assert wording(an_example("prefix", counter=counter), "").counter == f"largest weight elsewhere ({ELSEWHERE})"
