from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from headscope.analysis.attribution.by_head import attention_by_head
from headscope.analysis.attribution.importance import gradient_importance, removal_importance
from headscope.analysis.attribution.registry import explained
from headscope.analysis.attribution.values.entropy import ENTROPY
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_removal_and_gradient_are_those_of_importance(exact, norm):
    translator = exact(norm=norm)
    pair = sentence_pair(translator, "a b c d", "e f")
    found = attention_by_head(translator, pair)
    removed, (gates,) = removal_importance(translator, pair), gradient_importance(translator, [pair])
    assert found.heads == removed.heads == gates.heads
    np.testing.assert_allclose(found.removal, -removed.by_token, atol=1e-9)
    # Over all weights of a head, weight times gradient is the slope of a gate on its output.
    np.testing.assert_allclose(found.attention_x_gradient.sum(-1), gates.change, atol=1e-9)


def test_batches_make_no_difference_and_it_can_be_cancelled(exact, monkeypatch):
    class Stop:
        def update(self, done: int, total: int | None) -> None:
            if (done, total) == (2, 20):
                raise Cancelled

    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    whole = attention_by_head(translator, pair)
    monkeypatch.setattr("headscope.analysis.attribution.by_head.batch_rows", lambda _: 2)
    apart = attention_by_head(translator, pair)
    np.testing.assert_allclose(apart.removal, whole.removal, atol=1e-9)
    with pytest.raises(Cancelled):
        attention_by_head(translator, pair, progress=Stop())


def test_a_contrast_is_the_difference_of_two(exact):
    translator = exact()
    pair, other = (sentence_pair(translator, "a b c d", text) for text in ("e f", "e a"))
    found = attention_by_head(translator, pair, explained=explained(translator, pair, "contrast", text="a"))
    this, that = (attention_by_head(translator, of) for of in (pair, other))
    for name in ("attention_x_gradient", "removal"):
        due = getattr(this, name)[:, 1] - getattr(that, name)[:, 1]
        np.testing.assert_allclose(getattr(found, name)[:, 1], due, atol=1e-9)
    phrase = attention_by_head(translator, pair, explained=explained(translator, pair, "phrase contrast", text="e a"))
    due = this.removal[:, 1:].sum(1) - that.removal[:, 1:].sum(1)
    np.testing.assert_allclose(phrase.removal[:, 0], due, atol=1e-9)


def test_heads_of_two_checkpoints_are_not_subtracted(exact):
    one, two = exact(), exact(norm="pre")
    pair = sentence_pair(one, "a b", "e")
    with pytest.raises(HeadscopeError, match="no heads in common"):
        attention_by_head(one, pair, explained=explained(one, pair, "checkpoint difference", other=two))


def test_as_numbers_for_a_wall_and_as_a_table(exact):
    translator = exact()
    found = attention_by_head(translator, sentence_pair(translator, "a b c d", "e f"), explained=ENTROPY)
    numbers = found.of(1)
    assert tuple(numbers) == found.heads
    assert numbers[found.heads[7]] == (found.attention_x_gradient[7, 1], found.removal[7, 1])
    table = found.to_pandas()
    assert len(table) == 20 * 3
    assert table[(table.kind == "cross") & (table.layer == 2) & (table["head"] == 1)].removal.tolist() == [
        *found.removal[-1]
    ]


def test_threads_keep_apart(exact):
    translator = exact()
    pairs = [sentence_pair(translator, text, "e f") for text in ("a b", "b c d", "d", "a b c d e")]
    alone = [attention_by_head(translator, pair).attention_x_gradient for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: attention_by_head(translator, pair).attention_x_gradient, pairs))
    for found, due in zip(together, alone, strict=True):
        np.testing.assert_array_equal(found, due)
