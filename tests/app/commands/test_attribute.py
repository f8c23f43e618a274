"""`headscope attribute`."""

import json

import numpy as np
import pytest

from headscope.analysis.attribution import registry
from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.commands import attribute as module
from tests.toys import SENTENCES

(SOURCE, TARGET), (OTHER, _) = SENTENCES[3], SENTENCES[1]


@pytest.fixture
def run(command, checkpoint):
    """Runs the command on the toy model."""
    return lambda *options: command("attribute", "--checkpoint", checkpoint, *options)


@pytest.fixture
def many(tmp_path):
    """A file of three sentences, of which one is none."""
    file = tmp_path / "in.jsonl"
    rows = [json.dumps({"source": SOURCE}), "[1]", json.dumps({"source": OTHER, "target": TARGET})]
    file.write_text("\n".join(rows) + "\n")
    return file


def test_json_has_the_numbers_of_the_record(run, translator):
    outcome = run("--source", SOURCE, "--target", TARGET, "--method", "occlusion", "--explain", "entropy", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    content = json.loads(outcome.out)
    pair = sentence_pair(translator, SOURCE, TARGET)
    found = attribute(translator, pair, "occlusion", explained=registry.explained(translator, pair, "entropy"))
    source, target = found.reduced()
    np.testing.assert_allclose(content["from_source"], source, atol=1e-4)
    np.testing.assert_allclose(content["from_target"], target, atol=1e-4)
    assert content["predicts"] == [token.piece for token in found.predicts.tokens]
    assert (content["explained"], content["reduction"]) == ("entropy", "sum")


@pytest.mark.parametrize("method", registry.METHODS)
def test_every_method_there_is(run, method):
    steps = ["--steps", "4"] if registry.METHODS[method].cost == "many passes" else []
    outcome = run("--source", "Hello", "--target", "Hallo", "--method", method, "--words", *steps)
    assert outcome.code == 0
    assert outcome.lines[0].startswith(f"{method} of log-probability")
    assert outcome.lines[1].split() == ["predicts", "value", "source", "largest", "attributions"]
    assert len(outcome.lines) == 4, "the word and the end of sentence"


def test_sums_that_are_missed_are_warned_of(run):
    outcome = run("--source", SOURCE, "--target", TARGET, "--steps", "1")
    assert outcome.code == 0
    assert "miss their sum by more than 5%" in outcome.err
    assert run("--source", SOURCE, "--target", TARGET).err == ""


def test_a_file_is_gone_on_with(run, many, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    options = ("--jsonl", many, "--out", out, "--method", "saliency", "--method", "occlusion")
    assert run(*options).code == 0
    whole = out.read_bytes()
    rows = [json.loads(line) for line in whole.splitlines()]
    assert [(row["line"], row["method"]) for row in rows] == [
        (line, method) for line in (1, 2, 3) for method in ("saliency", "occlusion")
    ]
    assert "no object" in rows[2]["problem"]
    out.write_bytes(b"\n".join(whole.splitlines()[:4]) + b"\n" + whole.splitlines()[4][:20])
    made = []
    real = module._found
    monkeypatch.setattr(module, "_found", lambda *given: made.append(given[2].line) or real(*given))
    outcome = run(*options)
    assert "4 of 6 were in out.jsonl already" in outcome.err
    assert made == [3, 3]
    assert out.read_bytes() == whole
    assert run(*options, "--words").refuses("other settings")


def test_ctrl_c_keeps_what_was_found(run, many, tmp_path, monkeypatch):
    out = tmp_path / "out.jsonl"
    real = module._found

    def found(translator, other, one, *rest):
        if one.line == 3:
            raise KeyboardInterrupt
        return real(translator, other, one, *rest)

    monkeypatch.setattr(module, "_found", found)
    outcome = run("--jsonl", many, "--out", out, "--method", "saliency")
    assert outcome.code == 130
    assert [json.loads(line)["line"] for line in out.read_text().splitlines()] == [1, 2]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ((), "--source"),
        (("--target", "Hallo"), "--source"),
        (("--source", "Hello", "--method", "guess"), "choose"),
        (("--source", "Hello", "--explain", "guess"), "choose"),
        (("--source", "Hello", "--explain", "phrase contrast"), "another translation"),
        (("--source", "Hello", "--out", "/no/such/folder/x"), "no folder"),
    ],
)
def test_what_is_refused(run, options, word):
    assert run(*options).refuses(word)


def test_a_file_of_something_else_stays(run, tmp_path):
    out = tmp_path / "notes.txt"
    out.write_text("mine\n")
    assert run("--source", "Hello", "--out", out).refuses("no result of this command")
    assert out.read_text() == "mine\n"
