"""A text looked through on the command line."""

from tests.app.training import write_text


def test_counts_and_problems(command, tmp_path):
    folder = write_text(tmp_path).folder
    found = command("check", folder)
    assert found.code == 0
    assert "train         120 pairs" in found.lines
    assert any(line.startswith("dev: 8 lines only") for line in found.lines)
    assert any("with the same text on both sides" in line for line in found.lines)
    for side in ("source", "target"):
        (folder / f"dev.{side}").write_text("")
    assert command("check", folder).code == 2
    assert command("check", tmp_path / "none").refuses("there is no data folder")
