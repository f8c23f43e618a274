"""Folders that are no checkpoints, or no longer: one line says why, and nothing in them is run."""

import json
import pickle
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from headscope.model.card import read_card
from headscope.model.checkpoint import parameter_counts
from headscope.model.errors import HeadscopeError
from headscope.model.translator import load_translator
from tests.files import tree
from tests.toys import letters


class Bomb:
    """Unpickling it would write a file."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


def truncated(folder: Path) -> str:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    return "model.safetensors is not a whole safetensors file"


def truncated_in_the_header(folder: Path) -> str:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    return "not a whole safetensors file"


def empty(folder: Path) -> str:
    (folder / "model.safetensors").write_bytes(b"")
    return "not a whole safetensors file"


def header_that_claims_too_much(folder: Path) -> str:
    (folder / "model.safetensors").write_bytes((2**62).to_bytes(8, "little") + b"{}")
    return "not a whole safetensors file"


def pickle_in_disguise(folder: Path) -> str:
    (folder / "model.safetensors").write_bytes(pickle.dumps(Bomb(folder / "exploded")))
    return "not a whole safetensors file"


def torch_pickle_in_disguise(folder: Path) -> str:
    torch.save({"bomb": Bomb(folder / "exploded")}, folder / "model.safetensors")
    return "not a whole safetensors file"


def no_weights(folder: Path) -> str:
    (folder / "model.safetensors").unlink()
    return "model.safetensors is missing"


def folder_for_weights(folder: Path) -> str:
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors").mkdir()
    return "model.safetensors"


def change_weights(folder: Path, change) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")


def not_a_number(folder: Path) -> str:
    change_weights(folder, lambda weights: weights["encoder.0.attention.key.weight"][3, 5].fill_(float("nan")))
    return "'encoder.0.attention.key.weight' holds values that are not finite"


def infinite(folder: Path) -> str:
    change_weights(folder, lambda weights: weights["decoder.1.cross.value.bias"][3].fill_(float("inf")))
    return "'decoder.1.cross.value.bias' holds values that are not finite"


def missing_key(folder: Path) -> str:
    change_weights(folder, lambda weights: weights.pop("decoder.0.cross.query.weight"))
    return "lacks the tensor 'decoder.0.cross.query.weight'"


def unknown_key(folder: Path) -> str:
    change_weights(folder, lambda weights: weights.update({"encoder.9.attention.key.bias": torch.zeros(2)}))
    return "holds the tensor 'encoder.9.attention.key.bias'"


def other_shape_in_weights(folder: Path) -> str:
    change_weights(folder, lambda weights: weights.update({"encoder.0.feed_forward.inner.bias": torch.zeros(7)}))
    return "'encoder.0.feed_forward.inner.bias' has the shape [7], but config.json asks for [24]"


def change_config(folder: Path, **changes) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["model"] |= changes
    (folder / "config.json").write_text(json.dumps(config))


def other_shape_in_configuration(folder: Path) -> str:
    change_config(folder, d_model=64)
    return "has the shape [360, 32], but config.json asks for [360, 64]"


def fewer_layers_in_configuration(folder: Path) -> str:
    change_config(folder, encoder={"layers": 1, "heads": 4, "feed_forward": 24})
    return "holds the tensor 'encoder.1."


def norm_in_configuration(folder: Path) -> str:
    change_config(folder, norm="pre")
    return "lacks the tensor 'encoder_norm.weight'"


def broken_configuration(folder: Path) -> str:
    (folder / "config.json").write_text('{"format": 1, ')
    return "config.json is not JSON"


def no_configuration(folder: Path) -> str:
    (folder / "config.json").unlink()
    return "without config.json"


def unknown_format(folder: Path) -> str:
    (folder / "config.json").write_text('{"format": 7}')
    return "format 7 is unknown"


def no_vocabulary(folder: Path) -> str:
    shutil.rmtree(folder / "vocabulary")
    return "vocabulary"


def vocabulary_without_its_model(folder: Path) -> str:
    for file in (folder / "vocabulary").glob("*.model"):
        file.unlink()
    return ".model"


def vocabulary_of_another_model(folder: Path) -> str:
    shutil.rmtree(folder / "vocabulary")
    letters().save(folder / "vocabulary")
    return "30 pieces, the model's table 360 rows"


@pytest.mark.parametrize(
    "spoil",
    [
        truncated,
        truncated_in_the_header,
        empty,
        header_that_claims_too_much,
        pickle_in_disguise,
        torch_pickle_in_disguise,
        no_weights,
        folder_for_weights,
        not_a_number,
        infinite,
        missing_key,
        unknown_key,
        other_shape_in_weights,
        other_shape_in_configuration,
        fewer_layers_in_configuration,
        norm_in_configuration,
        broken_configuration,
        no_configuration,
        unknown_format,
        no_vocabulary,
        vocabulary_without_its_model,
        vocabulary_of_another_model,
    ],
)
def test_bad_checkpoint_is_one_line_and_leaves_nothing(tmp_path, checkpoint, spoil):
    folder = tmp_path / "spoilt"
    shutil.copytree(checkpoint, folder)
    words = spoil(folder)
    before = tree(tmp_path)
    with pytest.raises(HeadscopeError) as caught:
        load_translator(folder, "cpu")
    message = str(caught.value)
    assert "\n" not in message
    assert words in message
    assert str(folder) in message
    assert tree(tmp_path) == before


@pytest.mark.parametrize(
    "spoil", [truncated, empty, pickle_in_disguise, no_weights, missing_key, unknown_key, other_shape_in_weights]
)
def test_parameters_of_broken_weights(tmp_path, checkpoint, spoil):
    folder = shutil.copytree(checkpoint, tmp_path / "spoilt")
    words = spoil(folder)
    with pytest.raises(HeadscopeError, match=r"model\.safetensors") as caught:
        parameter_counts(folder, read_card(folder).config)
    assert words in str(caught.value)
