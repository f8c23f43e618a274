"""A data set called `toy`: pairs of which two are in the test set, one by either side."""

import gzip
import hashlib
from collections.abc import Mapping
from pathlib import Path

from headscope.model.data.known_datasets import DataFile, DataSet

PAIRS = [(f"Sentence {index}.", f"Satz {index}.") for index in range(60)]
TEST = [("Sentence  7.", "ein anderer"), ("another", "SATZ 9."), ("new", "neu")]

TEXTS: Mapping[str, bytes] = {
    "pairs.tsv.gz": "".join(f"{source}\t{target}\n" for source, target in PAIRS).encode(),
    "test/test.en": "".join(f"{source}\n" for source, _ in TEST).encode(),
    "test/test.de": "".join(f"{target}\n" for _, target in TEST).encode(),
}


def toy_data(files: Mapping[str, DataFile] | None = None) -> DataSet:
    """The data set; its files as they are, unless others are given."""
    return DataSet(
        name="toy",
        source="en",
        target="de",
        folder="toy",
        origin="made up",
        licence="none needed",
        attribution="nobody",
        files=files or {name: DataFile(url="", size=0, sha256=(digest(text),)) for name, text in TEXTS.items()},
        train=("pairs.tsv.gz",),
        given={"test": ("test/test.en", "test/test.de")},
        drawn={"dev": 20, "heldout": 5},
    )


def write_copy(folder: Path) -> Path:
    """Write the files of the data set into a folder."""
    for name, text in TEXTS.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return folder


def digest(text: bytes) -> str:
    """The sha256 of a text."""
    return hashlib.sha256(text).hexdigest()
