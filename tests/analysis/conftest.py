"""Translators in float64 for the tests of analyses, where two ways to one number agree to 1e-9."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from headscope.model.translator import Translator


@pytest.fixture
def exact(float64: None) -> "Callable[..., Translator]":
    """Makes a translator of letters: untrained, in float64, with attention that is far from even."""
    import torch

    from headscope.model.card import Card
    from headscope.model.translator import Translator
    from tests.toys import letters, tiny_model

    def make(**changes: Any) -> Translator:
        size = letters().size("source")
        model = tiny_model(**{"source_vocabulary": size, "target_vocabulary": size} | changes)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if ".query.weight" in name or ".key.weight" in name:
                    parameter.mul_(3)
        return Translator(model, letters(), Card(Path("letters"), "letters", model.config, ("ab", "ba")))

    return make


@pytest.fixture
def without_cross(exact: "Callable[..., Translator]") -> "Translator":
    """A translator whose decoder hears nothing of the source: what its cross-attention puts out is 0."""
    import torch

    translator = exact()
    with torch.no_grad():
        for name, parameter in translator.model.named_parameters():
            if ".cross.output" in name:
                parameter.zero_()
    return translator
