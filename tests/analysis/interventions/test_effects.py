import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import found_pair, sentence_pair
from headscope.analysis.interventions.effects import PARTS, effect, what_if
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.difference import difference
from headscope.analysis.records.heads import Head, all_heads
from headscope.model.network.probe import Probe
from headscope.model.progress import Cancelled
from headscope.model.search.settings import SearchSettings


def test_change_of_every_token_and_of_all(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "d e")
    found = effect(translator, pair, Zeroed(translator.model.config, [Head("cross", 2, 0)]))
    (scored,) = translator.score([("a b c", "d e")])
    assert found.before.tolist() == pytest.approx(scored.log_probs, abs=1e-9)
    np.testing.assert_allclose(found.change, found.after - found.before)
    assert abs(found.change).min() > 1e-6
    assert found.total == pytest.approx(found.after.sum() - scored.total, abs=1e-9)
    table = found.to_pandas()
    assert table.token.tolist() == ["d", "e", "</s>"]
    assert table.change.sum() == pytest.approx(found.total)


def test_a_probe_that_does_nothing_has_no_effect(exact):
    translator = exact()
    found = effect(translator, sentence_pair(translator, "a b c", "d e"), Probe())
    assert not found.change.any()


def test_new_translation_and_what_becomes_of_the_old_one(translator):
    text = "How much does a ticket cost?"
    settings = SearchSettings(beam=2, extra_length=25)
    cross = [head for head in all_heads(translator.model.config) if head.kind == "cross"]
    found = what_if(translator, text, Zeroed(translator.model.config, cross), settings=settings)
    (plain,) = translator.translate([text], settings=settings)
    assert found.before == plain
    assert found.before.text == "Wie viel kostet eine Fahrkarte an die Küste?"
    assert found.after.text != found.before.text
    assert found.effect.before.sum() == pytest.approx(plain.hypotheses[0].total, abs=1e-4)
    assert found.effect.total < -1


def test_attention_of_the_first_translation_without_and_with_the_probe(translator):
    text, probe = "How much does a ticket cost?", Zeroed(translator.model.config, [Head("cross", 1, 0)])
    found = what_if(translator, text, probe)
    pair = found_pair(found.before)
    for maps, given in ((found.maps_before, None), (found.maps_after, probe)):
        alone = record(translator, pair, probe=given)
        assert maps.fingerprint == alone.fingerprint
        np.testing.assert_array_equal(maps.cross[2], alone.cross[2])
    np.testing.assert_array_equal(found.effect.change, found.maps_after.log_probs - found.maps_before.log_probs)


def test_attention_changes_behind_the_head_alone(translator):
    probe = Zeroed(translator.model.config, [Head("decoder", 1, 0)])
    found = what_if(translator, "How much does a ticket cost?", probe)
    maps = difference(found.maps_after, found.maps_before)
    changed = {kind: [bool(layer.any()) for layer in maps.layers(kind)] for kind in maps.maps}
    assert changed == {"encoder": [False, False], "decoder": [False, False, True], "cross": [False, True, True]}


class Watcher:
    """Counts what it is told, and cancels when it has heard enough."""

    def __init__(self, enough: int | None = None) -> None:
        self.told: list[tuple[int, int | None]] = []
        self._enough = enough

    def update(self, done: int, total: int | None) -> None:
        self.told.append((done, total))
        if len(self.told) == self._enough:
            raise Cancelled


def test_every_step_of_both_searches_is_reported_and_changes_nothing(translator):
    text, probe = "How much does a ticket cost?", Zeroed(translator.model.config, [Head("cross", 0, 0)])
    watcher = Watcher()
    found = what_if(translator, text, probe, progress=watcher)
    plain = what_if(translator, text, probe)
    assert (found.before, found.after) == (plain.before, plain.after)
    done = [done for done, _ in watcher.told]
    assert done == sorted(done)
    assert watcher.told[-1] == (PARTS, PARTS)
    assert min(done.count(0), done.count(1)) >= len(plain.before.hypotheses[0].pieces)


@pytest.mark.parametrize("enough", [1, 30])
def test_either_search_can_be_stopped(translator, enough):
    watcher = Watcher(enough)
    with pytest.raises(Cancelled):
        what_if(translator, "How much does a ticket cost?", Probe(), progress=watcher)
    assert len(watcher.told) == enough
