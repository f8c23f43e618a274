"""`headscope benchmark`."""

import json

import pytest

from headscope.analysis import benchmarks
from headscope.analysis.benchmarks import Figure


@pytest.fixture
def asked(monkeypatch):
    """What is asked to be measured; the measuring itself takes no time."""
    found = []

    def measure(device, *, progress, **options):
        found.append((str(device), options))
        progress.update(1, 1)
        yield Figure("decode", "tiny", 1234.56, "sentences/s", {"batch": 3, "device": "cpu"})

    monkeypatch.setattr(benchmarks, "measure", measure)
    return found


def test_what_is_measured(command, asked):
    options = ("--task", "decode", "--size", "tiny", "--precision", "bf16", "--batch", 3, "--beam", 2)
    assert command("benchmark", *options, "--device", "cpu", "--threads", 5).code == 0
    chosen = {"task": "decode", "size": "tiny", "precision": "bf16", "batch": 3, "beam": 2, "threads": 5}
    assert asked == [("cpu", chosen)]


def test_a_figure_as_text_and_as_json(command, asked):
    assert command("benchmark").lines == ["decode, tiny: 1,235 sentences/s (batch 3, device cpu)"]
    content = json.loads(command("benchmark", "--json").out)
    assert content.pop("settings") == {"batch": 3, "device": "cpu"}
    assert content == {"task": "decode", "size": "tiny", "value": 1234.56, "unit": "sentences/s"}


@pytest.mark.parametrize("words", ["--task paint", "--batch 0", "--threads -1", "--precision int8"])
def test_wrong_command_line(command, asked, words):
    assert command("benchmark", *words.split()).refuses(words.split()[0])
    assert asked == []
