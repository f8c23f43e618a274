"""Heads by distance, as a wall."""

import base64
import zlib

import numpy as np
import pytest

from headscope.analysis.positions.study_record import HeadByDistance
from headscope.analysis.records.heads import Head
from headscope.app.wire.distance_wall import distance_wall, largest_mean
from headscope.app.wire.encoding import as_message

DISTANCES = (-1, 0, 1)


def head(kind, layer, number, *mean):
    return HeadByDistance(kind=kind, layer=layer, head=number, mean=mean, deviation=mean, links=(1, 1, 1))


HEADS = (
    head("encoder", 0, 0, 0.1, 0.2, 0.4),
    head("encoder", 1, 0, 0.3, 0.1, 0.0),
    head("decoder", 0, 0, 0.8, 0.1, None),
    head("decoder", 1, 0, None, None, None),
)


def test_means_of_a_kind_on_one_scale():
    assert largest_mean(HEADS, HEADS[:1], kind="encoder") == 0.4
    assert largest_mean(kind="cross") == 1
    data = as_message(distance_wall("toy", HEADS, DISTANCES, "encoder", most=0.5, current=Head("encoder", 1, 0)))
    planes = np.frombuffer(zlib.decompress(base64.b64decode(data["maps"])), np.uint8).reshape(2, -1)
    values = (planes[0] + 256 * planes[1].astype(int)).reshape(2, 3) / 1000 * 0.5
    np.testing.assert_allclose(values, [[0.1, 0.2, 0.4], [0.3, 0.1, 0]], atol=1e-3)
    (first,), (second,) = (layer["tiles"] for layer in data["layers"])
    assert first["name"] == "toy, layer 1, head 1: largest mean weight 0.400, at distance +1"
    assert second["name"].endswith("at distance −1")
    assert (first["current"], second["current"]) == (False, True)
    assert (first["value"], first["share"]) == (0.4, 0.8)
    assert [label["text"] for label in data["labels"]["columns"]] == ["distance −1", "distance +0", "distance +1"]


def test_what_a_decoder_may_not_see_is_blank_and_a_head_without_links_has_no_number():
    data = as_message(distance_wall("toy", HEADS, DISTANCES, "decoder", most=1, current=Head("decoder", 0, 0)))
    (first,), (second,) = (layer["tiles"] for layer in data["layers"])
    assert first["value"] == pytest.approx(0.8)
    assert (second["value"], second["share"], second["name"]) == (None, 0, "toy, layer 2, head 1")
