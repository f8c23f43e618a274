import numpy as np
import pytest
import torch

from headscope.analysis.attribution import patching as module
from headscope.analysis.attribution.patching import aligned, begun, patching
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.progress import Cancelled
from headscope.model.sites import site_at

THIS, OTHER, TARGETS = "a b c d", "a x c d", ("e f g", "e h g i")


class Keep(Probe):
    """Keeps the stream behind one sub-layer, and what its heads put out."""

    def __init__(self, site):
        self.site = site

    def wants(self, site):
        return site == self.site

    def context(self, site, weights, value, context):
        self.heads = context
        return context

    def residual(self, site, stream, update, normed):
        self.stream = normed
        return normed


class Put(Keep):
    """Puts a vector at one place of the stream, or all rows of a head, of one sentence."""

    def __init__(self, site, kept, place=None, head=None):
        super().__init__(site)
        self.kept, self.place, self.head = kept, place, head

    def context(self, site, weights, value, context):
        if self.head is not None:
            context[0, self.head] = self.kept.heads[0, self.head]
        return context

    def residual(self, site, stream, update, normed):
        if self.place is not None:
            normed[0, self.place] = self.kept.stream[0, self.place]
        return normed


def total(translator, source, target, probe=None) -> float:
    with torch.no_grad():
        batch = forced_batch(translator, [sentence_pair(translator, source, target)])
        return float(log_probs(translator.model, batch, probe=probe).sum())


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_against_one_pass_a_patch_and_translation(exact, norm: str):
    """Sentence by sentence, with probes of the test's own."""
    translator = exact(norm=norm)
    found = patching(translator, THIS, OTHER, TARGETS)
    before = total(translator, THIS, TARGETS[0]) - total(translator, THIS, TARGETS[1])
    assert found.difference == pytest.approx(before, abs=1e-9)
    assert found.other_difference == pytest.approx(
        total(translator, OTHER, TARGETS[0]) - total(translator, OTHER, TARGETS[1]), abs=1e-9
    )
    assert found.gap == pytest.approx(found.other_difference - before)

    def change(site, **put) -> float:
        after = []
        for target in TARGETS:
            keep = Keep(site)
            total(translator, OTHER, target, keep)
            after.append(total(translator, THIS, target, Put(site, keep, **put)))
        return after[0] - after[1] - before

    for site, changes in zip(found.sites, found.streams, strict=True):
        if isinstance(site, str):
            continue
        assert len(changes) == (5 if site.queries == "source" else 2)
        for place in range(len(changes)):
            assert changes[place] == pytest.approx(change(site, place=place), abs=1e-9)
    for kind, layer, head in [("encoder", 0, 3), ("encoder", 1, 0), ("decoder", 2, 1), ("cross", 1, 0)]:
        expected = change(site_at(translator.model, kind, layer), head=head)
        assert found.heads[kind][layer, head] == pytest.approx(expected, abs=1e-9)


def test_patched_with_itself_nothing_changes(exact):
    found = patching(exact(), THIS, THIS, TARGETS)
    assert found.gap == pytest.approx(0, abs=1e-12)
    for changes in (*found.streams, *found.heads.values()):
        np.testing.assert_allclose(changes, 0, atol=1e-12)


def test_the_one_way_between_source_and_target_is_found(exact):
    """A model in which a token's state depends on that token alone, and one head of the decoder looks at the source."""
    translator = exact()
    with torch.no_grad():
        for layer in translator.model.encoder:
            layer.attention.output.weight.zero_()
        for number, layer in enumerate(translator.model.decoder):
            layer.cross.output.weight[:, 8:] = 0
            if number != 1:
                layer.cross.output.weight.zero_()
    found = patching(translator, THIS, OTHER, TARGETS)
    assert abs(found.gap) > 1e-3
    source = np.zeros((5, 5))
    source[:, 1] = found.gap  # at the second token, in every layer
    np.testing.assert_allclose(found.grid("source"), source, atol=1e-9)
    heads = np.zeros((3, 2))
    heads[1, 0] = found.gap
    np.testing.assert_allclose(found.heads["cross"], heads, atol=1e-9)
    np.testing.assert_allclose(found.heads["encoder"], 0, atol=1e-9)
    before = [site.kind == "cross" and site.layer == 1 for site in found.sites[5:] if not isinstance(site, str)].index(
        True
    )
    np.testing.assert_allclose(found.grid("target")[: before + 1], 0, atol=1e-9)  # before that head, nothing is known
    assert found.grid("target")[before + 1 :].any(axis=1).all()


def test_another_prefix_into_this_one(exact):
    """The same source: what the decoder has read differs, and so nothing in the encoder does."""
    translator = exact()
    found = patching(translator, THIS, THIS, ("e f g", "e f h i"), other_translations=("k f g", "k f h i"))
    assert [token.piece for token in found.prefix.tokens] == ["<s>", "e", "f"]
    assert [token.piece for token in found.other_prefix.tokens] == ["<s>", "k", "f"]
    assert abs(found.gap) > 1e-3
    np.testing.assert_allclose(found.grid("source"), 0, atol=1e-9)
    embedded = found.grid("target")[0]
    np.testing.assert_allclose(embedded[[0, 2]], 0, atol=1e-9)
    assert embedded[1] == pytest.approx(found.gap, abs=1e-9)  # the one token that differs
    np.testing.assert_allclose(found.heads["encoder"], 0, atol=1e-9)


def test_the_other_source_is_longer_or_shorter(exact):
    translator = exact()
    shorter = patching(translator, "a b c d e", "a x e", TARGETS).grid("source")
    assert np.isnan(shorter).all(axis=0).tolist() == [False, False, True, True, False, False]
    longer = patching(translator, "a x e", "a b c d e", TARGETS)
    assert not np.isnan(longer.grid("source")).any()
    assert np.isfinite(longer.heads["encoder"]).all()


@pytest.mark.parametrize(
    ("pieces", "others", "expected"),
    [
        ([1, 2, 3], [1, 2, 3], [0, 1, 2]),
        ([1, 2, 3], [1, 9, 3], [0, 1, 2]),
        ([1, 2, 3], [1, 8, 9, 3], [0, 1, 3]),
        ([1, 7, 2, 3], [1, 9, 3], [0, 1, None, 2]),
        ([1, 1], [1], [0, None]),
        ([1], [1, 1], [0]),
        ([4], [5, 6], [0]),
    ],
)
def test_places_that_stand_for_each_other(pieces, others, expected):
    assert aligned(pieces, others) == expected


def test_few_patches_at_a_time_give_the_same(exact, monkeypatch):
    translator = exact()
    whole = patching(translator, THIS, OTHER, TARGETS)
    monkeypatch.setattr(module, "BATCH_TOKENS", 2 * 5 * 2)
    apart = patching(translator, THIS, OTHER, TARGETS)
    for side in ("source", "target"):
        np.testing.assert_allclose(whole.grid(side), apart.grid(side), atol=1e-12)
    np.testing.assert_allclose(whole.heads["encoder"], apart.heads["encoder"], atol=1e-12)


def test_table(exact):
    found = patching(exact(), THIS, OTHER, TARGETS)
    table = found.to_pandas()
    assert len(table) == 5 * 5 + 10 * 2 + 2 * 4 + 3 * 2 + 3 * 2
    (cell,) = table.query("kind == 'encoder' and layer == 1 and head == -1 and place == 2").change
    assert cell == found.grid("source")[3, 2]
    (head,) = table.query("kind == 'cross' and layer == 2 and head == 1").change
    assert head == found.heads["cross"][2, 1]


def test_progress_and_cancelling(exact):
    class Stop:
        seen: list

        def update(self, done, total):
            self.seen.append((done, total))
            if done == 3:
                raise Cancelled

    stop = Stop()
    stop.seen = []
    with pytest.raises(Cancelled):
        patching(exact(), THIS, OTHER, TARGETS, progress=stop)
    assert stop.seen == [(done, 15 + 8) for done in range(4)]


def test_what_cannot_be_compared_is_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match="'e f' is compared with itself: give two translations that differ"):
        patching(translator, THIS, OTHER, ("e f", "e f"))
    with pytest.raises(HeadscopeError, match="not made of the same pieces in both runs"):
        patching(translator, THIS, OTHER, TARGETS, other_translations=("k f g", "k h g j"))


@pytest.mark.parametrize(
    ("translations", "prefix", "due"),
    [
        (("Er ist gut.", "Er ist nett."), "Sie ist", ("Sie ist gut.", "Sie ist nett.")),
        (("Gut.", "Nett."), "Sie ist", ("Sie ist Gut.", "Sie ist Nett.")),
        (("Er ist", "Er ist nett."), "Sie war", ("Sie war", "Sie war nett.")),
    ],
)
def test_translations_begun_otherwise(translations, prefix, due):
    assert begun(translations, prefix) == due
