"""Making a folder ready for training out of the files of a known data set."""

import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from model.catalogue import DataSet, text_sha256
from model.corpus import Pair, read_parallel
from model.datasets import VOCABULARY, PreparedData, load_prepared, read_metadata
from model.errors import HeadscopeError
from model.progress import Progress, Silent
from model.splits import divide, without_overlap
from model.subwords import cut, learn_merges, tokenise
from model.symbol_vocabulary import SymbolVocabulary

MAKER = "headscope data"
"""Stands in the `data.json` of a folder made here: such a folder may be made anew."""
CODES = "bpe.codes"
"""The merges that pieces were cut by, as subword-nmt writes them."""
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")

Parts = dict[str, list[Pair]]


@dataclass(frozen=True)
class _Pieces:
    """What belongs to a text that is cut into pieces."""

    codes: str
    vocabulary: SymbolVocabulary


@dataclass(frozen=True)
class _Text:
    """Everything that a prepared folder will hold."""

    parts: Parts
    left_out: int
    pieces: _Pieces | None = None


def prepare(data: DataSet, folder: Path, out: Path, *, progress: Progress | None = None) -> PreparedData:
    """Check a local copy of a data set, split it, and write it as a folder ready for training.

    Unless the published split is kept, a pair leaves the training text when either side occurs in a given part (test
    sets; for Multi30k its validation set too), and further parts are drawn by hash of the connected component (see
    `model.splits`). Given parts are untouched. Text that is cut into pieces gets the vocabulary of its training part.
    The folder appears complete or not at all.

    Args:
        folder: where the files of the data set are, or a folder that contains that one.
        out: the folder to make. It may exist when it is empty or was made here.

    Raises:
        HeadscopeError: missing or altered file, `out` holds something else or cannot be written, no sacremoses or
            subword-nmt where they are needed.
        Cancelled: `progress` wants it to stop.
    """
    out = out.resolve()
    _check_replaceable(out)
    place, found = _checked_folder(data, folder)
    progress = progress or Silent()
    steps = 4
    progress.update(0, steps)
    ...
