"""Ways to take heads away by name."""

import pytest

from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import effect
from headscope.analysis.interventions.heads import (
    MeanReplaced,
    Resampled,
    UniformAttention,
    Zeroed,
    contexts,
    mean_contexts,
)
from headscope.analysis.interventions.instead import INSTEAD
from headscope.analysis.interventions.removal import removal
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES


def test_each_way_is_the_probe_of_its_name(translator):
    heads, config = [Head("cross", 1, 0), Head("encoder", 0, 1)], translator.model.config
    pairs = [sentence_pair(translator, *each) for each in SENTENCES[:3]]
    asked = sentence_pair(translator, *SENTENCES[3])
    expected = {
        "zero": Zeroed(config, heads),
        "uniform": UniformAttention(config, heads),
        "mean": MeanReplaced(config, heads, mean_contexts(translator, pairs)),
        "resampled": Resampled(config, heads, contexts(translator, pairs[0])),
    }
    assert {*expected} == {*INSTEAD}
    totals = []
    for instead, probe in expected.items():
        made = removal(translator, heads, instead, pairs=pairs)
        assert made.describe() == probe.describe()
        totals.append(effect(translator, asked, made).total)
        assert totals[-1] == effect(translator, asked, probe).total
    assert len({*totals}) == len(totals)


@pytest.mark.parametrize("instead", ["mean", "resampled"])
def test_without_other_sentences_it_is_refused(translator, instead):
    with pytest.raises(HeadscopeError, match="no other sentences"):
        removal(translator, [Head("cross", 0, 0)], instead)
