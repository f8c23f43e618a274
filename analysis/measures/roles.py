"""What heads are for, by their corpus profile and stated thresholds."""

from collections.abc import Mapping
from dataclasses import dataclass

from headscope.analysis.measures.profile import HeadProfile
from headscope.analysis.records.heads import Head


@dataclass(frozen=True, slots=True)
class Role:
    """A head plays it when its mean over the corpus reaches the threshold."""

    name: str
    measure: str
    """One of `analysis.measures.head_measures.MEASURES`."""
    threshold: float
    source: str
    """Where the threshold comes from."""


_POSITIONAL = "Voita et al. 2019, section 5.1: the largest weight at one fixed offset 90 % of the time"
_RESTS = "ours: most of the weight"

ROLES = (
    Role("looks at the token before", "previous_peak", 0.9, _POSITIONAL),
    Role("looks at the token itself", "same_peak", 0.9, _POSITIONAL),
    Role("looks at the token after", "next_peak", 0.9, _POSITIONAL),
    Role("rests on the end of sentence", "end", 0.5, _RESTS),
    Role("rests on the start symbol", "start", 0.5, _RESTS),
    Role("looks at punctuation", "punctuation", 0.5, _RESTS),
    Role("follows the diagonal", "diagonality", 0.5, "ours: half of the way from evenly spread to diagonal"),
    Role("looks everywhere", "relative_entropy", 0.9, "ours: 90 % of the entropy of uniform attention"),
)


def roles(profile: HeadProfile) -> Mapping[Head, tuple[Role, ...]]:
    """The roles of every head, in the order of `ROLES`; none for most."""
    return {
        head: tuple(role for role in ROLES if profile.mean[role.measure][index] >= role.threshold)
        for index, head in enumerate(profile.heads)
    }
