"""What a page opens with: what is seen and what to do next, and the stops of a tour through the pages."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guide:
    """What the component gets."""

    page: str
    """Its name: the browser remembers for which pages this was hidden."""
    seen: str
    """One sentence on what is seen."""
    steps: tuple[str, ...]
    """What may be done next."""
    stop: int
    """The stop of the tour that this page is, counted from 1; 0: no tour is taken, or it is elsewhere."""
    stops: int
    told: str
    """What is said at that stop."""
