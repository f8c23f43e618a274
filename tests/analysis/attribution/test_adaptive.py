from collections import Counter

import numpy as np
import pytest
import torch

from headscope.analysis.attribution.adaptive import ENOUGH, NODES, adaptive_gradients
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.gradients import slope_each, slopes
from headscope.analysis.attribution.methods.integrated_gradients import integrated_gradients
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.progress import Cancelled
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def test_a_straight_line_needs_no_halving():
    way = adaptive_gradients(ask_of(given := sums(), LOGIT))
    assert way.steps == 17
    for found, due in zip(way[:2], of_sums(given), strict=True):
        torch.testing.assert_close(found.sum(-1), due, rtol=0, atol=1e-9)


@pytest.mark.parametrize("base", ["zero", "unknown", "mean"])
def test_it_is_the_integral_of_many_steps(exact, base, monkeypatch):
    looked = Counter()

    def counted(inputs, explained, source, target, outputs):
        looked.update({output.start: len(source) for output in outputs})
        return slopes(inputs, explained, source, target, outputs)

    def counted_each(inputs, explained, source, target, outputs):
        looked.update(output.start for output in outputs)
        return slope_each(inputs, explained, source, target, outputs)

    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    way = adaptive_gradients(ask(translator, pair, LOG_PROB, base=base))
    fine = integrated_gradients(ask(translator, pair, LOG_PROB, base=base, steps=3000))
    assert 17 <= way.steps <= NODES
    ours, theirs = (torch.cat([each.from_source.sum(-1), each.from_target.sum(-1)], dim=1) for each in (way, fine))
    assert ((ours - theirs).abs() <= 0.05 * theirs.abs().sum(-1, keepdim=True)).all()
    monkeypatch.setattr("headscope.analysis.attribution.adaptive.slopes", counted)
    monkeypatch.setattr("headscope.analysis.attribution.adaptive.slope_each", counted_each)
    found = attribute(translator, pair, base=base)
    nodes = np.array([looked[row] for row in range(3)])
    assert nodes.max() == found.settings.steps <= NODES
    assert ((found.error <= ENOUGH) | (nodes >= NODES - 1)).all()
    assert (found.error <= np.maximum(ENOUGH, attribute(translator, pair, base=base, steps=NODES).error)).all()


def test_the_whole_translation_is_the_sum_of_its_rows(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    whole, rows = (adaptive_gradients(ask(translator, pair, of, base="unknown")) for of in (TRANSLATION, LOG_PROB))
    due = rows.from_source.sum((0, 2))
    assert ((whole.from_source[0].sum(-1) - due).abs() <= 0.03 * rows.from_source.sum(-1).abs().sum()).all()
    torch.testing.assert_close(whole.values[0], rows.values.sum(), rtol=0, atol=1e-9)


@pytest.mark.parametrize("size", [1, 2])
def test_numbers_in_several_batches_are_those_of_one(exact, size, monkeypatch):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    due = attribute(translator, pair)
    monkeypatch.setattr("headscope.analysis.attribution.adaptive.batch_rows", lambda _: size)
    found = attribute(translator, pair)
    for ours, theirs in zip(found.reduced(), due.reduced(), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
    assert found.settings == due.settings


def test_it_can_be_cancelled(exact):
    class Stop:
        def __init__(self) -> None:
            self.told = 0

        def update(self, done: int, total: int | None) -> None:
            assert total == 3
            assert 0 <= done <= 3
            self.told += 1
            if self.told == 2:
                raise Cancelled

    translator = exact()
    with pytest.raises(Cancelled):
        attribute(translator, sentence_pair(translator, "a b c d", "e f"), progress=Stop())
