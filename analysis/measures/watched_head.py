"""One head on one watched sentence while it was trained, from the files that a run keeps.

`Q` queries and `K` keys.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headscope.analysis.measures.history import LEVELS, History, load_history
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class WatchedHead:
    """Where a head looked at an update."""

    step: int
    head: Head
    weights: np.ndarray
    """[Q, K] from 0 to 1, exact to 1 / 510."""
    queries: tuple[str, ...]
    """Pieces that look; empty: they cannot be told from the run's vocabulary."""
    keys: tuple[str, ...]


def watched_head(run: Path, step: int, source: str, head: Head | None = None) -> WatchedHead | None:
    """A head at an update, when the model was made to read the reference of a watched sentence; None: it watches none
    of that source.

    Args:
        head: None: the first of the last layer's cross-attention.

    Raises:
        HeadscopeError: the run has kept nothing of that update, its file is damaged, or it has no such head.
    """
    history = load_history(run / "history" / f"step-{step:07d}.npz")
    at = next((index for index, (text, _) in enumerate(history.watched) if text == source), None)
    if at is None:
        return None
    head = head or max(
        (each for each in history.heads if each.kind == "cross" and each.head == 0), key=lambda h: h.layer
    )
    if head not in history.heads:
        raise HeadscopeError(f"the run has no head {head}: choose one of its own")
    weights = history.moments[0].maps[at, head.kind][head.layer, head.head].astype(np.float32) / LEVELS
    queries, keys = _pieces(load_vocabulary(run / "vocabulary"), history, at, head)
    fits = (len(queries), len(keys)) == weights.shape
    return WatchedHead(step, head, weights, queries if fits else (), keys if fits else ())


def _pieces(vocabulary: Vocabulary, history: History, at: int, head: Head) -> tuple[tuple[str, ...], tuple[str, ...]]:
    source, target = history.watched[at]
    read = (*vocabulary.encode(source, "source").pieces, vocabulary.piece(vocabulary.end, "source"))
    start = vocabulary.piece(vocabulary.start, "target")
    written = (start, *vocabulary.encode(target, "target").pieces)
    sides = {"encoder": (read, read), "decoder": (written, written), "cross": (written, read)}
    return sides[head.kind]
