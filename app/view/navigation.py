"""Every page there is: adding one is a line here."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from headscope.app.workbench import studies


@dataclass(frozen=True, slots=True)
class Page:
    """A page, as the navigation has it."""

    file: str
    """In `app/pages`."""
    title: str

    @property
    def name(self) -> str:
        """What links and other pages call it, and its path in the address."""
        return PurePosixPath(self.file).stem


PAGES = {
    page.name: page
    for page in (
        Page("overview.py", "Overview"),
        Page("head/head.py", "Head"),
        Page("inside.py", "Inside a head"),
        Page("training.py", "Over training"),
        Page("what_if.py", "What if"),
        Page("why/why.py", "Why"),
        Page("search/search.py", "Search"),
        Page("positions/positions.py", "Positions"),
        Page("compare/compare.py", "Compare"),
        Page("ablations.py", "Ablations"),
        Page("gallery.py", "Gallery"),
        Page("models/models.py", "Models"),
        Page("runs/runs.py", "Runs"),
    )
}
FIRST = "head"
"""The page of an address without a path."""


def hidden() -> frozenset[str]:
    """Pages that have nothing to show on this server: an address leads to them, and nothing else."""
    return frozenset() if studies.ablated_texts() else frozenset({"ablations"})
