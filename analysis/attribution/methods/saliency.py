"""Saliency (Simonyan et al. 2014, section 3)."""

from headscope.analysis.attribution.gradients import single
from headscope.analysis.attribution.method import Found, Method, Question


def saliency(asked: Question) -> Found:
    """The gradient itself: how fast the value would change, whichever way."""
    return single(asked, lambda gradient, _: gradient)


METHOD = Method(
    name="saliency",
    meaning="the gradient: how fast the value would change",
    reference="Simonyan et al. 2014",
    cost="one pass",
    signed=False,
    run=saliency,
)
