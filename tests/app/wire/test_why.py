"""What goes to the picture of attributions."""

import base64

import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.rollout import rollout
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.wire.encoding import as_message
from headscope.app.wire.why import rollout_shading, shading, why


def array(sent: str, rows: int) -> np.ndarray:
    return np.frombuffer(base64.b64decode(sent), "<f4").reshape(rows, -1)


@pytest.fixture
def pair(translator):
    return sentence_pair(translator, "Good morning.", "Guten Morgen.")


def test_numbers_of_a_method(translator, pair):
    found = attribute(translator, pair, "input x gradient")
    signed, shares = shading(found, signed=True, unit="nats")
    rows = len(found.predicts)
    source, prefix = found.reduced()
    np.testing.assert_allclose(array(signed.source, rows), source, rtol=1e-5)
    np.testing.assert_allclose(array(signed.prefix, rows), prefix, rtol=1e-5)
    assert signed.most == pytest.approx(max(np.abs(source).max(), np.abs(prefix).max()))
    np.testing.assert_allclose(shares, found.source_share, rtol=1e-6)
    unsigned, _ = shading(found, signed=False)
    np.testing.assert_allclose(array(unsigned.source, rows), found.reduced("norm")[0], rtol=1e-5)
    sent = as_message(why(found, [signed, unsigned], shares, key="k", first=1, because="because"))
    assert [len(sent[name]) for name in ("source", "prefix", "predicts")] == [
        len(found.source),
        len(found.reads),
        len(found.predicts),
    ]


def test_rollout_is_of_the_source_alone(translator, pair):
    maps = record(translator, pair)
    sent = rollout_shading(maps)
    np.testing.assert_allclose(array(sent.source, len(maps.predicts)), rollout(maps).distribution, rtol=1e-5)
    assert not array(sent.prefix, len(maps.predicts)).any()
