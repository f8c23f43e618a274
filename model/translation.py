"""What a translator makes of a line."""

from dataclasses import dataclass

from headscope.model.search.trace import Hypothesis
from headscope.model.text.vocabulary import Segmentation


@dataclass(frozen=True, slots=True)
class Translation:
    """One line, translated."""

    source: Segmentation
    hypotheses: tuple[Hypothesis, ...]
    """The n best, best first; none for a blank line, or where there is a problem."""
    targets: tuple[Segmentation, ...]
    """The text of each hypothesis, and where its pieces stand in it."""
    problem: str | None = None
    """Why the line was not translated; None: it was, or it is blank."""

    @property
    def text(self) -> str:
        """The best translation; empty where there is none."""
        return self.targets[0].text if self.targets else ""

    @property
    def finished(self) -> bool:
        """Whether the best translation ended, before the greatest length cut it off; where there is none, nothing was
        cut off either."""
        return all(hypothesis.finished for hypothesis in self.hypotheses[:1])


@dataclass(frozen=True, slots=True)
class Scored:
    """A given translation, scored by the model."""

    source: Segmentation
    target: Segmentation
    log_probs: tuple[float, ...]
    """In nats: one a piece of the target, and a last one for the end of sentence."""
    problem: str | None = None

    @property
    def total(self) -> float:
        """Log-probability of the whole target."""
        return sum(self.log_probs)
