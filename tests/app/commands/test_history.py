"""`headscope history`."""

import csv
import io

import numpy as np
import pytest

from headscope.analysis.measures.history import HISTORY, save_history
from tests.app.commands.measuring import copied
from tests.histories import STEPS, toy_history


@pytest.fixture
def own(checkpoint, translator, tmp_path):
    folder = copied(checkpoint, tmp_path / "own")
    save_history(toy_history(translator), folder / HISTORY)
    return folder


def test_a_row_a_snapshot_head_and_measure(command, own, translator, tmp_path):
    found = command("history", "--checkpoint", own, "--out", tmp_path / "table.csv")
    assert found.code == 0, found.err
    assert found.lines == [
        "encoder self-attention 1.1  looks everywhere since update 0",
        "encoder self-attention 1.2  looks everywhere since update 40",
    ]
    assert "3 snapshots, updates 0 to 40; means over 5 sentences" in found.err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text("utf-8"))))
    history = toy_history(translator)
    assert len(rows) == len(STEPS) * len(history.heads) * len(history.moments[0].measures)
    own_rows = [row for row in rows if row["measure"] == "relative_entropy" and row["kind"] == "encoder"]
    second = [row for row in own_rows if (row["layer"], row["head"], row["counted_from"]) == ("1", "2", "1")]
    assert [int(row["step"]) for row in second] == list(STEPS)
    np.testing.assert_allclose([float(row["mean"]) for row in second], (0.95, 0.89, 0.9), rtol=1e-6)


def test_of_a_run_that_goes_on(command, own, tmp_path):
    (tmp_path / "run" / "history").mkdir(parents=True)
    assert command("history", "--run", tmp_path / "run").refuses("no snapshot was measured")
    (own / HISTORY).rename(tmp_path / "run" / "history" / "step-0000040.npz")
    found = command("history", "--run", tmp_path / "run")
    assert found.code == 0
    assert "3 snapshots" in found.err


def test_what_cannot_be_is_one_line(command, checkpoint, own, tmp_path):
    assert command("history").refuses("give --checkpoint or --run")
    assert command("history", "--checkpoint", own, "--run", own).refuses("give --checkpoint or --run")
    assert command("history", "--checkpoint", checkpoint).refuses("has no history.npz", "headscope train")
    assert command("history", "--checkpoint", own, "--out", tmp_path).refuses("is no file")
    (own / HISTORY).write_bytes(b"PK torn")
    assert command("history", "--checkpoint", own).refuses("is not a history")
