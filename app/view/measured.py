"""What is measured of a head: names for the page, and this sentence beside the corpus."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from headscope.analysis.measures.head_measures import MEASURES, HeadMeasures
from headscope.analysis.records.heads import Head
from headscope.app.view.state import REMOVAL, measures_of
from headscope.app.wire.encoding import number

if TYPE_CHECKING:
    from headscope.analysis.measures.profile import HeadProfile

NAMES = {name: name.replace("_", " ").capitalize() for name in MEASURES} | {REMOVAL: "Change without it"}
DEFINITIONS = {
    **MEASURES,
    REMOVAL: "change of the translation's log-probability when the head puts out nothing, in nats; negative where it "
    "is needed",
}
NO_PROFILE = (
    "This checkpoint has no profile of its heads over a corpus (profile.json), or one of other weights: "
    "there is nothing to compare this sentence with."
)


def beside_corpus(head: Head, found: HeadMeasures, profile: "HeadProfile | None") -> None:
    """Draw a table of a head's measures in this sentence and over the corpus, and what the corpus says of its role.

    Args:
        found: in pieces, nothing hidden, for so the profile was taken.
    """
    with st.container(width=640, key="measured"):
        table = rows(head, found, profile)
        columns = ["Measure", "This sentence", "Corpus, mean ± deviation", "5 % to 95 %"][: len(table[0])]
        lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *table]
        st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))
        st.caption(NO_PROFILE if profile is None else summary(head, profile))


def rows(head: Head, found: HeadMeasures, profile: "HeadProfile | None") -> list[list[str]]:
    """A measure a row: its name and its value in the sentence and, with a profile, mean, standard deviation and range.
    A value out of the range is bold.
    """
    table = []
    for name in measures_of(head.kind):
        if name != REMOVAL:
            value = found.values[name][found.heads.index(head)]
            row = [NAMES[name], _shown(value)]
            if profile is not None:
                at = profile.heads.index(head)
                low, *_, high = profile.quantiles[name][at]
                if value < low or value > high:
                    row[1] = f"**{row[1]}**"
                row.append(f"{_shown(profile.mean[name][at])} ± {_shown(profile.deviation[name][at])}")
                row.append(f"{_shown(low)} to {_shown(high)}")
            table.append(row)
    return table


def summary(head: Head, profile: "HeadProfile") -> str:
    """Over how much was measured, and the head's roles there."""
    from headscope.analysis.measures.roles import roles

    played = [f"{role.name} ({NAMES[role.measure].lower()} ≥ {role.threshold:g})" for role in roles(profile)[head]]
    text = f"In pieces, start and end symbols included; the corpus: {profile.sentences:,} sentences"
    text += f", {profile.left_out:,} left out. " if profile.left_out else ". "
    text += "There targets are references. Bold: outside of what nine in ten sentences have. "
    return text + f"There this head {', and '.join(played) or 'plays none of our roles'}."


def _shown(value: float) -> str:
    return "–" if np.isnan(value) else number(value)
