"""Occlusion (Zeiler and Fergus 2014, section 4.2)."""

from headscope.analysis.attribution.erasure import by_baseline, one_by_one
from headscope.analysis.attribution.method import Found, Method, Question


def occlusion(asked: Question) -> Found:
    """The value minus that with the baseline's embedding in the token's place."""
    return one_by_one(asked, by_baseline(asked.inputs, asked.base()))


METHOD = Method(
    name="occlusion",
    meaning="what the value loses with a baseline in the token's place",
    reference="Zeiler and Fergus 2014",
    cost="a pass a token",
    signed=True,
    run=occlusion,
    compares=True,
)
