"""What goes to the comparison of two translations."""

from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.importance import removal_importance
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import what_if
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.heads import Head
from headscope.app.wire.compare import compare
from headscope.model.search.settings import SearchSettings
from tests.app.page_tools import SENTENCE

CROSS = [Head("cross", layer, head) for layer in range(3) for head in range(2)]


def test_changed_words_are_marked(translator):
    found = what_if(translator, SENTENCE, Zeroed(translator.model.config, CROSS))
    after = replace(found.after, targets=found.before.targets)
    same = compare(replace(found, after=after))
    assert not any(word.changed for word in [*same.before, *same.after])
    assert same.facts.endswith("The search finds it again.")


def test_what_was_cut_off_is_marked(translator):
    probe, settings = Zeroed(translator.model.config, CROSS), SearchSettings(longest=4)
    cut, whole = (what_if(translator, SENTENCE, probe, settings=each) for each in (settings, None))
    assert compare(cut).cut_off == (True, True)
    assert len(compare(cut).changes) == 4
    assert compare(replace(cut, before=whole.before)).cut_off == (False, True)


def test_bars_keep_their_scale_whatever_is_taken_away(translator):
    importance = removal_importance(translator, sentence_pair(translator, SENTENCE))
    found = [what_if(translator, SENTENCE, Zeroed(translator.model.config, heads)) for heads in (CROSS, CROSS[:1])]
    one, other = (compare(each, importance=importance) for each in found)
    assert one.most == other.most == pytest.approx(np.abs(importance.by_token).max())
    assert "longer ones end in" in one.scale
    assert f"{one.most:.3g}" in one.scale
    alone = compare(found[0])
    assert alone.most == max(abs(token.change) for token in alone.changes)
    assert alone.most == pytest.approx(abs(found[0].effect.change).max(), abs=1e-4)
    assert "the largest in sight" in alone.scale
