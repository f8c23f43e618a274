"""The data sets by name are what their local copies hold."""

import gzip
import hashlib
from pathlib import Path

import pytest

from headscope.model.data.known_datasets import DATA_SETS, find, text_sha256
from headscope.model.errors import HeadscopeError


def test_every_file_that_is_used_is_known():
    for name, data in DATA_SETS.items():
        assert name == data.name
        used = {*data.train, *(file for files in data.given.values() for file in files)}
        assert used == data.files.keys()
        for file in data.files.values():
            assert file.url.startswith("https://")
            assert all(len(digest) == 64 for digest in file.sha256)


def test_an_unknown_name_is_told_what_there_is():
    with pytest.raises(
        HeadscopeError, match="no data set 'wmt'; choose one of tatoeba-en-de, tatoeba-de-en, multi30k-"
    ):
        find("wmt")


@pytest.mark.parametrize("name", ["text", "text.gz"])
def test_the_digest_is_that_of_the_text(tmp_path: Path, name: str):
    (tmp_path / name).write_bytes(gzip.compress(b"a\nb\n") if name.endswith(".gz") else b"a\nb\n")
    assert text_sha256(tmp_path / name) == hashlib.sha256(b"a\nb\n").hexdigest()


def test_local_copies_are_known(shared: Path):
    for data in DATA_SETS.values():
        for name, file in data.files.items():
            assert text_sha256(shared / "data" / data.folder / name) in file.sha256
