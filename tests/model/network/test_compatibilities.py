"""Kinds of attention against formulas written out number by number, and in every place where the paper's works."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from headscope.model.checkpoint import load_model, save_checkpoint
from headscope.model.config import ModelConfig, parse_config
from headscope.model.data.batching import EncodedCorpus, Sequences, make_batch
from headscope.model.errors import HeadscopeError
from headscope.model.network.attention import Compatibility, MultiHeadAttention
from headscope.model.network.compatibilities import compatibility
from headscope.model.network.masks import Mask, causal_mask, key_mask
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import ForwardContext, Links, Probe
from headscope.model.network.transformer import Transformer
from headscope.model.sites import KINDS, Site
from headscope.model.training.step import Objective
from tests.toys import letters, random_batch, tiny_config, tiny_model

pytestmark = pytest.mark.usefixtures("float64")

EVERYWHERE = ("encoder", "decoder", "cross")


def of(*kinds: str, **fields: Any) -> dict[str, Any]:
    """Changes of a configuration: some kinds of attention with other fields."""
    return {"attention": dict.fromkeys(kinds, fields)}


VARIANTS: dict[str, dict[str, Any]] = {
    "unscaled": of(*EVERYWHERE, score="unscaled"),
    "additive": of(*EVERYWHERE, score="additive"),
    "warm": of(*EVERYWHERE, temperature=2.5),
    "additive, cold": of(*EVERYWHERE, score="additive", temperature=0.5),
    "uniform cross": of("cross", pattern="uniform"),
    "uniform everywhere": of(*EVERYWHERE, pattern="uniform"),
    "positional encoder": of("encoder", pattern="positional", offsets=(-1, 0, 1)),
    "positional": of("encoder", "decoder", pattern="positional"),
    "narrow keys": {"key_size": 3},
    "wide values": {"value_size": 9},
    "neither divides": {"key_size": 3, "value_size": 5, "d_model": 18},
}


class Watch(Probe):
    """Keeps scores and weights of every site, in the order of a pass."""

    def __init__(self) -> None:
        self.scores_seen: dict[Site, Tensor] = {}
        self.weights_seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.attends

    def scores(self, site: Site, scores: Tensor) -> Tensor:
        self.scores_seen[site] = scores
        return scores

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.weights_seen[site] = weights
        return weights


def drawn(**changes: Any) -> Transformer:
    """A model in which v of additive attention is of the size of 1, so that a forgotten one would show."""
    model = tiny_model(**changes)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "compatibility" in name:
                parameter.normal_()
    return model


# Scores and weights by hand

ROWS = (2, 4, 3, 5, 6)
"""Sentences, heads, queries, keys, width."""


def scores_of(kind: str, links: Links | None = None, **fields: Any) -> tuple[Tensor, Tensor, Tensor, Compatibility]:
    batch, heads, queries, keys, width = ROWS
    config = tiny_config(d_model=24, encoder={"layers": 1, "heads": heads, "feed_forward": 8}, **of(kind, **fields))
    chosen = compatibility(config, kind, heads)
    torch.manual_seed(3)
    for parameter in chosen.parameters():
        torch.nn.init.normal_(parameter)
    wide = width if chosen.projects else 0
    query, key = torch.randn(batch, heads, queries, wide), torch.randn(batch, heads, keys, wide)
    links = links or Links(None, torch.arange(queries), torch.arange(keys))
    return query, key, chosen.scores(query, key, links, None), chosen


def test_products_number_by_number():
    for fields, divisor in (
        ({"score": "unscaled"}, 1.0),
        ({"score": "unscaled", "temperature": 0.25}, 0.25),
        ({"temperature": 3.0}, 3.0 * math.sqrt(6)),
        ({}, math.sqrt(6)),
    ):
        query, key, scores, _ = scores_of("encoder", **fields)
        by_hand = sum(float(query[1, 2, 0, i] * key[1, 2, 4, i]) for i in range(6)) / divisor
        assert float(scores[1, 2, 0, 4]) == pytest.approx(by_hand, abs=1e-12)


def test_additive_scores_number_by_number():
    query, key, scores, chosen = scores_of("cross", score="additive", temperature=2.0)
    v, scores = dict(chosen.named_parameters())["vector"].detach(), scores.detach()
    for b, h, q, k in ((0, 0, 0, 0), (1, 3, 2, 4), (0, 2, 1, 3)):
        terms = [float(v[h, i]) * math.tanh(float(query[b, h, q, i] + key[b, h, k, i])) for i in range(6)]
        assert float(scores[b, h, q, k]) == pytest.approx(sum(terms) / 2, abs=1e-12)


def test_a_bias_is_cooled_like_the_scores():
    _, _, plain, _ = scores_of("encoder", score="unscaled", temperature=4.0)
    bias = torch.randn(1, *plain.shape[1:])
    query, key, _, chosen = scores_of("encoder", score="unscaled", temperature=4.0)
    links = Links(None, torch.arange(3), torch.arange(5))
    torch.testing.assert_close(chosen.scores(query, key, links, bias), plain + bias / 4, rtol=0, atol=1e-12)


def one_hot(length: int, places: list[int]) -> Tensor:
    return torch.eye(length)[torch.tensor(places)]


def test_positional_heads_look_at_their_place_or_at_the_nearest_that_is_there():
    model = tiny_model(**of("encoder", pattern="positional", offsets=(-1, 0, 1)))
    source, present, _ = random_batch(sources=(5, 3), targets=(2, 2))
    watch = Watch()
    model.encode(model.embed("source", source), present, probe=watch)
    seen = watch.weights_seen[model.sites()[0]]
    assert seen.shape == (2, 4, 5, 5)
    before, here, after = [0, 0, 1, 2, 3], [0, 1, 2, 3, 4], [1, 2, 3, 4, 4]
    for head, places in enumerate((before, here, after, before)):  # the fourth head begins again
        assert torch.equal(seen[0, head], one_hot(5, places))
    # The shorter sentence ends at its third token; rows of padding look at the nearest that is no padding.
    assert torch.equal(seen[1, 2], one_hot(5, [1, 2, 2, 2, 2]))


def test_uniform_weights_are_the_mean_over_what_may_be_seen():
    model = tiny_model(**of("decoder", "cross", pattern="uniform"))
    source, present, target = random_batch(sources=(5, 3), targets=(4, 4))
    watch = Watch()
    model(source, present, target, probe=watch)
    for site, seen in watch.weights_seen.items():
        if site.kind == "cross":
            torch.testing.assert_close(seen[1, 0, 2], torch.tensor([1 / 3, 1 / 3, 1 / 3, 0, 0]), rtol=0, atol=1e-15)
        if site.kind == "decoder":
            torch.testing.assert_close(seen[0, 1, 1], torch.tensor([0.5, 0.5, 0, 0]), rtol=0, atol=1e-15)


def test_a_row_of_padding_alone_gets_nothing():
    for fields in ({"pattern": "uniform"}, {"score": "additive"}, {"score": "unscaled"}):
        query, key, _, chosen = scores_of("cross", **fields)
        mask = key_mask(torch.tensor([[True] * 5, [False] * 5]))
        links, value = Links(mask, torch.arange(3), torch.arange(5)), torch.randn(2, 4, 5, 7)
        context = chosen.attend(query, (key, value), links, None, 0.0)
        assert context.shape == (2, 4, 3, 7)
        assert bool((context[1] == 0).all())
        assert bool(context.isfinite().all())


# The whole of a model


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_a_probe_sees_what_the_model_does(changes):
    model = drawn(**changes)
    source, present, target = random_batch()
    watch = Watch()
    probed = model(source, present, target, probe=watch)
    torch.testing.assert_close(probed, model(source, present, target), rtol=0, atol=1e-10)
    assert set(watch.scores_seen) == {site for site in model.sites() if site.attends}
    for site, weights in watch.weights_seen.items():
        scores = watch.scores_seen[site]
        mask = key_mask(present) if site.keys == "source" else causal_mask(6, 6, torch.device("cpu"))
        by_hand = scores.masked_fill(~mask.allowed, -math.inf).softmax(-1)
        torch.testing.assert_close(weights, by_hand, rtol=0, atol=1e-12)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_every_step_equals_the_whole_pass(changes):
    model = drawn(**changes)
    source, present, target = random_batch(targets=(6, 6, 6))
    memory = model.encode(model.embed("source", source), present)
    full = model.project(model.decode(model.embed("target", target), memory))
    cache = model.start(memory)
    for t in range(6):
        torch.testing.assert_close(model.step(target[:, t], cache), full[:, t], rtol=0, atol=1e-9)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_several_rows_a_sentence_and_batches_change_nothing(changes):
    model = drawn(**changes)
    source, present, target = random_batch(targets=(4, 4, 4))
    rows = target.repeat_interleave(2, 0)
    shared = model(source, present, rows)
    for row, length in enumerate(present.sum(1).tolist()):
        alone = model(source[row : row + 1, :length], present[row : row + 1, :length], target[row : row + 1])
        torch.testing.assert_close(shared[2 * row], alone[0], rtol=0, atol=1e-9)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_every_parameter_learns_and_gradients_are_those_of_finite_differences(changes):
    model = drawn(**changes).train()
    for module in model.modules():
        if hasattr(module, "dropout") and isinstance(module.dropout, float):
            module.dropout = 0.0
    source, present, target = random_batch(seed=5)

    def loss() -> Tensor:
        model.embedding_dropout.eval()
        return model(source, present, target).log_softmax(-1)[..., 4].sum()

    loss().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        if not name.endswith("key.bias"):  # which the softmax does not see where scores are products
            assert bool(parameter.grad.abs().sum() > 0), name
    name, parameter = next(
        (name, p) for name, p in model.named_parameters() if "compatibility" in name or "attention.value.weight" in name
    )
    with torch.no_grad():
        step = 1e-6
        parameter.view(-1)[1] += step
        above = loss()
        parameter.view(-1)[1] -= 2 * step
        below = loss()
    assert float(parameter.grad.view(-1)[1]) == pytest.approx(float(above - below) / (2 * step), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_saved_and_loaded(changes, tmp_path):
    size = letters().size("source")
    model = drawn(**changes | {"source_vocabulary": size, "target_vocabulary": size})
    save_checkpoint(tmp_path / "m", model, letters(), ("ab", "ba"), dtype=torch.float64)
    loaded = load_model(tmp_path / "m", model.config, torch.device("cpu"))
    source, present, target = random_batch()
    torch.testing.assert_close(loaded(source, present, target), model(source, present, target), rtol=0, atol=1e-5)


def test_attention_without_queries_has_no_parameters_for_them():
    names = {name for name, _ in tiny_model(**of("cross", pattern="uniform")).named_parameters()}
    assert not any(".cross.query" in name or ".cross.key" in name for name in names)
    assert any(".cross.value" in name for name in names)
    assert any(".attention.query" in name for name in names)


# No causal mask


def test_without_a_causal_mask_rows_see_what_comes_and_no_padding():
    model = tiny_model(attention={"causal": False})
    assert not any(site.causal for site in model.sites())
    source, present, target = random_batch(targets=(4, 6, 2))
    written = torch.arange(6)[None] < torch.tensor([4, 6, 2])[:, None]
    watch = Watch()
    logits = model(source, present, target, written=written, probe=watch)
    seen = next(weights for site, weights in watch.weights_seen.items() if site.kind == "decoder")
    assert bool((seen[0, :, 0, 1:4] > 0).all())
    assert bool((seen[0, :, :, 4:] == 0).all())
    alone = model(source[:1, :5], present[:1, :5], target[:1, :4])
    torch.testing.assert_close(logits[0, :4], alone[0], rtol=0, atol=1e-9)
    other = target.clone()
    other[0, 3] = (other[0, 3] + 1) % 12
    assert not torch.allclose(model(source, present, other, written=written)[0, 0], logits[0, 0])


def test_the_trainers_loss_does_not_depend_on_padding():
    model = tiny_model(attention={"causal": False})
    sides = Sequences.of([[4, 5, 6, 7], [5, 6]]), Sequences.of([[7, 8], [9, 4, 5, 6, 6, 7]])
    corpus, objective = EncodedCorpus(*sides, pad=0, start=2, end=3), Objective(model, smoothing=0.1)
    both = objective(make_batch(corpus, [0, 1])).nll
    apart = sum(objective(make_batch(corpus, [row])).nll for row in (0, 1))
    torch.testing.assert_close(both, apart, rtol=0, atol=1e-9)


# The paper's attention is what it was


def test_the_default_is_the_plain_compatibility_and_bitwise_the_old_arithmetic():
    model = tiny_model()
    for site in model.sites():
        if site.attends:
            attention, _ = model.attention(site)
            assert type(attention.compatibility) is Compatibility
    for kind in KINDS:
        assert type(compatibility(tiny_config(), kind, 4)) is Compatibility
    torch.manual_seed(1)
    plain = MultiHeadAttention(12, site=Site("encoder", 0, 3, "source", "source", causal=False), bias=True, dropout=0.0)
    assert {name for name, _ in plain.named_parameters()} == {
        f"{part}.{what}" for part in ("query", "key", "value", "output") for what in ("weight", "bias")
    }
    x, places = torch.randn(2, 5, 12), torch.arange(5)
    mask = Mask.of(torch.ones(1, 1, 5, 5, dtype=torch.bool).tril())
    forward = ForwardContext({"encoder": Links(mask, places, places)}, PositionScheme())
    found = plain(plain.queries(x, PositionScheme(), places), plain.keys_values(x, PositionScheme(), places), forward)
    query, key, value = (
        linear(x).unflatten(-1, (3, 4)).transpose(1, 2) for linear in (plain.query, plain.key, plain.value)
    )
    context = torch.nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=mask.allowed)
    assert torch.equal(found, plain.output(context.transpose(1, 2).flatten(2)))


def test_sizes_written_out_are_the_default(float64):
    plain, said = tiny_model(), tiny_model(encoder={"layers": 2, "heads": 4, "feed_forward": 24})
    source, present, target = random_batch()
    assert torch.equal(plain(source, present, target), said(source, present, target))


# Configurations


def fields(**changes: Any) -> dict[str, Any]:
    return tiny_config().model_dump() | changes


def test_a_configuration_from_before_has_the_papers_attention():
    old = {key: value for key, value in fields().items() if key not in {"attention", "key_size", "value_size"}}
    assert parse_config(old) == tiny_config()


@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_a_configuration_survives_json(changes):
    config = tiny_config(**changes)
    assert ModelConfig.model_validate_json(config.model_dump_json()) == config


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (of("cross", pattern="positional"), "no distances between two sentences"),
        (of("decoder", pattern="positional", offsets=(0, 1)), "take 0 or less"),
        (of("encoder", pattern="uniform", score="additive"), "no scores that"),
        (of("encoder", pattern="uniform", temperature=2.0), "no scores that"),
        (of("encoder", temperature=0.0), "greater than 0"),
        (of("encoder", score="additive") | {"positions": "rotary"}, "enter the scaled dot product"),
        (of("decoder", pattern="uniform") | {"positions": "alibi"}, "enter the scaled dot product"),
        ({"d_model": 18, "key_size": 3}, "does not divide d_model"),
        ({"positions": "rotary", "key_size": 3}, "heads of odd width"),
    ],
    ids=str,
)
def test_what_does_not_fit_together_is_said(changes, said):
    with pytest.raises(HeadscopeError, match=said):
        tiny_config(**changes)


def test_other_scores_and_distances_go_together_in_cross_attention():
    model = tiny_model(positions="rotary", **of("cross", score="additive"))
    source, present, target = random_batch()
    assert bool(model(source, present, target).isfinite().all())
