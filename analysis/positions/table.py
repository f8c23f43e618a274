"""The table of positions that a checkpoint adds to its embeddings (Vaswani et al. 2017, section 3.5).

`T` positions, counted from 0; `D` width of the model.
"""

from dataclasses import dataclass

import numpy as np

from headscope.analysis.capture.forced import to_numpy
from headscope.analysis.positions.regions import Training, training
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer, transformer
from headscope.model.translator import Translator

NO_TABLE = {
    "rotary": "turn queries and keys by their position",
    "alibi": "lower scores with the distance",
    "shaw": "are vectors of distances, beside the keys",
    "t5": "are numbers of distances, beside the scores",
    "none": "do not exist",
}
"""What schemes without a table do instead."""


@dataclass(frozen=True, slots=True, eq=False)
class PositionTable:
    """The first rows of a table, computed by the formula or read from the weights."""

    rows: np.ndarray
    """[T, D], float64."""
    training: Training
    """Of the same T positions."""

    @property
    def trained(self) -> np.ndarray:
        """[T]: see `Training.trained`."""
        return self.training.trained


def position_table(translator: Translator, length: int) -> PositionTable:
    """The first rows: `length` of them, or as many as a learned table has.

    Raises:
        HeadscopeError: the positions of this checkpoint are no table.
    """
    model = with_table(translator)
    limit = model.capabilities().position_limit
    length = length if limit is None else min(length, limit)
    vectors = model.positions.embed(0, length)
    assert vectors is not None
    return PositionTable(to_numpy(vectors).astype(np.float64), training(translator.card, length))


def with_table(translator: Translator) -> Transformer:
    """The model, whose positions are a table.

    Raises:
        HeadscopeError: they are not.
    """
    model = transformer(translator.model, "position tables")
    if model.positions.embed(0, 1) is None:
        kind = model.config.positions
        raise HeadscopeError(
            f"this checkpoint's positions ({kind}) {NO_TABLE.get(kind, 'are no table')}; there is no table to show: "
            "choose a sinusoidal or a learned checkpoint"
        )
    return model
