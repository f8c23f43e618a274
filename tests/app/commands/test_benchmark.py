"""`headscope benchmark`."""

import json

import pytest
import torch

from headscope.analysis import benchmarks
from headscope.analysis.benchmarks import Figure


@pytest.fixture
def asked(monkeypatch):
    """What is asked to be measured, and the threads that are set; the measuring itself takes no time."""
    found = []

    def measure(device, *, progress, **options):
        found.append((str(device), options))
        progress.update(1, 1)
        yield Figure("decode", "tiny", 1234.56, "sentences/s", {"batch": 3})

    monkeypatch.setattr(benchmarks, "measure", measure)
    monkeypatch.setattr(torch, "set_num_threads", found.append)
    return found


def test_what_is_measured(command, asked):
    options = ("--task", "decode", "--size", "tiny", "--precision", "bf16", "--batch", 3, "--beam", 2)
    assert command("benchmark", *options, "--device", "cpu", "--threads", 5).code == 0
    assert asked == [5, ("cpu", {"task": "decode", "size": "tiny", "precision": "bf16", "batch": 3, "beam": 2})]


def test_a_figure_as_text_and_as_json(command, asked):
    threads = torch.get_num_threads()
    plain = command("benchmark", "--device", "cpu")
    where = f"device cpu, threads {threads}, torch {torch.__version__}"
    assert plain.lines == [f"decode, tiny: 1,235 sentences/s (batch 3, {where})"]
    content = json.loads(command("benchmark", "--device", "cpu", "--json").out)
    assert content.pop("settings") == {"batch": 3, "device": "cpu", "threads": threads, "torch": torch.__version__}
    assert content == {"task": "decode", "size": "tiny", "value": 1234.56, "unit": "sentences/s"}
    assert [each[0] for each in asked] == ["cpu", "cpu"], "threads are left as they are"


@pytest.mark.parametrize("words", ["--task paint", "--batch 0", "--threads -1", "--precision int8"])
def test_wrong_command_line(command, asked, words):
    assert command("benchmark", *words.split()).refuses(words.split()[0])
    assert asked == []
