"""What a probe can change, through whole passes of the model."""

import pytest
import torch

from headscope.model.sites import Site
from tests.probes import ATTENTION, SITES, Doubling, Everything, capture, named
from tests.toys import random_batch, tiny_model


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
