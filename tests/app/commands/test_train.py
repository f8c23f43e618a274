"""The command as a user runs it: it trains, stops on a signal, goes on, and explains mistakes in one line."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headscope.app.commands.cli import run
from headscope.model.card import read_card
from headscope.model.data.prepared import PreparedData
from headscope.model.training.run_directory import read_metrics, read_status
from tests.training_toys import write_copying

ROOT = Path(__file__).parents[3]
RECIPE = """
vocabulary = 300
batch_tokens = 150
steps = 4
threads = 1
log_every = 1
validate_every = 2
dev_lines = 2
[model]
preset = "tiny"
d_model = 16
encoder = { layers = 1, heads = 2, feed_forward = 16 }
decoder = { layers = 1, heads = 2, feed_forward = 16 }
"""


@pytest.fixture
def data(tmp_path: Path) -> PreparedData:
    (tmp_path / "toy.toml").write_text(RECIPE)
    return write_copying(tmp_path / "data", train=80, dev=5, longest=5)


def arguments(data: PreparedData, *more: str) -> list[str]:
    folder = data.folder.parent
    fixed = ["--recipe", str(folder / "toy.toml"), "--data", str(data.folder), "--run", str(folder / "run")]
    return ["train", *fixed, "--device", "cpu", *more]


def test_trains_and_says_where_the_model_is(data: PreparedData, capsys: pytest.CaptureFixture[str]):
    assert run(arguments(data, "--set", "steps=3", "--set", "schedule.warmup=9", "--threads", "1")) == 0
    streams = capsys.readouterr()
    checkpoint = data.folder.parent / "run" / "checkpoint"
    assert streams.out == ""
    assert f"finished after update 3: {checkpoint}" in streams.err
    assert "update 2: development loss" in streams.err
    card = read_card(checkpoint)
    assert card.training["command"] == (
        "headscope train --recipe toy.toml --data data --run run --set steps=3 --set schedule.warmup=9 --set threads=1"
    )
    assert card.training["recipe"]["schedule"]["warmup"] == 9


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_saves_and_the_same_command_goes_on(data: PreparedData, number: int, code: int):
    command = [
        sys.executable,
        "-c",
        "from headscope.app.commands.cli import main; main()",
        *arguments(data, "--set", "steps=2000"),
    ]
    folder = data.folder.parent / "run"
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not read_metrics(folder):
            time.sleep(0.01)
        process.send_signal(number)
        _, errors = process.communicate()
    assert process.returncode == code
    status = read_status(folder)
    assert status.state == "stopped"
    assert f"stopped after update {status.step}; the state is saved, the same command goes on from there" in errors
    assert run(arguments(data, "--set", f"steps={status.step + 1}")) == 0
    rows = [row["step"] for row in read_metrics(folder) if row["kind"] == "update"]
    assert rows == list(range(1, status.step + 2))


def test_torchrun_starts_several_processes_that_are_one_run(data: PreparedData):
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    command = [*torchrun, "-m", "--", "headscope", *arguments(data)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("finished after update 4") == ended.stderr.count("update 2: development loss") == 1
    about = json.loads((data.folder.parent / "run" / "run.json").read_text())
    assert about["processes"] == 2


def test_mistakes_are_one_line(data: PreparedData, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    nowhere = str(tmp_path / "nowhere")
    for changed, message in [
        (arguments(data, "--set", "step=3"), "there is no key 'step'; did you mean steps"),
        (arguments(data, "--device", "tpu"), "device 'tpu'"),
        (arguments(data, "--set", "batch_tokens=4"), "allow more tokens"),
        (arguments(data, "--set", "vocabulary=5000"), "vocabulary"),
        (["train", "--recipe", "smal", "--data", nowhere, "--run", nowhere], "there is no recipe 'smal'"),
        (["train", "--recipe", "small", "--data", nowhere, "--run", nowhere], f"no data folder {nowhere}"),
        (["train", "--recipe", "small", "--data", str(data.folder)], "--run"),
    ]:
        assert run(changed) == 2
        err = capsys.readouterr().err
        assert message in err
        assert len(err.splitlines()) == 1
    assert not Path(nowhere).exists()


def test_two_trainers_on_one_run(data: PreparedData, capsys: pytest.CaptureFixture[str]):
    from headscope.model.training.run_directory import RunDirectory

    with RunDirectory(data.folder.parent / "run").held():
        assert run(arguments(data)) == 2
    assert "is being trained by another process" in capsys.readouterr().err


def test_waiting_for_its_turn(data: PreparedData, capsys: pytest.CaptureFixture[str]):
    folder = data.folder.parent
    assert run(arguments(data, "--wait")) == 0
    assert read_status(folder / "run").state == "finished"
    asked = json.loads((folder / "run" / "request.json").read_text())
    assert (asked["data"], asked["device"]) == (str(data.folder.resolve()), "cpu")
    assert run(arguments(data, "--wait", "--set", "steps=5")) == 0
    assert read_status(folder / "run").step == 5


def test_bad_lines_are_refused_or_counted(data: PreparedData, capsys: pytest.CaptureFixture[str]):
    with (data.folder / "train.source").open("a") as file:
        file.write("\n")
    with (data.folder / "train.target").open("a") as file:
        file.write("no source\n")
    assert run(arguments(data)) == 2
    assert "line 81: empty side" in capsys.readouterr().err
    assert run(arguments(data, "--skip-bad-lines")) == 0
    assert "1 training lines left out: empty side" in capsys.readouterr().err
    about = json.loads((data.folder.parent / "run" / "run.json").read_text())
    assert about["data"]["pairs"] == 80
