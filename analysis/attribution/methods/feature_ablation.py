"""Feature ablation: tokens left out of the pass (as in leave-one-out, Li et al. 2016), by the mask of attention."""

from headscope.analysis.attribution.erasure import by_mask, one_by_one
from headscope.analysis.attribution.method import Found, Method, Question


def feature_ablation(asked: Question) -> Found:
    """The value minus that of a pass in which nobody looks at the token, and nothing is read in its place."""
    return one_by_one(asked, by_mask(asked.inputs))


METHOD = Method(
    name="feature ablation",
    meaning="what the value loses when nobody can look at the token",
    reference="Li et al. 2016",
    cost="a pass a token",
    signed=True,
    run=feature_ablation,
)
