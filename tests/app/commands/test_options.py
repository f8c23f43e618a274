"""Options that commands share."""

import pytest

from headscope.app.commands.options import BatchOptions, SearchOptions, WordOptions, load
from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import ALPHAS
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import BATCH_TOKENS
from tests.toys import SENTENCES


def test_what_is_not_given_is_the_checkpoints_own(checkpoint):
    assert SearchOptions().settings(checkpoint) == SearchSettings()
    given = SearchOptions(beam=7, length_penalty=-10.0, length_penalty_kind="power")
    expected = SearchSettings(beam=7, penalty=LengthPenalty(-10.0, "power"), n_best=2, longest=5, extra_length=5)
    assert given.settings(checkpoint, n_best=2, longest=5) == expected
    words = WordOptions(must_contain=["a", "b c", "a"], must_not_contain=["d"])
    asked = SearchOptions().settings(checkpoint, words=words)
    assert asked == SearchSettings(must_contain=("a", "b c"), must_not_contain=("d",))
    with pytest.raises(HeadscopeError, match="atlantis"):
        SearchOptions().settings("atlantis")


@pytest.mark.parametrize("alpha", [ALPHAS[0] - 0.5, ALPHAS[1] + 0.5])
def test_a_penalty_out_of_range_is_named(checkpoint, alpha):
    with pytest.raises(HeadscopeError, match=f"length penalty {alpha:g}: .* between -10 and 10"):
        SearchOptions(length_penalty=alpha).settings(checkpoint)


def test_defaults_are_those_of_the_functions():
    assert BatchOptions().batch_tokens == BATCH_TOKENS


def test_a_translator_of_text_or_pieces(checkpoint):
    source, target = SENTENCES[3]
    text = load(checkpoint, "cpu")
    assert text.translate([source])[0].text == target
    pieces = " ".join(text.source(source).pieces)
    found = load(checkpoint, "cpu", pieces=True).translate([pieces])[0]
    assert found.source.ids == text.source(source).ids
