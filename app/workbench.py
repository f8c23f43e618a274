"""What one server holds for all its visitors: checkpoints, a few loaded models, recent results, and one busy gate.

Pure Python: pages and the warm-up call it, and torch is imported when the first sentence is read.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from analysis.heads import Head
from analysis.record import AttentionMaps
from app.shelf import Shelf, busy
from app.state import Instead
from model.card import SHIPPED, Card, available, read_card, resolve
from model.errors import HeadscopeError

if TYPE_CHECKING:
    from analysis.effects import WhatIf
    from analysis.importance import HeadImportance
    from analysis.pairs import SentencePair
    from analysis.query_key import QueryKey
    from model.search.beam import SearchSettings
    from model.translator import Translator

R = TypeVar("R")

CARDS = 100
MODELS = 2
RESULT_BYTES = 256 * 2**20
PATIENCE = 30.0
MAX_PIECES = 512
"""Longest source sentence a page shows, end of sentence included."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is to be translated, by what and how."""

    checkpoint: str
    source: str
    beam: int
    length_penalty: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence, translated, with all its attention."""

    maps: AttentionMaps
    pair: "SentencePair"
    seconds: float
    """Time for the translation and the record; loading the model is not in it."""


class Workbench:
    """One per server; any number of threads may use it.

    Args:
        checkpoints: folders by the name that visitors see and addresses hold; no other folder is ever opened.
        load: makes a translator from a folder.
        analyse: translates a sentence and records its attention.
        result_bytes: what the arrays of all results may take together.
        patience: seconds a visitor waits for the work of others.
    """

    def __init__(
        self,
        checkpoints: Mapping[str, Path],
        *,
        load: "Callable[[Path], Translator] | None" = None,
        analyse: "Callable[[Translator, Sentence], tuple[SentencePair, AttentionMaps]] | None" = None,
        result_bytes: int = RESULT_BYTES,
        patience: float = PATIENCE,
    ) -> None:
        self._checkpoints = dict(checkpoints)
        self._load, self._analyse = load or _load, analyse or _analyse
        self._patience = patience
        self._gate = threading.Lock()
        self._cards: Shelf[tuple, Card] = Shelf(CARDS)
        self._models: Shelf[tuple, Translator] = Shelf(MODELS)
        self._results: Shelf[tuple, Any] = Shelf(result_bytes, nbytes)

    @property
    def names(self) -> list[str]:
        """The checkpoints visitors may choose from; the first one is the default."""
        return list(self._checkpoints)

    def card(self, checkpoint: str) -> Card:
        """What is known of a checkpoint; this reads no weights.

        Raises:
            HeadscopeError: there is no such checkpoint here, or its folder is broken.
        """
        folder = self._folder(checkpoint)
        return self._cards.get(_version(folder), lambda: read_card(folder), patience=self._patience)

    def read(self, sentence: Sentence) -> Reading:
        """Translate a sentence and record all its attention; a sentence that was read lately costs nothing.

        Raises:
            HeadscopeError: the checkpoint is unknown or broken, the sentence is blank or too long, the server is busy.
        """

        def read(translator: "Translator") -> Reading:
            start = time.perf_counter()
            pair, maps = self._analyse(translator, sentence)
            return Reading(maps, pair, time.perf_counter() - start)

        return self._once(sentence, "reading", read)

    def contributions(self, sentence: Sentence) -> AttentionMaps:
        """What each head adds from each token: the norms of `analysis.contributions.head_contributions`."""
        from analysis.contributions import head_contributions

        pair = self.read(sentence).pair
        return self._once(sentence, "contributions", lambda translator: head_contributions(translator, pair))

    def importance(self, sentence: Sentence) -> "HeadImportance":
        """What becomes of the translation's log-probability without each head."""
        from analysis.importance import removal_importance

        pair = self.read(sentence).pair
        return self._once(sentence, "importance", lambda translator: removal_importance(translator, pair))

    def what_if(self, sentence: Sentence, heads: Sequence[Head], instead: Instead) -> "WhatIf":
        """The sentence translated with all heads, and with some taken away."""
        from analysis.effects import what_if
        from analysis.interventions import UniformAttention, Zeroed

        def compute(translator: "Translator") -> "WhatIf":
            probe = {"zero": Zeroed, "uniform": UniformAttention}[instead](translator.model.config, heads)
            return what_if(translator, sentence.source, probe, settings=_settings(sentence))

        return self._once(sentence, ("what if", tuple(heads), instead), compute)

    def query_key(self, sentence: Sentence, head: Head) -> "QueryKey":
        """How one head comes to its weights."""
        from analysis.query_key import query_key

        pair = self.read(sentence).pair
        return self._once(sentence, ("query and key", head), lambda translator: query_key(translator, pair, head))

    def _once(self, sentence: Sentence, what: object, compute: "Callable[[Translator], R]") -> R:
        """A result by its sentence and name: from the shelf, or computed by the sentence's model."""
        folder = self._folder(sentence.checkpoint)
        version = _version(folder)

        def make() -> R:
            with self._alone():
                return compute(self._models.get(version, lambda: self._load(folder), patience=self._patience))

        return self._results.get((version, sentence, what), make, patience=self._patience)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One heavy computation at a time: two would take twice as long each, and twice the memory."""
        if not self._gate.acquire(timeout=self._patience):
            raise busy(self._patience)
        try:
            yield
        finally:
            self._gate.release()

    def _folder(self, checkpoint: str) -> Path:
        if checkpoint not in self._checkpoints:
            raise HeadscopeError(f"there is no checkpoint '{checkpoint}' here; there are: {', '.join(self.names)}")
        return self._checkpoints[checkpoint]


def catalogue(places: Sequence[str | Path] = ()) -> dict[str, Path]:
    """Checkpoint folders by name.

    Args:
        places: checkpoints (by folder or by the name of one that ships), or folders that hold several; none: those
            that ship.

    Raises:
        HeadscopeError: a place holds no checkpoint.
    """
    found: dict[str, Path] = {}
    for place in places or [SHIPPED]:
        inside = [Path(place) / name for name in available(Path(place))]
        if not inside and place == SHIPPED:
            raise HeadscopeError("no checkpoint is installed: give the folder of one with --checkpoints")
        for folder in inside or [resolve(place)]:
            name = folder.resolve().name
            if name in found:
                name = f"{folder.resolve().parent.name}/{name}"
            found[name] = folder.resolve()
    return found


def _version(folder: Path) -> tuple:
    """Changes when a checkpoint is written again."""
    files = [path.stat() for path in sorted(folder.glob("*.*"))]
    return (folder, *((file.st_mtime_ns, file.st_size) for file in files))


def _load(folder: Path) -> "Translator":
    import analysis.attention  # noqa: F401 - what `_analyse` needs is loaded with the first model
    from model.translator import load_translator

    return load_translator(folder)


def _analyse(translator: "Translator", sentence: Sentence) -> "tuple[SentencePair, AttentionMaps]":
    from analysis.attention import record
    from analysis.pairs import sentence_pair

    translator.source(sentence.source, MAX_PIECES)
    pair = sentence_pair(translator, sentence.source, settings=_settings(sentence))
    return pair, record(translator, pair.source, pair.target)


def _settings(sentence: Sentence) -> "SearchSettings":
    from model.search.beam import SearchSettings
    from model.search.penalty import LengthPenalty

    return SearchSettings(beam=sentence.beam, penalty=LengthPenalty(sentence.length_penalty))


def nbytes(result: object) -> int:
    """Memory of all arrays in a result."""
    if isinstance(result, np.ndarray):
        return result.nbytes
    if isinstance(result, tuple):
        return sum(map(nbytes, result))
    if is_dataclass(result):
        return sum(nbytes(getattr(result, field.name)) for field in fields(result))
    return 0
