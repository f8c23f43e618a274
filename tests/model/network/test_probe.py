"""What a probe sees, through whole passes of the model."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from headscope.model.network.probe import Probe
from headscope.model.sites import Site, site_at
from tests.probes import ATTENTION, SITES, Everything, Some, capture, named
from tests.toys import random_batch, tiny_model

ENCODER, DECODER = (2, 4), (3, 2)  # layers and heads of the tiny model


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
