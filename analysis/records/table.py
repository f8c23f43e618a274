"""Results that are tables: a row a head, or a row a token. No torch here."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


class Table:
    """A result that shows itself in a notebook as its table. (pandas escapes what stands in the cells.)"""

    __slots__ = ()

    def to_pandas(self) -> "DataFrame":
        """All of it, tidy."""
        raise NotImplementedError

    def _repr_html_(self) -> str | None:
        return self.to_pandas()._repr_html_()  # pyright: ignore[reportCallIssue]
