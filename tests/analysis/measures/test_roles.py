import numpy as np
import pytest

from headscope.analysis.measures.head_measures import MEASURES
from headscope.analysis.measures.profile import HeadProfile
from headscope.analysis.measures.roles import ROLES, roles
from headscope.analysis.records.heads import Head


def profile(**means: float) -> HeadProfile:
    """Of one head, of which all other measures are NaN."""
    mean = {name: np.array([means.get(name, np.nan)]) for name in MEASURES}
    spread = {name: np.zeros((1, 5)) for name in MEASURES}
    return HeadProfile((Head("encoder", 0, 0),), 1000, 0, "digest", mean, mean, spread)


def names(**means: float) -> list[str]:
    (found,) = roles(profile(**means)).values()
    return [role.name for role in found]


def test_thresholds_are_reached_or_not():
    assert names(previous_peak=0.9) == ["looks at the token before"]
    assert names(previous_peak=0.8999, previous=0.99) == []
    assert names(end=0.6, relative_entropy=0.95) == ["rests on the end of sentence", "looks everywhere"]
    assert names() == []


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
def test_every_role_is_of_a_measure_and_can_be_played(role):
    assert role.measure in MEASURES
    assert names(**{role.measure: 1.0}) == [role.name]
