"""What a probe sees and what it can change, through whole passes of the model."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from torch import Tensor

from headscope.model.network.probe import ForwardContext, Probe, Probes
from headscope.model.network.transformer import Transformer
from headscope.model.sites import Site, site_at
from tests.toys import random_batch, tiny_config, tiny_model

ENCODER, DECODER = (2, 4), (3, 2)  # layers and heads of the tiny model
SITES = tiny_config().sites()
ATTENTION = [site for site in SITES if site.attends]


def named(place: Site | str) -> str:
    return place if isinstance(place, str) else f"{place.kind} {place.layer}"


class Everything(Probe):
    """Keeps all that passes by, under (method, site or side); changes nothing unless `change` is told to."""

    def __init__(self) -> None:
        self.seen: dict[tuple, tuple[Tensor, ...]] = {}

    def wants(self, site: Site) -> bool:
        return True

    def change(self, name: str, place, value):
        return value

    def _pass(self, name: str, place, *tensors: Tensor):
        assert (name, place) not in self.seen, "called twice"
        self.seen[name, place] = tuple(tensor.detach().clone() for tensor in tensors)
        return self.change(name, place, tensors[-1])

    def projections(self, site, query, key, value):
        self._pass("projections", site, query, key, value)
        return self.change("query", site, query), self.change("key", site, key), self.change("value", site, value)

    def scores(self, site, scores):
        return self._pass("scores", site, scores)

    def weights(self, site, weights):
        return self._pass("weights", site, weights)

    def context(self, site, weights, value, context):
        return self._pass("context", site, weights, value, context)

    def residual(self, site, stream, update, normed):
        return self._pass("residual", site, stream, update, normed)

    def embedded(self, side, tokens, positions, total):
        return self._pass("embedded", side, tokens, positions, total)

    def logits(self, logits):
        return self._pass("logits", None, logits)


def capture(model: Transformer, **batch) -> dict[tuple, tuple[Tensor, ...]]:
    probe = Everything()
    model(*random_batch(**batch), probe=probe)
    return probe.seen


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_identity_changes_nothing(norm):
    model, batch = tiny_model(norm=norm), random_batch()
    plain = model(*batch)
    assert torch.equal(model(*batch, probe=Probe()), plain)  # wants nothing: the same path
    torch.testing.assert_close(model(*batch, probe=Everything()), plain, rtol=0, atol=1e-9)


def test_identity_in_float32():
    model, batch = tiny_model(), random_batch()
    plain, probed = model(*batch), model(*batch, probe=Everything())
    torch.testing.assert_close(probed.log_softmax(-1), plain.log_softmax(-1), rtol=0, atol=1e-4)


def test_every_site_is_visited_once_with_the_shapes_of_the_documentation():
    seen = capture(tiny_model())
    shapes = {place: tuple(tuple(tensor.shape) for tensor in tensors) for place, tensors in seen.items()}
    expected = {("logits", None): ((3, 6, 12),)}
    for side, length in (("source", 7), ("target", 6)):
        expected["embedded", side] = ((3, length, 16), (length, 16), (3, length, 16))
    for site in SITES:
        queries = 7 if site.kind.startswith("encoder") else 6
        expected["residual", site] = ((3, queries, 16),) * 3
    for site in ATTENTION:
        heads = ENCODER[1] if site.kind == "encoder" else DECODER[1]
        queries, keys, width = (7 if site.kind == "encoder" else 6), (6 if site.kind == "decoder" else 7), 16 // heads
        query, key, weights = (3, heads, queries, width), (3, heads, keys, width), (3, heads, queries, keys)
        expected["projections", site] = (query, key, key)
        expected["scores", site] = (weights,)
        expected["weights", site] = (weights,)
        expected["context", site] = (weights, key, query)
    assert shapes == expected


@pytest.mark.usefixtures("float64")
def test_what_is_seen_fits_together():
    model = tiny_model()
    seen = capture(model)
    for side, table in (("source", model.source_embedding), ("target", model.target_embedding)):
        tokens, positions, total = seen["embedded", side]
        batch = random_batch()
        torch.testing.assert_close(tokens, table.weight[getattr(batch, side)] * 4, rtol=0, atol=1e-12)
        torch.testing.assert_close(total, tokens + positions, rtol=0, atol=1e-12)
    for site in ATTENTION:
        query, key, value = seen["projections", site]
        (scores,), (weights,) = seen["scores", site], seen["weights", site]
        torch.testing.assert_close(scores, query @ key.transpose(2, 3) / query.shape[-1] ** 0.5, rtol=0, atol=1e-9)
        torch.testing.assert_close(weights.sum(-1), torch.ones_like(weights[..., 0]), rtol=0, atol=1e-9)
        torch.testing.assert_close(seen["context", site][0], weights, rtol=0, atol=0)
        torch.testing.assert_close(seen["context", site][2], weights @ value, rtol=0, atol=1e-9)


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_residual_relates_stream_update_and_norm(norm):
    model = tiny_model(norm=norm)
    seen = capture(model)
    stacks = (("encoder", model.encoder, ["encoder", "encoder feed-forward"]),)
    stacks += (("decoder", model.decoder, ["decoder", "cross", "decoder feed-forward"]),)
    for stack, layers, kinds in stacks:
        before = seen["embedded", "source" if stack == "encoder" else "target"][2]
        for index, layer in enumerate(layers):
            names = ["attention_residual", "cross_residual", "feed_forward_residual"]
            for kind, name in zip(kinds, [n for n in names if hasattr(layer, n)], strict=True):
                stream, update, left = seen["residual", site_at(model, kind, index)]
                torch.testing.assert_close(stream, before, rtol=0, atol=0)
                norm_layer = getattr(layer, name).norm
                expected = norm_layer(stream + update) if norm == "post" else stream + update
                torch.testing.assert_close(left, expected, rtol=0, atol=1e-12)
                if "feed-forward" in kind:
                    found = layer.feed_forward(stream if norm == "post" else norm_layer(stream))
                    torch.testing.assert_close(update, found, rtol=0, atol=1e-12)
                before = left


class Doubling(Everything):
    """Doubles what one method returns at one place."""

    def __init__(self, name: str, place) -> None:
        super().__init__()
        self.target = (name, place)

    def change(self, name, place, value):
        return 2 * value if (name, place) == self.target else value


def stack_of(place: Site | str) -> str:
    kind = place if isinstance(place, str) else place.kind
    return "encoder" if kind == "source" or kind.startswith("encoder") else "decoder"


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("place", ATTENTION, ids=named)
@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "weights", "context"])
def test_the_model_goes_on_with_what_attention_methods_return(name, place):
    model = tiny_model()
    plain, probe = capture(model), Doubling(name, place)
    model(*random_batch(), probe=probe)
    seen = probe.seen

    # Nothing before changes, whatever comes after the first changed thing at the site follows from it.
    order = list(plain)  # as they were called
    first = order.index(("projections", place))
    for earlier in order[: first + 1]:
        assert all(map(torch.equal, seen[earlier], plain[earlier]))
    (scores,), (weights,) = plain["scores", place], plain["weights", place]
    value, context = plain["context", place][1:]
    found = {key: seen[key, place][-1] for key in ("scores", "weights", "context")}
    expected = {"scores": scores, "weights": weights, "context": context}
    if name in ("query", "key"):
        expected["scores"] = 2 * scores
    if name in ("query", "key", "scores"):
        doubled = (2 * scores).masked_fill(weights == 0, -torch.inf)
        expected["weights"] = doubled.softmax(-1)
        expected["context"] = expected["weights"] @ value
    if name in ("value", "weights"):
        expected["context"] = 2 * context
    for key in expected:
        torch.testing.assert_close(found[key], expected[key], rtol=0, atol=1e-9)
    assert not torch.equal(seen["residual", place][1], plain["residual", place][1])
    assert not torch.equal(seen["logits", None][0], plain["logits", None][0])


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("place", [*SITES, "source", "target"], ids=named)
def test_the_model_goes_on_with_what_residual_and_embedded_return(place):
    model = tiny_model()
    name = "embedded" if isinstance(place, str) else "residual"
    plain, probe = capture(model), Doubling(name, place)
    model(*random_batch(), probe=probe)

    order = list(plain)  # as they were called
    assert list(probe.seen) == order
    index = order.index((name, place))
    for earlier in order[: index + 1]:
        assert all(map(torch.equal, probe.seen[earlier], plain[earlier]))
    # The next sub-layer of the stack finds the doubled stream.
    later = [key for key in order[index + 1 :] if key[0] == "residual" and stack_of(key[1]) == stack_of(place)]
    for following in later[:1]:
        torch.testing.assert_close(probe.seen[following][0], 2 * plain[name, place][-1], rtol=0, atol=0)
    assert not torch.equal(probe.seen["logits", None][0], plain["logits", None][0])


def test_the_model_returns_what_logits_returns():
    model, batch = tiny_model(), random_batch()
    torch.testing.assert_close(model(*batch, probe=Doubling("logits", None)), 2 * model(*batch, probe=Everything()))


@pytest.mark.parametrize("place", ATTENTION, ids=named)
def test_layer_and_head_are_those_that_were_asked_for(place):
    """Changing the query projection of one head changes the weights of that head, and of none beside or before it."""
    model = tiny_model()
    plain = capture(model)
    layers = model.encoder if place.kind == "encoder" else model.decoder
    module = layers[place.layer].cross if place.kind == "cross" else layers[place.layer].attention
    head, width = 1, 16 // module.heads
    with torch.no_grad():
        module.query.weight[head * width : (head + 1) * width] += 1
    seen = capture(model)

    order = [key for key in plain if key[0] == "weights"]
    index = order.index(("weights", place))
    for earlier in order[:index]:
        assert torch.equal(seen[earlier][0], plain[earlier][0])
    same = [torch.equal(seen["weights", place][0][:, h], plain["weights", place][0][:, h]) for h in range(module.heads)]
    assert same == [h != head for h in range(module.heads)]


class Some(Everything):
    """Wants one site."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    def wants(self, site: Site) -> bool:
        return site == self.site


@pytest.mark.parametrize("place", SITES, ids=named)
def test_no_method_is_called_at_a_site_that_is_not_wanted(place):
    probe = Some(place)
    tiny_model()(*random_batch(), probe=probe)
    assert {site for _, site in probe.seen if isinstance(site, Site)} == {place}


def test_gradients_start_at_the_embeddings_of_one_side():
    model, batch = tiny_model().requires_grad_(False), random_batch()
    embedded = model.embed("source", batch.source).requires_grad_()
    memory = model.encode(embedded, batch.present)
    model.project(model.decode(model.embed("target", batch.target), memory)).sum().backward()
    assert embedded.grad is not None
    assert (embedded.grad[batch.present] != 0).any(-1).all()
    assert (embedded.grad[~batch.present] == 0).all()


@torch.inference_mode()
def test_four_threads_on_one_model():
    model = tiny_model(**{side: {"layers": 1, "heads": 2, "feed_forward": 8} for side in ("encoder", "decoder")})
    batches = [{"sources": (length, 2), "targets": (3, length), "seed": length} for length in range(3, 9)]
    expected = [capture(model, **batch) for batch in batches]

    def captures(thread: int) -> int:
        wrong = 0
        for turn in range(60):
            index = (thread + turn) % len(batches)
            with torch.inference_mode():
                seen = capture(model, **batches[index])
            same = all(all(map(torch.equal, seen[key], expected[index][key])) for key in expected[index])
            wrong += not (same and seen.keys() == expected[index].keys())
        return wrong

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(captures, range(4))) == [0, 0, 0, 0]


# Several probes as one


class Adding(Everything):
    """Adds a number to what one method returns."""

    def __init__(self, by: float, name: str, place) -> None:
        super().__init__()
        self.by, self.target = by, (name, place)

    def wants(self, site: Site) -> bool:
        return self.target[1] in (site, None)

    def change(self, name, place, value):
        return value + self.by if (name, place) == self.target else value


@pytest.mark.usefixtures("float64")
@pytest.mark.parametrize("name", ["query", "key", "value", "scores", "weights", "context", "residual"])
def test_probes_see_in_order_what_the_one_before_left(name):
    place = ATTENTION[-1]
    model, batch = tiny_model(), random_batch()
    first, second = Doubling(name, place), Adding(1, name, place)
    found = model(*batch, probe=Probes(first, second))
    method = "projections" if name in ("query", "key", "value") else name
    at = {"query": 0, "key": 1, "value": 2}.get(name, -1)
    torch.testing.assert_close(second.seen[method, place][at], 2 * first.seen[method, place][at], rtol=0, atol=1e-12)

    class Together(Doubling):
        def change(self, name, place, value):
            return 2 * value + 1 if (name, place) == self.target else value

    torch.testing.assert_close(found, model(*batch, probe=Together(name, place)), rtol=0, atol=1e-9)


@pytest.mark.usefixtures("float64")
def test_embeddings_and_logits_pass_through_all_probes():
    model, batch = tiny_model(), random_batch()
    for name, place in (("embedded", "source"), ("embedded", "target"), ("logits", None)):
        first, second = Doubling(name, place), Adding(1, name, place)
        found = model(*batch, probe=Probes(first, second))
        torch.testing.assert_close(second.seen[name, place][-1], 2 * first.seen[name, place][-1], rtol=0, atol=0)
        if name == "logits":
            torch.testing.assert_close(found, 2 * model(*batch, probe=Everything()) + 1, rtol=0, atol=1e-9)


def test_each_probe_is_called_at_the_sites_it_wants():
    both = [Some(SITES[0]), Some(ATTENTION[-1])]
    tiny_model()(*random_batch(), probe=Probes(*both))
    for probe in both:
        assert {site for _, site in probe.seen if isinstance(site, Site)} == {probe.site}
    assert not any(Probes(*both).wants(site) for site in SITES if site not in (SITES[0], ATTENTION[-1]))
    assert not Probes().wants(SITES[0])


def test_every_probe_is_told_of_every_pass():
    class Told(Probe):
        def __init__(self) -> None:
            self.passes: list[ForwardContext] = []

        def begin(self, forward: ForwardContext) -> None:
            self.passes.append(forward)

    first, second = Told(), Told()
    tiny_model()(*random_batch(), probe=Probes(first, second))
    assert [set(forward.links) for forward in first.passes] == [{"encoder"}, {"decoder", "cross"}]
    assert first.passes == second.passes


def test_what_a_probe_does_belongs_to_it_alone_unless_it_says_so():
    probe = Probe()
    assert probe.describe() != probe.describe() != Probe().describe()

    class Known(Probe):
        def describe(self) -> str:
            return "known"

    assert Probes(Known(), Known()).describe() == "known, then known"
