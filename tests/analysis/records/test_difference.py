import dataclasses

import numpy as np
import pytest

from headscope.analysis.records.difference import (
    at_heads,
    common_places,
    difference,
    on_common_tokens,
    weight_elsewhere,
)
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import letters, random_maps, with_maps


def test_every_cell_is_after_minus_before():
    before, after = (random_maps(letters(3), letters(2), seed=seed) for seed in (0, 1))
    found = difference(after, before)
    assert found.quantity == "difference"
    assert (found.source, found.reads, found.predicts) == (before.source, before.reads, before.predicts)
    np.testing.assert_allclose(found.log_probs, after.log_probs - before.log_probs, atol=1e-12)
    for kind in before.maps:
        for layers in zip(found.layers(kind), after.layers(kind), before.layers(kind), strict=True):
            np.testing.assert_allclose(layers[0], layers[1] - layers[2], atol=1e-12)
            assert layers[0].min() < 0 < layers[0].max()
        np.testing.assert_array_equal(found.allowed[kind], before.allowed[kind])
    assert found.fingerprint not in (before.fingerprint, after.fingerprint)
    assert "difference" in found.to_pandas().columns


@pytest.mark.parametrize(
    "other",
    [
        random_maps(letters(4), letters(2)),
        random_maps(letters(3), letters(1)),
        random_maps(letters(3), letters(2), encoder=(2, 4)),
        random_maps(letters(3), letters(2), decoder=(2, 2)),
        dataclasses.replace(random_maps(letters(3), letters(2)), quantity="contribution"),
    ],
    ids=["source", "target", "heads", "layers", "quantity"],
)
def test_records_that_do_not_fit_are_refused(other):
    with pytest.raises(HeadscopeError, match="can be subtracted"):
        difference(random_maps(letters(3), letters(2)), other)


def pieces(text: str, *ends: int) -> tuple[str, list[tuple[int, int]]]:
    """A text cut at these places."""
    return text, list(zip((0, *ends[:-1]), ends, strict=True))


def test_the_same_pieces_of_other_ids_are_compared_as_pieces():
    first, second = (random_maps(letters(3), letters(2), seed=seed) for seed in (0, 1))
    other = dataclasses.replace(
        second.source, tokens=tuple(dataclasses.replace(token, id=token.id + 50) for token in second.source.tokens)
    )
    found = on_common_tokens(first, dataclasses.replace(second, source=other))
    assert found.unit == "pieces"
    assert found.second.source == first.source
    np.testing.assert_array_equal(
        difference(found.first, found.second).encoder[0], first.encoder[0] - second.encoder[0]
    )


def test_other_pieces_are_compared_as_words():
    target = pieces("so it is", 2, 5, 8)
    first = random_maps(pieces("old houses", 3, 8, 10), target, seed=0)
    second = random_maps(pieces("old houses", 1, 3, 10), target, seed=1)
    found = on_common_tokens(first, second)
    assert found.unit == "words"
    assert [token.piece for token in found.first.source.tokens] == ["old", "houses", "</s>"]
    change = difference(found.first, found.second)
    # By hand: keys are summed over the pieces of a word, queries averaged.
    old = first.encoder[0][:, 0]
    np.testing.assert_allclose(
        change.encoder[0][:, 0, 1],
        old[:, 1] + old[:, 2] - second.encoder[0][:, :2, 2].mean(1),
        atol=1e-12,
    )
    np.testing.assert_allclose(change.cross[1].sum(-1), 0, atol=1e-12)


def test_other_texts_are_refused():
    first, second = (
        random_maps(pieces("old houses", 3, 10), pieces(text, 2, 5, len(text))) for text in ("so it is", "so it was")
    )
    with pytest.raises(HeadscopeError, match="of other texts"):
        on_common_tokens(first, second)


def test_words_that_one_does_not_tell_apart_are_one():
    first, second = (random_maps(pieces("old houses", end, 10), pieces("so it is", 2, 5, 8)) for end in (3, 5))
    found = on_common_tokens(first, second)
    assert [token.piece for token in found.first.source.tokens] == ["old houses", "</s>"]
    np.testing.assert_allclose(found.first.cross[0][..., 0], first.cross[0][..., :2].sum(-1), atol=1e-12)
    assert found.second.source == found.first.source


def test_an_end_of_sentence_that_one_lacks_is_refused():
    first = random_maps(letters(3), letters(2))
    short = dataclasses.replace(first.source, tokens=first.source.tokens[:-1])
    without = dataclasses.replace(
        first.mapped(lambda kind, layer: layer[..., :-1] if kind == "cross" else layer, "short"), source=short
    )
    with pytest.raises(HeadscopeError, match="end of sentence"):
        on_common_tokens(first, without)


def test_heads_are_put_in_the_places_of_others():
    first, second = (
        random_maps(letters(3), letters(2), seed=seed, encoder=shape) for seed, shape in ((0, (2, 3)), (1, (1, 4)))
    )
    places = common_places(first, second)
    assert [place for place in places if place.kind == "encoder"] == [Head("encoder", 0, head) for head in range(3)]
    assert all(place == head for place, head in places.items())
    turned = {Head("encoder", 0, 0): Head("encoder", 0, 3), Head("encoder", 0, 1): Head("encoder", 0, 0)}
    found = at_heads(second, turned)
    assert list(found.maps) == list(found.allowed) == ["encoder"]
    np.testing.assert_array_equal(found.encoder[0], second.encoder[0][[3, 0]])
    own = at_heads(first, dict(zip(turned, turned, strict=True)))
    np.testing.assert_array_equal(difference(own, found).encoder[0], first.encoder[0][:2] - second.encoder[0][[3, 0]])
    assert own.fingerprint == first.fingerprint
    with pytest.raises(HeadscopeError, match=r"before encoder 1\.2"):
        at_heads(second, {Head("encoder", 0, 1): Head("encoder", 0, 1)})


def test_how_much_weight_lies_elsewhere():
    rows = np.array([[0.5, 0.5, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]])
    others = np.array([[0.5, 0, 0.5, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0.5, 0.5, 0]])
    first, second = (with_maps(encoder=each) for each in (rows, others))
    found = weight_elsewhere(difference(first, second))
    assert found[Head("encoder", 0, 0)] == pytest.approx((0.5 + 1 + 0 + 0.5) / 4)
    assert found[Head("cross", 0, 0)] == 0
