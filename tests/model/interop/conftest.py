"""Folders that several test files read."""

from pathlib import Path

import pytest

from tests.model.interop.ctranslate2_toys import VOCABULARY, random_model
from tests.model.interop.toys import small_marian


@pytest.fixture(scope="session")
def marian(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small MarianMT model. Copy it before you change it."""
    folder = tmp_path_factory.mktemp("marian") / "small"
    small_marian(folder)
    return folder


@pytest.fixture
def ctranslate2(tmp_path: Path) -> Path:
    """A small folder of CTranslate2 to change."""
    random_model(tmp_path / "m", vocabulary=VOCABULARY)
    return tmp_path / "m"
