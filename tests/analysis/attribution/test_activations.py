import pytest
import torch

from headscope.analysis.attribution.activations import Patch, Patched, activations
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair

RUNS = ("a b c d", "a x c y")


def every(values, site) -> Patch:
    """All places of one sentence, the only one of its batch."""
    places = torch.arange(values.shape[1])
    return Patch(torch.zeros_like(places), places, values[0])


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_everything_patched_is_the_other_run(exact, norm: str):
    translator = exact(norm=norm)
    batch, other = (forced_batch(translator, [sentence_pair(translator, text, "e f")]) for text in RUNS)
    kept = activations(translator.model, other)
    plain = log_probs(translator.model, batch)
    assert (plain - kept.log_probs).abs().max() > 1e-3
    torch.testing.assert_close(log_probs(translator.model, other), kept.log_probs, atol=1e-12, rtol=0)
    source = [site for site in translator.model.sites() if site.queries == "source"]
    last = [site for site in translator.model.sites() if site.kind == "decoder feed-forward"][-1]
    for place in ("source", *source, last):
        values = kept.embedded[place] if isinstance(place, str) else kept.streams[place]
        found = log_probs(translator.model, batch, probe=Patched({place: every(values, place)}))
        torch.testing.assert_close(found, kept.log_probs, atol=1e-12, rtol=0)


def test_all_heads_of_cross_attention_patched_are_the_other_source(exact):
    """The decoder knows the source by them alone."""
    translator = exact()
    batch, other = (forced_batch(translator, [sentence_pair(translator, text, "e f")]) for text in RUNS)
    kept, patches = activations(translator.model, other), {}
    for site in translator.model.sites():
        if site.kind == "cross":
            head, place = (index.ravel() for index in torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij"))
            values = kept.contexts[site][0, head, place]
            patches[site] = Patch(torch.zeros_like(head), place, values, head)
    found = log_probs(translator.model, batch, probe=Patched(patches))
    torch.testing.assert_close(found, kept.log_probs, atol=1e-12, rtol=0)


def test_nothing_is_changed_in_place(exact):
    translator = exact()
    batch = forced_batch(translator, [sentence_pair(translator, "a b", "e")])
    kept = activations(translator.model, batch)
    before = kept.embedded["source"].clone()
    patch = Patch(torch.tensor([0]), torch.tensor([1]), torch.zeros(1, 16))
    assert not patch.put(kept.embedded["source"])[0, 1].any()
    torch.testing.assert_close(kept.embedded["source"], before)
