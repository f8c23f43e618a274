"""`headscope info`."""

import json

import pytest


@pytest.mark.parametrize(("preset", "count"), [("base", 63_082_496), ("big", 214_245_376)])
def test_the_papers_sizes(command, preset, count):
    arguments = ("info", "--preset", preset, "--vocabulary", 37000)
    assert f"{count:,}" in command(*arguments).out
    found = json.loads(command(*arguments, "--json").out)
    parts = dict(found["parameters"])
    assert parts.pop("total") == count == sum(parts.values())
    assert parts["embeddings"] == 37000 * found["model"]["d_model"]


def test_checkpoint(command, checkpoint, translator):
    found = json.loads(command("info", "--checkpoint", checkpoint, "--json").out)
    assert found["parameters"]["total"] == sum(p.numel() for p in translator.model.parameters())
    assert found["languages"] == ["en", "de"]
    assert found["model"] == translator.model.config.model_dump(mode="json")
    assert found["weights"] == translator.weights_digest
    assert found["trained_length"] == {side: translator.card.trained_length(side) for side in ("source", "target")}
    assert found["training"] == {"recipe": "toy", "steps": 80}
    assert found["scores"] == {"toy": {"bleu": 100.0}}


def test_checkpoint_as_text(command, checkpoint, translator):
    found = command("info", "--checkpoint", checkpoint)
    assert found.code == 0
    rows = dict(line.split(maxsplit=1) for line in found.lines if not line.startswith("longest") and " " in line)
    assert rows["languages"] == "en to de"
    assert rows["recipe"] == "toy"
    assert rows["toy"] == "bleu 100"
    assert f"{translator.card.trained_length('source')} pieces, end of sentence included" in found.out


def test_unknown_preset(command):
    assert command("info", "--preset", "huge", "--vocabulary", 37000).refuses("huge", "base", "big")


@pytest.mark.parametrize(
    "arguments", [(), ("--preset", "base"), ("--vocabulary", "100"), ("--preset", "base", "--checkpoint", "x")]
)
def test_neither_preset_nor_checkpoint(command, arguments):
    assert command("info", *arguments).refuses("--preset", "--vocabulary", "--checkpoint")
