"""Model folders: weights in safetensors, configuration, vocabulary, and how it all came about.

Nothing is ever unpickled. Weights are written in fp16 to be small and read into float32.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from headscope.model.card import CONFIG, FORMAT, VOCABULARY, WEIGHTS
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.files import replaced_folder, write_json
from headscope.model.network.architectures import build
from headscope.model.network.linear import pack
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stored import search_fields
from headscope.model.text.vocabulary import Vocabulary


def weights_of(model: Seq2Seq, dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    """The parameters by name; a tied table stands under its first name alone."""
    return {name: p.detach().to("cpu", dtype).contiguous() for name, p in model.named_parameters()}


def write_weights(path: Path, tensors: Mapping[str, Tensor], notes: Mapping[str, str] | None = None) -> None:
    """Write a safetensors file. `notes` go into its header.

    Raises:
        HeadscopeError: it cannot be written, because the disk is full for example.
    """
    try:
        save_file(dict(tensors), path, None if notes is None else dict(notes))
        path.chmod(0o644)  # safetensors leaves it to its owner alone
    except SafetensorError as error:
        raise HeadscopeError(f"{path} cannot be written: {error}") from error


def save_checkpoint(
    path: Path,
    model: Seq2Seq,
    vocabulary: Vocabulary,
    languages: tuple[str, str],
    *,
    dtype: torch.dtype = torch.float16,
    search: SearchSettings | None = None,
    records: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write a checkpoint folder, whole or not at all; one that was there is replaced.

    Args:
        search: how the model is best searched, where that is another way than the paper's.
        records: contents of further JSON files by file name, such as `training.json`.

    Raises:
        HeadscopeError: something else than a checkpoint stands there.
    """
    path = path.resolve()
    replaceable = (path / CONFIG).is_file() and (path / VOCABULARY).is_dir()
    if path.is_file() or (path.is_dir() and any(path.iterdir()) and not replaceable):
        raise HeadscopeError(f"{path} is there and is no checkpoint: choose another place, or remove it")
    with replaced_folder(path) as fresh:
        write_weights(fresh / WEIGHTS, weights_of(model, dtype))
        vocabulary.save(fresh / VOCABULARY)
        config = {
            "format": FORMAT,
            "architecture": model.config.architecture,
            "languages": list(languages),
            "model": model.config.model_dump(),
        }
        if search is not None:
            config["search"] = search_fields(search)
        write_json(fresh / CONFIG, config)
        for name, content in (records or {}).items():
            write_json(fresh / name, content)


def read_weights(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file, in float32.

    Raises:
        HeadscopeError: the file is missing, cut short, or of another format (a pickle is never opened).
    """
    with _opened(path) as file:
        return {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118


def parameter_counts(path: Path, config: ModelConfig) -> dict[str, int]:
    """How many numbers each parameter in a checkpoint folder has. Of the weights the header alone is read.

    Raises:
        HeadscopeError: the weights are missing, cut short, or do not fit the configuration.
    """
    with torch.device("meta"):
        expected = {name: p.shape for name, p in build(config).named_parameters()}
    with _opened(path / WEIGHTS) as file:
        found = {name: torch.Size(file.get_slice(name).get_shape()) for name in file.keys()}  # noqa: SIM118
    _check_shapes(path / WEIGHTS, found, expected)
    return {name: shape.numel() for name, shape in found.items()}


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        with safe_open(path, framework="pt") as file:
            yield file
    except FileNotFoundError as error:
        raise HeadscopeError(f"{path} is missing: the checkpoint has no weights") from error
    except (SafetensorError, OSError, ValueError) as error:
        raise HeadscopeError(f"{path} is not a whole safetensors file ({error}): copy it again") from error


def load_model(path: Path, config: ModelConfig, device: torch.device) -> Seq2Seq:
    """The model of a checkpoint folder, ready for evaluation; its parameters take no gradients.

    Raises:
        HeadscopeError: the weights are broken, do not fit the configuration, or are not all finite.
    """
    with torch.random.fork_rng(devices=[]):  # initial values are drawn, and thrown away
        model = build(config)
    load_weights(model, path / WEIGHTS)
    model = model.to(device).eval().requires_grad_(False)
    pack(model)
    return model


def load_weights(model: Seq2Seq, path: Path) -> None:
    """Give a model the weights in a safetensors file; it is left as it was where they are not right.

    Raises:
        HeadscopeError: the weights are broken, do not fit the model, or are not all finite.
    """
    weights = read_weights(path)
    _check_shapes(
        path, {name: w.shape for name, w in weights.items()}, {n: p.shape for n, p in model.named_parameters()}
    )
    for name, values in weights.items():
        if not values.isfinite().all():
            raise HeadscopeError(f"{path}: '{name}' holds values that are not finite; the training has diverged")
    model.load_state_dict(weights, strict=False)


def _check_shapes(path: Path, found: Mapping[str, torch.Size], expected: Mapping[str, torch.Size]) -> None:
    for name, shape in expected.items():
        if name not in found:
            raise HeadscopeError(f"{path} lacks the tensor '{name}' that {CONFIG} asks for")
        if found[name] != shape:
            raise HeadscopeError(
                f"{path}: '{name}' has the shape {list(found[name])}, but {CONFIG} asks for {list(shape)}"
            )
    unknown = sorted(set(found) - set(expected))
    if unknown:
        raise HeadscopeError(f"{path} holds the tensor '{unknown[0]}', for which {CONFIG} has no place")


def average(checkpoints: Sequence[Mapping[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several sets of weights, taken in float64 (Vaswani et al. 2017, section 6.1)."""
    first = checkpoints[0]
    return {name: torch.stack([c[name].double() for c in checkpoints]).mean(0).to(first[name].dtype) for name in first}
