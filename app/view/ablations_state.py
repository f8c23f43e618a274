"""What the page of ablations shows beyond the View, as a value, and its form in the address."""

from dataclasses import dataclass
from typing import Annotated

from headscope.analysis.experiments.differences import MEASURES, Measure
from headscope.analysis.experiments.grids import GRIDS
from headscope.app.view.codec import PageState, Word, one_of


@dataclass(frozen=True, slots=True)
class AblationsView(PageState):
    """What the page of ablations alone shows."""

    grid: Annotated[str, one_of(tuple(GRIDS))] = "heads"
    measure: Annotated[Measure, one_of(tuple(MEASURES))] = "test bleu"
    text: Annotated[str, Word(str)] = ""
    """The folder of results; blank: the first."""
