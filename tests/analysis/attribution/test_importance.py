import numpy as np
import pytest
import torch

from headscope.analysis.attribution.importance import HeadGates, HeadImportance, gradient_importance, removal_importance
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import effect
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.heads import Head, all_heads, site_of
from headscope.model.progress import Cancelled
from headscope.model.translator import Translator


@pytest.fixture(params=["post", "pre"])
def translator(exact, request) -> Translator:
    return exact(norm=request.param)


def test_removal_is_that_of_one_head_at_a_time(translator: Translator):
    pair = sentence_pair(translator, "a b c d", "e f")
    found = removal_importance(translator, pair)
    config = translator.model.config
    alone = [effect(translator, pair, Zeroed(config, [head])).total for head in all_heads(config)]
    assert found.heads == all_heads(config)
    np.testing.assert_allclose(found.change, alone, atol=1e-9)
    assert len(set(found.change.round(9))) == len(found.heads)


def test_batches_make_no_difference_and_progress_is_told(exact):
    class Watch:
        def __init__(self, last: int) -> None:
            self.seen: list[int] = []
            self.last = last

        def update(self, done: int, total: int | None) -> None:
            self.seen.append(done)
            assert total == 20
            if done == self.last:
                raise Cancelled

    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    whole, watch = removal_importance(translator, pair), Watch(99)
    apart = removal_importance(translator, pair, batch_tokens=17, progress=watch)
    np.testing.assert_allclose(apart.change, whole.change, atol=1e-9)
    assert watch.seen == [0, 3, 6, 8, 11, 14, 17, 20]
    with pytest.raises(Cancelled):
        removal_importance(translator, pair, batch_tokens=17, progress=Watch(6))


def test_gradient_is_the_slope_of_the_log_probability(translator: Translator):
    pair = sentence_pair(translator, "a b c", "d e")
    (found,) = gradient_importance(translator, [pair])
    batch = forced_batch(translator, [pair])
    config = translator.model.config

    def total(head: Head, gate: float) -> float:
        gates = torch.ones(1, (config.encoder if head.kind == "encoder" else config.decoder).heads)
        gates[0, head.head] = gate
        probe = HeadGates({site_of(translator.model, head): gates})
        return log_probs(translator.model, batch, probe=probe).sum().item()

    slopes = [(total(head, 1 + 1e-5) - total(head, 1 - 1e-5)) / 2e-5 for head in found.heads[::3]]
    np.testing.assert_allclose(found.change[::3], slopes, atol=1e-7)
    assert found.measure == "gradient"


def test_gradients_of_a_padded_batch_are_those_alone(exact):
    translator = exact()
    pairs = [sentence_pair(translator, *texts) for texts in (("a b c d", "e"), ("f", "g h i"))]
    with torch.inference_mode():  # as a page may be in
        together = gradient_importance(translator, pairs)
    for pair, found in zip(pairs, together, strict=True):
        np.testing.assert_allclose(found.change, gradient_importance(translator, [pair])[0].change, atol=1e-9)


def test_what_becomes_of_every_token(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "c b a")
    found = removal_importance(translator, pair)
    assert found.by_token is not None
    np.testing.assert_allclose(found.by_token.sum(-1), found.change, atol=1e-12)
    for head, changes in zip(found.heads, found.by_token, strict=True):
        alone = effect(translator, pair, Zeroed(translator.model.config, [head]))
        np.testing.assert_allclose(changes, alone.change, atol=1e-9)
    assert gradient_importance(translator, [pair])[0].by_token is None


def test_model_takes_no_gradients(exact):
    translator = exact()
    gradient_importance(translator, [sentence_pair(translator, "a", "b")])
    assert all(parameter.grad is None for parameter in translator.model.parameters())


def test_each_head_among_all():
    heads = tuple(Head("encoder", 0, head) for head in range(4))
    found = HeadImportance(heads, np.array([-0.5, 0.1, 2.0, -0.5]), "removal")
    assert found.importance.tolist() == [0.5, 0.1, 2.0, 0.5]
    assert found.rank.tolist() == [2, 4, 1, 2]
    assert [head.head for head in found.ranked] == [2, 0, 3, 1]
    assert found.quantile.tolist() == [0.25, 0.0, 0.75, 0.25]
    table = found.to_pandas().sort_values("rank")
    assert table["head"].tolist() == [2, 0, 3, 1]
    assert list(table.columns) == ["kind", "layer", "head", "change", "importance", "rank", "quantile"]
