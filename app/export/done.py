"""How far a file is in which the heads of a record are written one after the other."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.model.progress import Progress, Silent

T = TypeVar("T")


class Done:
    """Counts the heads that are written, and tells whoever waits."""

    def __init__(self, maps: AttentionMaps, progress: Progress | None, *, times: int = 1) -> None:
        """Begin.

        Args:
            times: how often every head is gone through.
        """
        self._progress, self._done = progress or Silent(), 0
        self._total = times * sum(len(layer) for kind in maps.maps for layer in maps.layers(kind))

    def each(self, heads: Iterable[T]) -> Iterator[T]:
        """The same heads.

        Raises:
            Cancelled: whoever waits wants it to stop.
        """
        for head in heads:
            self._progress.update(self._done, self._total)
            yield head
            self._done += 1
