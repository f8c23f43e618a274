"""Integrated gradients (Sundararajan et al. 2017, equation 1)."""

import torch

from headscope.analysis.attribution.adaptive import adaptive_gradients
from headscope.analysis.attribution.gradients import along, require_steps
from headscope.analysis.attribution.method import Found, Method, Question


def integrated_gradients(asked: Question) -> Found:
    """The gradient, averaged on the straight way from the baseline, times the way.

    Source and target move together. With a number of steps, the integral is that of the midpoints of equal steps;
    otherwise the steps lie where they are needed for the sum to be right to 1 %.

    Raises:
        HeadscopeError: there are no steps.
    """
    if asked.steps is None:
        return adaptive_gradients(asked)
    require_steps(asked.steps)
    places = (torch.arange(asked.steps, dtype=torch.float64) + 0.5) / asked.steps
    return along(asked, places, torch.full_like(places, 1 / asked.steps))


METHOD = Method(
    name="integrated gradients",
    meaning="the gradient along the way from a baseline, times the way",
    reference="Sundararajan et al. 2017",
    cost="many passes",
    signed=True,
    run=integrated_gradients,
    compares=True,
)
