import numpy as np
import pytest
import torch

from headscope.analysis.attribution.attribute import asked_of, attribute
from headscope.analysis.attribution.erasure import without
from headscope.analysis.attribution.faithfulness import SHARES, curves, faithfulness, scores_of
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.logit import LOGIT
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from tests.analysis.attribution.sums import ask, ask_of, of_sums, sums

pytestmark = pytest.mark.usefixtures("float64")


def by_hand(asked, operator, scores, side, row):
    """One row's curves, a set of tokens at a time: lost without the first tokens, and with them alone."""
    states, inputs = without(asked, operator), asked.inputs
    length = len(inputs.source) if side == "source" else row + 1
    order = np.argsort(-scores[row, :length], kind="stable")

    def value(tokens) -> float:
        gone = [torch.zeros(1, len(part), dtype=torch.bool) for part in (inputs.source, inputs.target)]
        gone[side == "target"][0, list(tokens)] = True
        with torch.no_grad():
            return LOG_PROB.of(inputs, states((gone[0], gone[1])), range(row, row + 1)).item()

    counts = [int(np.ceil(share * length - 1e-9)) for share in SHARES]
    whole = value([])
    return [whole - value(order[:count]) for count in counts], [whole - value(order[count:]) for count in counts]


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("operator", ["mask", "unknown"])
def test_curves_are_those_of_one_set_at_a_time(exact, side, operator, monkeypatch):
    monkeypatch.setattr("headscope.analysis.attribution.gradients.BATCH_TOKENS", 50)
    translator = exact()
    asked = ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)
    scores = np.random.default_rng(0).normal(size=(3, 5 if side == "source" else 3))
    found = curves(asked, {"some": scores}, side=side, operator=operator, orders=2)
    due = [by_hand(asked, operator, scores, side, row) for row in range(3)]
    np.testing.assert_allclose(np.stack([found.without[0], found.alone[0]]), np.mean(due, axis=0), atol=1e-9)
    # A random order, made again as it was drawn.
    random = np.random.default_rng(0)
    drawn = [random.permutation(5)] * 3 if side == "source" else [random.permutation(row + 1) for row in range(3)]
    ranks = np.zeros_like(scores)
    for row, order in enumerate(drawn):
        ranks[row, order] = -np.arange(len(order))
    due = [by_hand(asked, operator, ranks, side, row) for row in range(3)]
    np.testing.assert_allclose(
        np.stack([found.random_without[0], found.random_alone[0]]), np.mean(due, axis=0), atol=1e-9
    )


def test_in_a_sum_the_true_order_is_the_best_there_is(monkeypatch):
    # Of a sum the logit loses what the tokens give, so no order loses more than theirs, and its reverse loses least.
    given = sums(source=7)
    asked = ask_of(given, LOGIT)
    monkeypatch.setattr(
        "headscope.analysis.attribution.erasure.baseline",
        lambda *_: (torch.zeros_like(given.source), torch.zeros_like(given.target)),
    )
    true = of_sums(given)[0].numpy()
    found = curves(asked, {"true": true, "reversed": -true}, operator="zero", orders=50)
    assert found.beaten[0].tolist() == [1, 1]
    assert found.beaten[1].tolist() == [0, 0]
    assert (found.gains[0] > 0).all()
    np.testing.assert_allclose(found.gains[0], -found.gains[1], rtol=0.3)
    largest = -np.sort(-true, axis=1)
    due = [largest[:, : int(np.ceil(share * 7 - 1e-9))].sum(1).mean() for share in SHARES]
    np.testing.assert_allclose(found.without[0], due, atol=1e-9)
    assert found.comprehensiveness[0] == pytest.approx(np.mean(due))


def test_random_scores_do_not_beat_random_orders(exact):
    translator = exact()
    asked = ask(translator, sentence_pair(translator, "a b c d e f", "e f g"), LOG_PROB)
    random = np.random.default_rng(5)
    found = curves(asked, {str(index): random.normal(size=(4, 7)) for index in range(60)}, orders=60)
    assert abs(found.beaten[:, 0].mean() - 0.5) < 0.15
    spread = found.random_without.mean(-1).std()
    assert abs(found.gains[:, 0].mean()) < spread


def test_of_methods(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    found = faithfulness(translator, pair, ["occlusion", "saliency"], base="unknown", operator="unknown")
    scores = {name: scores_of(attribute(translator, pair, name, base="unknown"), "source") for name in found.methods}
    again = curves(asked_of(translator, pair, LOG_PROB), scores, operator="unknown")
    np.testing.assert_allclose(found.without, again.without, atol=1e-12)
    assert found.random_without.shape == (20, 8)
    # All tokens taken away, or none: the order is all one.
    assert np.ptp(np.concatenate([found.without, found.random_without])[:, -1]) < 1e-9
    assert np.abs(np.concatenate([found.alone, found.random_alone])[:, -1]).max() < 1e-9
    assert len(found.to_pandas()) == 22 * 8


def test_scores_keep_the_sign_where_it_means_something(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f")
    signed, unsigned = (attribute(translator, pair, name) for name in ("input x gradient", "saliency"))
    assert (scores_of(signed, "source") < 0).any()
    np.testing.assert_array_equal(scores_of(unsigned, "target"), unsigned.reduced("norm")[1])


def test_no_method_is_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match="no method is chosen"):
        faithfulness(translator, sentence_pair(translator, "a", "b"), [])
