"""Files in the format of CTranslate2 that are damaged, or something else."""

import random
import struct

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.interop.ctranslate2_file import read_model_file
from tests.model.interop.ctranslate2_toys import problem


def test_every_shorter_file_is_refused(ctranslate2):
    path = ctranslate2 / "model.bin"
    content = path.read_bytes()
    for length in [*range(400), *range(400, len(content), 997)]:
        path.write_bytes(content[:length])
        assert "is damaged or no model of CTranslate2" in problem(ctranslate2)


def test_random_damage_is_never_more_than_an_error(ctranslate2):
    path = ctranslate2 / "model.bin"
    content, chance = path.read_bytes(), random.Random(0)
    refused = 0
    for _ in range(200):
        damaged = bytearray(content)
        for _ in range(3):
            damaged[chance.randrange(600)] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            read_model_file(path)
        except HeadscopeError:
            refused += 1
    assert 20 < refused < 200


def header(version: int, specification: bytes, variables: int = 0) -> bytes:
    return struct.pack("<IH", version, len(specification) + 1) + specification + struct.pack("<xII", 3, variables)


X = struct.pack("<H", 2) + b"x\0"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it ends at byte 0"),
        (b"PK\3\4" + bytes(30), "version 67,324,752 of the format is unknown"),
        (header(1, b""), "version 1 of the format"),
        (header(6, b"\xff"), "is no name"),
        (header(6, b"WhisperSpec") + bytes(4), "'WhisperSpec' cannot be imported"),
        (header(6, b"") + bytes(4) + b"more", "4 bytes follow its end"),
        (header(6, b"", 1) + X + struct.pack("<BBI", 0, 9, 4) + bytes(4), "'x' is of an unknown type (9)"),
        (header(2, b"", 1) + X + struct.pack("<BBI", 0, 3, 4) + bytes(12), "'x' is of an unknown type (3)"),
        (
            header(6, b"", 1) + X + struct.pack("<BIBI", 1, 7, 0, 4) + bytes(4),
            "'x' has 4 bytes, its dimensions are [7]",
        ),
        (header(6, b"", 1) + X + struct.pack("<BIBI", 1, 1 << 31, 0, 4) + bytes(4), "'x' has 4 bytes"),
        (header(6, b"") + struct.pack("<I", 1) + X + X, "'x' stands for 'x'"),
    ],
)
def test_headers(ctranslate2, content, message):
    (ctranslate2 / "model.bin").write_bytes(content)
    assert message in problem(ctranslate2)
