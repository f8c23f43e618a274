"""Toy data and toy recipes."""

from collections.abc import Callable, Iterator

import pytest
import torch

from headscope.model.data.prepared import PreparedData
from headscope.model.training.recipe import Recipe, parse_recipe
from tests.training_toys import toy_fields, write_copying


@pytest.fixture(scope="session")
def copying(tmp_path_factory: pytest.TempPathFactory) -> PreparedData:
    """A few pairs: enough to take steps on."""
    return write_copying(tmp_path_factory.mktemp("data") / "copying", train=120, dev=8, longest=6)


@pytest.fixture
def toy() -> Callable[..., Recipe]:
    """Makes recipes for toy models."""
    return lambda **changes: parse_recipe(toy_fields(**changes))


@pytest.fixture(autouse=True)
def restored_threads() -> Iterator[None]:
    """Recipes set the number of threads of the process."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
