"""What goes to the slider over training."""

import base64
import zlib

import numpy as np

from headscope.app.wire.course import course
from headscope.app.wire.encoding import as_message

WEIGHTS = np.random.default_rng(3).random((3, 4, 5)).astype(np.float32)
LOSSES = {0: None, 500: (500, 3.21456), 12_345: (12_000, 1.5)}


def sent() -> dict:
    return as_message(
        course("abc", "Cross-attention, layer 1, head 2", (0, 500, 12_345), LOSSES, WEIGHTS, at=1, most=1.0)
    )


def test_every_weight_of_every_moment_as_a_byte():
    data = sent()
    assert (data["rows"], data["columns"], data["of"], data["at"]) == (4, 5, "abc", 1)
    found = np.frombuffer(zlib.decompress(base64.b64decode(data["maps"])), np.uint8).reshape(3, 4, 5) / 255
    np.testing.assert_allclose(found, WEIGHTS, atol=0.5 / 255 + 1e-6)


def test_a_moment_says_its_step_and_the_last_validation_until_then():
    moments = sent()["moments"]
    assert [moment["short"] for moment in moments] == ["0", "500", "12.3k"]
    assert [moment["said"] for moment in moments] == [
        "before the first update; not validated yet",
        "after update 500; development loss 3.21 nats a token",
        "after update 12,345; development loss 1.50 nats a token (update 12,000, the last validation until then)",
    ]


def test_other_maps_have_another_signature():
    other = as_message(course("abd", "", (0, 500, 12_345), LOSSES, WEIGHTS, at=0, most=1.0))
    assert other["signature"] != sent()["signature"]
