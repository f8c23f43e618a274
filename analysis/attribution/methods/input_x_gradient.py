"""Input × gradient (Denil et al. 2014)."""

from headscope.analysis.attribution.gradients import single
from headscope.analysis.attribution.method import Found, Method, Question


def input_x_gradient(asked: Question) -> Found:
    """Gradient times embedding: to first order, what the value loses without the token."""
    return single(asked, lambda gradient, tokens: gradient * tokens)


METHOD = Method(
    name="input x gradient",
    meaning="gradient times embedding: to first order, what the value would lose",
    reference="Denil et al. 2014",
    cost="one pass",
    signed=True,
    run=input_x_gradient,
)
