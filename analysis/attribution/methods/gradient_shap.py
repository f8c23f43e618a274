"""Gradient SHAP (Lundberg and Lee 2017)."""

import torch

from headscope.analysis.attribution.gradients import along, require_steps
from headscope.analysis.attribution.method import Found, Method, Question

SAMPLES = 50
"""Unless a number is given."""


def gradient_shap(asked: Question) -> Found:
    """The mean of gradient times way from the baseline, at random places of the way, as Captum's GradientShap has it,
    with one baseline and no noise. Its sum is right in expectation alone.

    Raises:
        HeadscopeError: there are no samples.
    """
    steps = SAMPLES if asked.steps is None else asked.steps
    require_steps(steps)
    places = torch.rand(steps, generator=torch.Generator().manual_seed(asked.seed), dtype=torch.float64)
    return along(asked, places, torch.full_like(places, 1 / steps))


METHOD = Method(
    name="gradient SHAP",
    meaning="the mean of the gradient at random places of the way from a baseline, times the way",
    reference="Lundberg and Lee 2017",
    cost="many passes",
    signed=True,
    run=gradient_shap,
    compares=True,
)
