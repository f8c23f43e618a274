"""Checkpoints and data for the commands that keep a result with a checkpoint."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

from headscope.model.card import CONFIG
from headscope.model.checkpoint import save_checkpoint
from headscope.model.translator import Translator
from tests.toys import random_letters

LETTERS = sorted(set(random_letters(16, 6, seed=5)))
"""Sentences in the pieces of a model without a model for text."""


def copied(checkpoint: Path, folder: Path) -> Path:
    """A checkpoint of its own."""
    return shutil.copytree(checkpoint, folder)


def hurried(folder: Path, longest: int = 12) -> Path:
    """A checkpoint that from now on is searched greedily, for short translations."""
    config = json.loads((folder / CONFIG).read_text("utf-8"))
    (folder / CONFIG).write_text(json.dumps(config | {"search": {"beam": 1, "longest": longest}}), "utf-8")
    return folder


def saved(translator: Translator, folder: Path) -> Path:
    """A model of symbols as a checkpoint, as an imported one is; its weights as they are."""
    model, vocabulary, languages = translator.model, translator.vocabulary, translator.card.languages
    save_checkpoint(folder, model, vocabulary, languages, dtype=torch.float32)
    return folder


def write_data(folder: Path, pairs: Sequence[tuple[str, str]], *parts: str, **about: str) -> Path:
    """A folder of data: train and dev have one pair that is in no other part."""
    folder.mkdir()
    for part in ("train", "dev", *parts):
        rows = pairs if part in parts else [("x", "x")]
        (folder / f"{part}.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in rows), "utf-8")
    if about:
        (folder / "data.json").write_text(json.dumps(about), "utf-8")
    return folder
