"""How long work reports how far it is, and how it is told to stop."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable


class Cancelled(Exception):
    """Raised out of `Progress.update` when whoever watches the work wants it to stop."""


@runtime_checkable
class Progress(Protocol):
    """What the trainer, the translator and corpus analyses call while they work."""

    def update(self, done: int, total: int | None) -> None:
        """Report `done` of `total` units (None: the total is not known).

        Raises:
            Cancelled: to stop the work at this point; nothing half-done is left behind.
        """
        ...


class Silent:
    """A `Progress` that reports to nobody."""

    def update(self, done: int, total: int | None) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class Share:
    """Progress of a part of some work, reported as progress of the whole."""

    whole: Progress
    before: int
    """Units that were done before this part."""
    total: int | None = None

    def update(self, done: int, total: int | None) -> None:
        """Report `done` units of this part."""
        self.whole.update(self.before + done, self.total)
