"""Checkpoint folders: written whole or not at all, read as they were written, averaged."""

import json
import re
import resource
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from headscope.model import checkpoint as module
from headscope.model.checkpoint import (
    average,
    load_model,
    parameter_counts,
    read_weights,
    save_checkpoint,
    weights_of,
    write_weights,
)
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer
from headscope.model.translator import Translator, load_translator
from tests.files import tree
from tests.toys import SENTENCES, letters, random_batch, tiny_config, tiny_model

CPU = torch.device("cpu")
LANGUAGES = ("en", "de")
SIZE = {"source_vocabulary": 30, "target_vocabulary": 30}  # that of `letters`


# Round trips


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "pre", "logits_bias": True},
        {"share_output": False, "positions": "learned"},
        {"share_source_target": False},
        {"attention_bias": False, "feed_forward_bias": False},
    ],
    ids=str,
)
def test_model_survives(tmp_path, dtype, changes):
    model = tiny_model(**SIZE, **changes)
    save_checkpoint(tmp_path / "c", model, letters(), LANGUAGES, dtype=dtype)
    loaded = load_model(tmp_path / "c", model.config, CPU)
    for name, parameter in model.named_parameters():
        found = loaded.get_parameter(name)
        assert found.dtype == torch.float32
        assert torch.equal(found, parameter.to(dtype).float())
    assert not loaded.training
    assert not any(parameter.requires_grad for parameter in loaded.parameters())
    batch = random_batch()
    atol = 1e-4 if dtype == torch.float32 else 0.05
    torch.testing.assert_close(loaded(*batch), model(*batch), rtol=0, atol=atol)


def test_tied_table_is_stored_once_and_stays_tied(tmp_path):
    save_checkpoint(tmp_path / "c", tiny_model(**SIZE), letters(), LANGUAGES)
    stored = load_file(tmp_path / "c" / "model.safetensors")
    assert [name for name, tensor in stored.items() if 30 in tensor.shape] == ["source_embedding.weight"]
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    loaded = load_model(tmp_path / "c", tiny_config(**SIZE), CPU)
    assert loaded.source_embedding.weight is loaded.target_embedding.weight is loaded.projection.weight


def test_the_architecture_is_named(tmp_path):
    save_checkpoint(tmp_path / "c", tiny_model(**SIZE), letters(), LANGUAGES)
    assert json.loads((tmp_path / "c" / "config.json").read_text())["architecture"] == "transformer"


def test_everything_in_the_folder_survives(checkpoint):
    translator = load_translator(checkpoint, "cpu")
    card = translator.card
    assert (card.name, card.languages) == ("toy-en-de", ("en", "de"))
    assert card.training["recipe"] == "toy"
    assert card.scores["toy"]["bleu"] == 100.0
    assert card.trained_length("source") == max(len(translator.source(text).ids) + 1 for text, _ in SENTENCES)
    assert sorted(path.name for path in checkpoint.iterdir()) == [
        "config.json",
        "model.safetensors",
        "positions.json",
        "scores.json",
        "training.json",
        "vocabulary",
    ]
    assert [t.text for t in translator.translate([s for s, _ in SENTENCES])] == [t for _, t in SENTENCES]


def test_model_of_fewer_digits_is_read_too(tmp_path):
    """Weights in bf16, as other tools write them."""
    model = tiny_model()
    save_file(weights_of(model, torch.bfloat16), tmp_path / "model.safetensors")
    loaded = load_model(tmp_path, model.config, CPU)
    assert torch.equal(loaded.source_embedding.weight, model.source_embedding.weight.bfloat16().float())


@pytest.mark.parametrize("changes", [{}, {"share_output": False, "positions": "learned"}], ids=str)
def test_parameters_are_counted_without_reading_them(tmp_path, changes):
    model = tiny_model(**SIZE, **changes)
    save_checkpoint(tmp_path / "c", model, letters(), LANGUAGES)
    counts = {name: parameter.numel() for name, parameter in model.named_parameters()}
    assert parameter_counts(tmp_path / "c", model.config) == counts


# All or nothing


def save(path: Path, seed: int) -> Transformer:
    model = tiny_model(seed, **SIZE)
    save_checkpoint(path, model, letters(), LANGUAGES, records={"training.json": {"seed": seed}})
    return model


def seed_of(path: Path) -> int:
    """Of the checkpoint at that place, which has to be whole."""
    return load_translator(path, "cpu").card.training["seed"]


def test_checkpoint_is_replaced(tmp_path):
    save(tmp_path / "c", 1)
    (tmp_path / "c" / "scores.json").write_text("{}")
    model = save(tmp_path / "c", 2)
    assert seed_of(tmp_path / "c") == 2
    assert not (tmp_path / "c" / "scores.json").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
    stored = read_weights(tmp_path / "c" / "model.safetensors")
    assert torch.equal(stored["source_embedding.weight"], model.source_embedding.weight.half().float())


def test_folders_above_are_made(tmp_path):
    save(tmp_path / "a" / "b" / "c", 1)
    assert seed_of(tmp_path / "a" / "b" / "c") == 1


def test_link_to_a_checkpoint_stays_one(tmp_path):
    save(tmp_path / "real", 1)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save(tmp_path / "link", 2)
    assert (tmp_path / "link").is_symlink()
    assert seed_of(tmp_path / "real") == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_weights_for_which_there_is_no_room(tmp_path):
    path, before = tmp_path / "weights", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(HeadscopeError, match=f"^{re.escape(str(path))} cannot be written: .*File too large"):
            write_weights(path, {"table": torch.zeros(5000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not path.exists()


@pytest.mark.parametrize("there_before", [True, False])
@pytest.mark.parametrize(
    ("place", "calls"),
    [("save_file", 1), ("write_json", 1), ("write_json", 2), ("vocabulary", 1), ("rename", 1), ("rename", 2)],
)
def test_failure_changes_nothing(tmp_path, monkeypatch, there_before, place, calls):
    if not there_before and (place, calls) == ("rename", 2):
        pytest.skip("there is one rename")
    path = tmp_path / "c"
    if there_before:
        save(path, 1)
    before = tree(tmp_path)
    left = [calls]

    def failing(do):
        def run(*arguments, **options):
            left[0] -= 1
            if left[0] == 0:
                raise OSError(28, "No space left on device")
            return do(*arguments, **options)

        return run

    owner, name = {
        "save_file": (module, "save_file"),
        "write_json": (module, "write_json"),
        "vocabulary": (type(letters()), "save"),
        "rename": (Path, "rename"),
    }[place]
    monkeypatch.setattr(owner, name, failing(getattr(owner, name)))
    with pytest.raises(OSError, match="No space left"):
        save(path, 2)
    monkeypatch.undo()

    assert tree(tmp_path) == before
    assert [p.name for p in tmp_path.iterdir()] == ["c"] * there_before
    if there_before:
        assert seed_of(path) == 1


def test_what_is_no_checkpoint_is_never_replaced(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "config.json").write_text("{}")
    (tmp_path / "file").write_text("text")
    before = tree(tmp_path)
    for name in ("notes", "file"):
        with pytest.raises(HeadscopeError, match=f"{name} is there and is no checkpoint"):
            save(tmp_path / name, 1)
    assert tree(tmp_path) == before
    (tmp_path / "empty").mkdir()
    save(tmp_path / "empty", 1)
    assert seed_of(tmp_path / "empty") == 1


# Averages


def test_average_is_exact():
    # In float32 the sum would lose the ones beside 2^25.
    weights = [
        torch.tensor([2.0**25, 1.0]),
        torch.tensor([1.0, 2.0]),
        torch.tensor([1.0, 6.0]),
        torch.tensor([2.0, 3.0]),
    ]
    mean = average([{"w": w} for w in weights])["w"]
    assert mean.dtype == torch.float32
    assert mean.tolist() == [float(torch.tensor((2**25 + 4) / 4)), 3.0]
    halves = average([{"w": torch.tensor([1000.0], dtype=torch.float16)}] * 100)["w"]
    assert (halves.dtype, halves.tolist()) == (torch.float16, [1000.0])


def test_average_of_models_stays_tied():
    models = [tiny_model(seed) for seed in range(3)]
    mean = average([weights_of(model) for model in models])
    result = tiny_model(9)
    result.load_state_dict(mean, strict=False)
    expected = sum(model.source_embedding.weight.double() for model in models) / 3
    for table in (result.source_embedding, result.target_embedding, result.projection):
        assert torch.equal(table.weight, expected.float())
    name = "decoder.2.cross.output.bias"
    expected = sum(model.get_parameter(name).double() for model in models) / 3
    assert torch.equal(result.get_parameter(name), expected.float())


def test_average_of_one_is_itself():
    weights = weights_of(tiny_model())
    mean = average([weights])
    assert mean.keys() == weights.keys()
    assert all(torch.equal(mean[name], weights[name]) for name in weights)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_checkpoint_on_cuda(checkpoint):
    translator: Translator = load_translator(checkpoint, "cuda")
    assert translator.device.type == "cuda"
    assert [t.text for t in translator.translate([s for s, _ in SENTENCES])] == [t for _, t in SENTENCES]
