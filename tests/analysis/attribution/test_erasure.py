import pytest
import torch

from headscope.analysis.attribution.erasure import OPERATORS, KeysClosed, by_mask, one_by_one, without
from headscope.analysis.attribution.values.log_probability import LOG_PROB
from headscope.analysis.attribution.values.translation import TRANSLATION
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair
from tests.analysis.attribution.sums import ask

pytestmark = pytest.mark.usefixtures("float64")


@pytest.fixture
def asked(exact):
    translator = exact()
    return ask(translator, sentence_pair(translator, "a b c d", "e f"), LOG_PROB)


def sets(asked, *, source=(), target=()):
    """One set of tokens that are taken away."""
    gone = tuple(torch.zeros(1, len(side), dtype=torch.bool) for side in (asked.inputs.source, asked.inputs.target))
    for side, places in zip(gone, (source, target), strict=True):
        side[0, list(places)] = True
    return gone


def test_nobody_looks_at_a_closed_key(asked):
    maps = record(asked.translator, asked.pair, probe=KeysClosed(*sets(asked, source=[1], target=[1])))
    for layer in maps.cross:
        assert not layer[..., 1].any()
        torch.testing.assert_close(torch.tensor(layer.sum(-1)), torch.ones(layer.shape[:2]), rtol=0, atol=1e-9)
    for kind, others in (("encoder", [0, 2, 3, 4]), ("decoder", [0, 2])):
        for layer in maps.layers(kind):
            assert not layer[:, others, 1].any()
            assert (layer[:, 1, 1] > 0).all()


def test_without_any_key_attention_puts_out_nothing(asked):
    maps = record(asked.translator, asked.pair, probe=KeysClosed(*sets(asked, source=range(5))))
    assert not any(layer.any() for layer in maps.cross)
    assert all((layer.diagonal(axis1=1, axis2=2) == 1).all() for layer in maps.encoder)


def test_sets_in_one_batch_are_sets_alone(asked):
    both = [sets(asked, source=[0, 2], target=[1]), sets(asked, target=[0, 2])]
    together = tuple(torch.cat(parts) for parts in zip(*both, strict=True))
    for operator in OPERATORS:
        states = without(asked, operator)
        found = states(together)
        for row, alone in enumerate(both):
            torch.testing.assert_close(found[row], states(alone)[0], rtol=0, atol=1e-9)
            early = states((alone[0], alone[1][:, :2]))
            torch.testing.assert_close(found[row, :2], early[0], rtol=0, atol=1e-9)


def test_all_tokens_taken_away_leave_the_baseline(asked):
    source, target = asked.base()
    found = without(asked, "zero")(sets(asked, source=range(5), target=range(3)))
    torch.testing.assert_close(found, asked.inputs.states(source[None], target[None]), rtol=0, atol=1e-12)
    whole = asked.inputs.states(asked.inputs.source[None], asked.inputs.target[None])
    for operator in OPERATORS:
        torch.testing.assert_close(without(asked, operator)(sets(asked)), whole, rtol=0, atol=1e-9)


def test_the_whole_translation_loses_what_its_rows_lose(asked):
    by_row = one_by_one(asked, by_mask(asked.inputs))
    whole = ask(asked.translator, asked.pair, TRANSLATION)
    found = one_by_one(whole, by_mask(whole.inputs))
    torch.testing.assert_close(found.from_source[0], by_row.from_source.sum(0), rtol=0, atol=1e-9)
    torch.testing.assert_close(found.from_target[0], by_row.from_target.sum(0), rtol=0, atol=1e-9)
