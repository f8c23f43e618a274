"""`headscope export`."""

import pytest

from headscope.model.interop.ctranslate2_import import read_ctranslate2


def test_ctranslate2(command, checkpoint, tmp_path):
    found = command("export", "ctranslate2", "--checkpoint", checkpoint, "--out", tmp_path / "m")
    assert (found.code, found.out) == (0, "")
    assert found.err.endswith(f"headscope: {tmp_path / 'm'} is ready\n")
    assert "2,048 pieces" in found.err
    assert read_ctranslate2(tmp_path / "m").config.d_model == 32


def test_quantization(command, checkpoint, tmp_path):
    for quantization in ("float32", "int8"):
        words = ("--out", tmp_path / quantization, "--quantization", quantization)
        assert command("export", "ctranslate2", "--checkpoint", checkpoint, *words).code == 0
    sizes = {name: (tmp_path / name / "model.bin").stat().st_size for name in ("float32", "int8")}
    assert sizes["int8"] < sizes["float32"]


def test_marian_and_back(command, checkpoint, tmp_path):
    found = command("export", "marian", "--checkpoint", checkpoint, "--out", tmp_path / "m")
    assert found.code == 0
    assert "no GNMT length penalty" in found.err
    assert command("import", "marian", tmp_path / "m", "--out", tmp_path / "again").code == 0
    text = tmp_path / "text"
    text.write_text("We could not see the mountains.\n")
    there = command("translate", "--checkpoint", checkpoint, text)
    back = command("translate", "--checkpoint", tmp_path / "again", "--length-penalty-kind", "gnmt", text)
    assert there.out == back.out != ""


@pytest.mark.parametrize("format", ["ctranslate2", "marian"])
def test_what_is_there_is_kept(command, checkpoint, tmp_path, format):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "mine").touch()
    words = ("--checkpoint", checkpoint, "--out", tmp_path / "m")
    assert command("export", format, *words).refuses("is there already: choose another place")
    assert [path.name for path in (tmp_path / "m").iterdir()] == ["mine"]


@pytest.mark.parametrize("words", ["", "onnx", "marian", "ctranslate2 --checkpoint x --out y --quantization int4"])
def test_wrong_command_line(command, words):
    assert command("export", *words.split()).refuses("--help)")


def test_no_such_checkpoint(command, tmp_path):
    found = command("export", "marian", "--checkpoint", "nothing", "--out", tmp_path / "m")
    assert found.refuses("no checkpoint 'nothing'")
