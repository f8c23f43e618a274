"""What a search leaves behind: every step, every candidate and what became of it. No torch here.

A trace is complete: the stepper, the tree, the what-if and the command read it, and nothing is searched twice.
Log-probabilities are in nats and summed in float64.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Fate(StrEnum):
    """What became of a candidate."""

    KEPT = "kept"
    """It went on as a row of the next step."""
    PRUNED = "pruned"
    """Better candidates filled the beam; `margin` says by how much it missed."""
    FINISHED = "finished"
    """It ended with the end-of-sentence piece and is among the hypotheses returned."""
    DISPLACED = "displaced"
    """It ended with the end-of-sentence piece, but better finished hypotheses left no room for it."""
    CUT_OFF = "cut off"
    """It was still going on when the search ended."""
    EXCLUDED = "excluded"
    """A constraint ruled it out; it stands where its score would have put it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One hypothesis extended by one piece."""

    step: int
    """The step that made it, from 0: its piece is the (step + 1)-th of its hypothesis."""
    parent: int
    """The row of the hypothesis it extends: the parent-th kept candidate of the step before (0 at step 0)."""
    piece: int
    log_prob: float
    """Of this piece, given the source and the pieces before it."""
    total: float
    """Sum of `log_prob` along the hypothesis."""
    score: float
    """`total` divided by the length penalty of a hypothesis of step + 1 pieces: what candidates are ranked by."""
    fate: Fate
    forced: bool = False
    """The piece was prescribed, or put forward to write a word that must be there: it was not chosen by score."""
    margin: float | None = None
    """Of a pruned or displaced candidate: its score minus that of the last one that had room (at most 0). None where
    words must be there and no candidate that has written as much of them had room."""
    drawn: float | None = None
    """Of a sample: the log-probability with which its piece was drawn, where temperature, top-k and top-p count."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the model expected after one live hypothesis, whatever the constraints."""

    entropy: float
    """Of the distribution over the pieces that may follow, in nats."""
    pieces: tuple[int, ...]
    """The most probable ones, best first."""
    log_probs: tuple[float, ...]
    rest: float
    """Probability of all others together."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one step looked at."""

    candidates: tuple[Candidate, ...]
    """Best score first; of samples, one for each that is being written, in their order."""
    predictions: tuple[Prediction, ...] = ()
    """One for each live hypothesis that this step extends: `predictions[c.parent]` is where `c` comes from.
    Empty where they were not asked for."""

    @property
    def kept(self) -> tuple[Candidate, ...]:
        """The rows of the next step, in order; in the last step, those cut off."""
        return tuple(c for c in self.candidates if c.fate in (Fate.KEPT, Fate.CUT_OFF))


class Ending(StrEnum):
    """Why a search ended."""

    BOUND = "bound"
    """No live hypothesis could still enter the n best."""
    LENGTH = "length"
    """The greatest length was reached."""
    EXHAUSTED = "exhausted"
    """No live hypothesis was left."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What was compared when the search ended."""

    ending: Ending
    best_possible: float | None
    """The best score that any live hypothesis could still reach (None: none could go on)."""
    worst_returned: float | None
    """The score of the n-th best finished hypothesis (None: fewer than n have finished)."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One translation as pieces. `pieces` has no start symbol, and no end of sentence either."""

    pieces: tuple[int, ...]
    log_probs: tuple[float, ...]
    """One a piece, and a last one for the end of sentence where `finished`."""
    total: float
    score: float
    finished: bool
    """False: the greatest length was reached before the end of sentence."""


@dataclass(frozen=True, slots=True)
class SearchTrace:
    """One sentence's search, whole."""

    steps: tuple[Step, ...]
    hypotheses: tuple[Hypothesis, ...]
    """Best first: finished ones by score, then, if fewer than asked for finished, those cut off."""
    bound: Bound

    def path(self, step: int, candidate: int) -> tuple[int, ...]:
        """The pieces from the first one to that of `steps[step].candidates[candidate]`."""
        return tuple(node.piece for node in self.ancestors(step, candidate))[::-1]

    def ancestors(self, step: int, candidate: int) -> Iterator[Candidate]:
        """The candidates from `steps[step].candidates[candidate]` back to step 0."""
        node = self.steps[step].candidates[candidate]
        yield node
        while node.step > 0:
            node = self.steps[node.step - 1].kept[node.parent]
            yield node
