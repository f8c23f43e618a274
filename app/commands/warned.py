"""What `translate`, `evaluate`, `score` and `search` warn of: one line a kind on standard error, in the end."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from headscope.app.commands.console import say

if TYPE_CHECKING:
    from headscope.analysis.measures.warnings import WarningKind
    from headscope.model.translation import Translation
    from headscope.model.translator import Translator

NAMED = 10
"""Lines that are named, of each kind."""


class Warned:
    """Counts the kinds of warning that lines give cause for."""

    def __init__(self, place: str = "line") -> None:
        self._place = place
        self._counts: Counter[WarningKind] = Counter()
        self._lines: dict[WarningKind, list[int]] = defaultdict(list)

    def add(self, line: int, kinds: "Iterable[WarningKind]") -> None:
        """Count the kinds of one more line."""
        for kind in kinds:
            self._counts[kind] += 1
            if len(self._lines[kind]) < NAMED:
                self._lines[kind].append(line)

    def say(self) -> None:
        """Tell how many lines there are of each kind, and which are the first."""
        from headscope.analysis.measures.warnings import SAID

        for kind, what in SAID.items():
            if count := self._counts[kind]:
                lines = ", ".join(map(str, self._lines[kind])) + (", …" if count > NAMED else "")
                say(f"{what}: {count:,} ({self._place}{'s' * (count > 1)} {lines})")


def warnings_of(translator: "Translator", translation: "Translation") -> "tuple[WarningKind, ...]":
    """The kinds of the best translation of a line; none where there is no translation."""
    from headscope.analysis.capture.pairs import found_pair
    from headscope.analysis.measures import warnings

    return warnings.warnings_of(translator, found_pair(translation)) if translation.hypotheses else ()
