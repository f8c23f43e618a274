"""Enter in a field of several lines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Enter:
    """What the component gets."""

    label: str
    """Of the field."""
