from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.attribution.rollout import rollout, source_shares
from headscope.analysis.capture.attention import attention_maps
from headscope.model.errors import HeadscopeError
from headscope.model.sites import KIND_NAMES, KINDS
from tests.analysis.handmade import letters, random_maps, with_maps


@given(st.integers(1, 5), st.integers(0, 5), st.integers(1, 5), st.integers(0, 1000))
def test_share_of_the_source_depends_on_the_depth_alone(source: int, target: int, depth: int, seed: int):
    maps = random_maps(letters(source), letters(target), decoder=(depth, 2), seed=seed)
    np.testing.assert_allclose(source_shares(maps).sum(-1), 1 - 2.0**-depth, atol=1e-12)
    found = rollout(maps)
    np.testing.assert_allclose(found.distribution.sum(-1), 1)
    np.testing.assert_allclose(found.encoder.sum(-1), 1)


def test_one_layer_by_hand():
    encoder, cross = np.array([[0.0, 1.0], [0.5, 0.5]]), np.array([[1.0, 0.0], [0.2, 0.8]])
    found = rollout(with_maps(encoder=encoder, cross=cross))
    rolled = 0.5 * np.eye(2) + 0.5 * encoder
    np.testing.assert_allclose(found.encoder, rolled)
    np.testing.assert_allclose(found.distribution, cross @ rolled)


def test_heads_are_averaged_and_later_rows_inherit():
    maps = random_maps(letters(3), letters(2), decoder=(2, 3))
    encoder = np.eye(4)
    for layer in maps.encoder:
        encoder = (np.eye(4) + layer.mean(0)) / 2 @ encoder
    joint = np.concatenate([np.zeros((3, 4)), np.eye(3)], axis=1)  # shares of source and of target so far
    for own, cross in zip(maps.decoder, maps.cross, strict=True):
        joint = (np.eye(3) + own.mean(0)) / 2 @ joint
        joint = joint / 2 + np.concatenate([cross.mean(0) @ encoder, np.zeros((3, 3))], axis=1) / 2
    np.testing.assert_allclose(source_shares(maps), joint[:, :4])
    np.testing.assert_allclose(joint.sum(-1), 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_without_a_kind_of_attention_is_refused(kind):
    maps = random_maps(letters(3), letters(2))
    lacking = replace(maps, maps={other: layers for other, layers in maps.maps.items() if other != kind})
    with pytest.raises(HeadscopeError, match=f"rollout needs {KIND_NAMES[kind]}, which this model has not"):
        rollout(lacking)
    with pytest.raises(HeadscopeError, match="not of contributions: give a record of weights"):
        rollout(replace(maps, quantity="contribution"))


def test_of_a_model(exact):
    maps = attention_maps(exact(), "a b c", "d e")
    np.testing.assert_allclose(source_shares(maps).sum(-1), 1 - 2.0**-3)
    table = rollout(maps).to_pandas()
    assert table.groupby("query_index").share.sum().round(9).tolist() == [1, 1, 1]
    assert table[table.query_index == 0].reads.tolist() == ["<s>"] * 4
    assert table.key.tolist() == ["a", "b", "c", "</s>"] * 3
