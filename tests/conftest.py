"""Fixtures that several test files share."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.checking import check_packages

if TYPE_CHECKING:
    from headscope.model.translator import Translator

# Toy models gain nothing from a second thread; on a busy machine two threads wait for each other for minutes.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Tests check the types and shapes of every call. The hook has to stand before the first import of these packages,
# so what is imported from them here is imported inside the fixtures.
check_packages(["headscope.model", "headscope.analysis"])

SLOW = (
    *("browser", "app/pages", "app/commands", "analysis/gallery", "model/interop", "model/training"),
    *(f"analysis/corpus/test_{name}.py" for name in ("faithfulness_study", "passage_trial", "ranking")),
    *(f"analysis/positions/test_{name}.py" for name in ("comparison", "decoding", "effects", "experiment", "heads")),
    *(f"analysis/positions/test_{name}.py" for name in ("length", "study")),
    *(f"analysis/experiments/test_{name}.py" for name in ("ablation", "side_by_side")),
    *(f"analysis/search/test_{name}.py" for name in ("curves", "exact", "report", "study")),
    *("analysis/attribution/test_sanity.py", "analysis/interventions/test_effects.py"),
    *(f"app/export/test_{name}.py" for name in ("chart", "done", "figure", "files", "lines_figure", "paper")),
    *("app/export/test_tree_figure.py", "app/view/test_saving.py"),
    *("app/workbench/test_position_corpus.py", "app/workbench/test_training.py", "model/search/test_sampling.py"),
    *("model/test_translator.py", "model/test_translator_search.py"),
    *("test_frozen_checkpoint.py", "test_headscope.py", "test_notebooks.py", "test_readme.py"),
)
"""Folders and files of tests that start browsers, pages, commands or other toolkits, train, search whole corpora or
draw for print: `-m "not slow"` is the rest, of which each takes a moment."""


def is_slow(path: Path) -> bool:
    """Whether a file or folder of tests is of `SLOW`."""
    return any(path.is_relative_to(Path(__file__).parent / place) for place in SLOW)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where the quick tier alone is wanted, the files of the slow one are not even imported."""
    return True if config.option.markexpr == "not slow" and is_slow(collection_path) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow by where it stands."""
    for item in items:
        if is_slow(item.path):
            item.add_marker("slow")


settings.register_profile("headscope", deadline=None, derandomize=True, max_examples=30)
settings.load_profile("headscope")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data that the variable HEADSCOPE_SHARED names; without it the test is skipped.

    With HEADSCOPE_REQUIRE_ALL=1 a missing folder is a failure, so that no run passes by skipping.
    """
    folder = Path(os.environ.get("HEADSCOPE_SHARED", ""))
    if os.environ.get("HEADSCOPE_SHARED") and folder.is_dir():
        return folder.resolve()
    reason = "HEADSCOPE_SHARED names no folder with the reference data"
    if os.environ.get("HEADSCOPE_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def float64() -> Iterator[None]:
    """Models and tables made in the test are float64: two ways to compute one thing then agree to 1e-9."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(before)


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete checkpoint folder: a small untrained model over SentencePiece pieces of German and English.

    Copy it before you change it.
    """
    from tests.toys import save_toy_checkpoint

    return save_toy_checkpoint(tmp_path_factory.mktemp("checkpoints") / "toy-en-de")


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with a table of 48 learned positions.

    Copy it before you change it.
    """
    from tests.toys import save_toy_checkpoint

    return save_toy_checkpoint(tmp_path_factory.mktemp("learned") / "learned", positions="learned", position_table=48)


@pytest.fixture(scope="session")
def translator(checkpoint: Path) -> "Translator":
    """The translator of `checkpoint`."""
    from headscope.model.translator import load_translator

    return load_translator(checkpoint, "cpu")


@pytest.fixture(scope="session")
def reverser() -> "Translator":
    """A translator that has begun to learn to write letters backwards; its translations differ from text to text."""
    from tests.toys import reversing_translator

    return reversing_translator()
