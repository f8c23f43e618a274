"""Learning rates by update, counted from 1."""

from collections.abc import Callable
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Schedule = Callable[[int], float]
"""The learning rate of an update: one call per update of the weights, not per batch accumulated into it."""


class Noam(BaseModel):
    """k · d⁻⁰·⁵ · min(s⁻⁰·⁵, s · w⁻¹·⁵) (Vaswani et al. 2017, equation 3), with its peak k · (d·w)⁻⁰·⁵ at s = w."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["noam"] = "noam"
    warmup: int = Field(default=4000, ge=1)
    factor: float = Field(default=1.0, gt=0)
    """k: 1 in the paper."""

    def at(self, d_model: int) -> Schedule:
        """The schedule for a model of that width."""
        return lambda step: self.factor * d_model**-0.5 * min(step**-0.5, step * self.warmup**-1.5)


class InverseSquareRoot(BaseModel):
    """Linear from 0 to `peak` over `warmup` updates, then falling with the root: fairseq's `inverse_sqrt`.

    With peak = k · (d·w)⁻⁰·⁵ it is Noam's schedule.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["inverse-square-root"]
    warmup: int = Field(default=4000, ge=1)
    peak: float = Field(gt=0)

    def at(self, d_model: int) -> Schedule:
        """The schedule; the width of the model does not matter."""
        return lambda step: self.peak * min(step / self.warmup, (self.warmup / step) ** 0.5)
