"""What one server holds for all its visitors: checkpoints, a few loaded models, recent results, and one busy gate.

Pure Python: pages and the warm-up call it, and torch is imported when the first sentence is read.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from headscope.analysis.records.attention_maps import AttentionMaps
from headscope.analysis.records.heads import Head
from headscope.app.view.state import Entry, Instead
from headscope.app.workbench.folders import version
from headscope.app.workbench.result_cache import ResultCache, busy, nbytes
from headscope.model.card import VOCABULARY, Card, read_card
from headscope.model.errors import HeadscopeError
from headscope.model.files import OfWeights
from headscope.model.progress import Progress, Silent
from headscope.model.text.vocabulary_files import read_files

if TYPE_CHECKING:
    from headscope.analysis.attribution.importance import HeadImportance
    from headscope.analysis.capture.pairs import SentencePair
    from headscope.analysis.capture.query_key import QueryKey
    from headscope.analysis.gallery.record import Gallery
    from headscope.analysis.interventions.effects import WhatIf
    from headscope.analysis.measures.head_measures import HeadMeasures
    from headscope.analysis.measures.profile import HeadProfile
    from headscope.model.search.beam import SearchSettings
    from headscope.model.translator import Translator

R = TypeVar("R")
Kept = TypeVar("Kept", bound=OfWeights)

CARDS = 100
MODELS = 2
RESULT_BYTES = 256 * 2**20
PATIENCE = 30.0
LOOK = 0.1
"""Seconds between two looks whether who waits for others still wants to."""
AT_ONCE = 512
"""Padded pieces that are read between two reports of how far some work is."""
MAX_PIECES = 512
"""Longest source sentence a page shows, end of sentence included."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """What is to be translated, by what and how."""

    checkpoint: str
    source: str
    beam: int
    length_penalty: float
    entry: Entry = "text"
    """What the source is: text, or pieces with blanks between them."""
    target: tuple[int, ...] | None = None
    """Pieces that are read in the place of the best translation; None: that one is read."""


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
        checkpoints: folders by the name that visitors see and addresses hold; no other is ever opened but for `add`.
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
        self._cards: ResultCache[tuple, Card] = ResultCache(CARDS)
        self._symbols: ResultCache[tuple, tuple[str, ...]] = ResultCache(CARDS)
        self._models: ResultCache[tuple, Translator] = ResultCache(MODELS)
        self._results: ResultCache[tuple, Any] = ResultCache(result_bytes, nbytes)

    @property
    def names(self) -> list[str]:
        """The checkpoints visitors may choose from; the first one is the default."""
        return list(self._checkpoints)

    def add(self, checkpoint: str, folder: Path, make: Callable[[], R]) -> R:
        """Make a checkpoint, with nothing computed beside that, and show it to all visitors from then on.

        Args:
            make: writes the folder.

        Raises:
            HeadscopeError: there is a checkpoint of that name already, the server is busy, or `make` cannot.
        """
        with self._alone(Silent()):
            if checkpoint in self._checkpoints:
                raise HeadscopeError(f"there is a checkpoint '{checkpoint}' here already: choose another name")
            made = make()
            self._checkpoints = {**self._checkpoints, checkpoint: folder}
        return made

    def card(self, checkpoint: str) -> Card:
        """What is known of a checkpoint; this reads no weights.

        Raises:
            HeadscopeError: there is no such checkpoint here, or its folder is broken.
        """
        folder = self._folder(checkpoint)
        return self._cards.get(version(folder), lambda: read_card(folder), patience=self._patience)

    def symbols(self, checkpoint: str) -> tuple[str, ...]:
        """The source pieces of a checkpoint that has no model for text, without special ones; none where it has one.

        Raises:
            HeadscopeError: there is no such checkpoint here, or its vocabulary is broken.
        """
        folder = self._folder(checkpoint)
        return self._symbols.get(
            version(folder), lambda: read_files(folder / VOCABULARY).symbols, patience=self._patience
        )

    def spelt(self, sentence: Sentence) -> str:
        """The sentence as it is typed the other way: a text's pieces with blanks between them, or the text of pieces.

        Raises:
            HeadscopeError: as `read` does.
        """
        source = self.read(sentence).pair.source
        if sentence.entry == "text":
            return " ".join(source.pieces)
        return self._made(
            sentence.checkpoint, (sentence, "text"), lambda it: it.vocabulary.decode(source.ids, "source")
        )

    def read(self, sentence: Sentence) -> Reading:
        """Translate a sentence and record all its attention; a sentence that was read lately costs nothing.

        Raises:
            HeadscopeError: the checkpoint is unknown or broken, the sentence is blank or too long, the server is busy.
        """

        def read(translator: "Translator") -> Reading:
            start = time.perf_counter()
            pair, maps = self._analyse(translator, sentence)
            return Reading(maps, pair, time.perf_counter() - start)

        return self.once(sentence, "reading", read)

    def profile(self, checkpoint: str) -> "HeadProfile | None":
        """What every head of a checkpoint does over a corpus; None: no profile of its weights lies with it.

        Raises:
            HeadscopeError: there is no such checkpoint, or something in its folder is broken.
        """
        from headscope.analysis.measures.profile import load_profile

        return self.of_its_weights(checkpoint, "profile", lambda: load_profile(self._folder(checkpoint)))

    def gallery(self, checkpoint: str) -> "Gallery | None":
        """The worked examples of a checkpoint; None: none of its weights lie with it.

        Raises:
            HeadscopeError: there is no such checkpoint, or something in its folder is broken.
        """
        from headscope.analysis.gallery.record import load_gallery

        return self.of_its_weights(checkpoint, "gallery", lambda: load_gallery(self.card(checkpoint)))

    def measures(self, sentence: Sentence) -> "HeadMeasures":
        """What every head does in the sentence, in pieces."""
        from headscope.analysis.measures.head_measures import head_measures

        maps = self.read(sentence).maps
        return self.once(sentence, "measures", lambda translator: head_measures(maps))

    def contributions(self, sentence: Sentence) -> AttentionMaps:
        """What each head adds from each token: the norms of `analysis.attribution.contributions.head_contributions`."""
        from headscope.analysis.attribution.contributions import head_contributions

        pair = self.read(sentence).pair
        return self.once(sentence, "contributions", lambda translator: head_contributions(translator, pair))

    def importance(self, sentence: Sentence, *, progress: Progress | None = None) -> "HeadImportance":
        """What becomes of the translation's log-probability without each head.

        Raises:
            Cancelled: `progress` wants it to stop.
        """
        from headscope.analysis.attribution.importance import removal_importance

        pair = self.read(sentence).pair

        def compute(translator: "Translator") -> "HeadImportance":
            return removal_importance(translator, pair, batch_tokens=AT_ONCE, progress=progress)

        return self.once(sentence, "importance", compute, progress)

    def what_if(
        self, sentence: Sentence, heads: Sequence[Head], instead: Instead, *, progress: Progress | None = None
    ) -> "WhatIf":
        """The sentence translated with all heads, and with some taken away.

        Raises:
            Cancelled: `progress` wants it to stop.
        """
        from headscope.analysis.interventions.effects import what_if
        from headscope.analysis.interventions.heads import UniformAttention, Zeroed

        def compute(translator: "Translator") -> "WhatIf":
            probe = {"zero": Zeroed, "uniform": UniformAttention}[instead](translator.model.config, heads)
            settings = _settings(translator, sentence)
            return what_if(translator, sentence.source, probe, settings=settings, progress=progress)

        return self.once(sentence, ("what if", tuple(heads), instead), compute, progress)

    def query_key(self, sentence: Sentence, head: Head) -> "QueryKey":
        """How one head comes to its weights."""
        from headscope.analysis.capture.query_key import query_key

        pair = self.read(sentence).pair
        return self.once(sentence, ("query and key", head), lambda translator: query_key(translator, pair, head))

    def once(
        self, sentence: Sentence, what: object, compute: "Callable[[Translator], R]", progress: Progress | None = None
    ) -> R:
        """A result by its sentence and name: from the shelf, or computed by the sentence's model."""

        def spelt(translator: "Translator") -> R:
            return compute(translator.in_pieces() if sentence.entry == "pieces" else translator)

        return self._made(sentence.checkpoint, (sentence, what), spelt, progress)

    def of_its_weights(self, checkpoint: str, what: str, load: Callable[[], Kept | None]) -> Kept | None:
        """What was computed once and lies in the folder of a checkpoint; None: there is none, or of other weights."""

        def checked(translator: "Translator") -> Kept | None:
            found = load()
            return found if found and found.weights == translator.weights_digest else None

        return self._made(checkpoint, what, checked)

    def _made(
        self, checkpoint: str, what: object, compute: "Callable[[Translator], R]", progress: Progress | None = None
    ) -> R:
        folder = self._folder(checkpoint)
        stamp = version(folder)

        def make() -> R:
            with self._alone(progress or Silent()):
                return compute(self._models.get(stamp, lambda: self._load(folder), patience=self._patience))

        return self._results.get((stamp, what), make, patience=self._patience)

    @contextmanager
    def _alone(self, progress: Progress) -> Iterator[None]:
        """One heavy computation at a time: two would take twice as long each, and twice the memory."""
        end = time.monotonic() + self._patience
        while not self._gate.acquire(timeout=min(LOOK, self._patience)):
            progress.update(0, None)
            if time.monotonic() >= end:
                raise busy(self._patience)
        try:
            yield
        finally:
            self._gate.release()

    def _folder(self, checkpoint: str) -> Path:
        if checkpoint not in self._checkpoints:
            raise HeadscopeError(f"there is no checkpoint '{checkpoint}' here; there are: {', '.join(self.names)}")
        return self._checkpoints[checkpoint]


def _load(folder: Path) -> "Translator":
    import headscope.analysis.capture.attention  # noqa: F401 - what `_analyse` needs is loaded with the first model
    from headscope.model.translator import load_translator

    return load_translator(folder)


def _analyse(translator: "Translator", sentence: Sentence) -> "tuple[SentencePair, AttentionMaps]":
    from headscope.analysis.capture.attention import record
    from headscope.analysis.capture.pairs import given_pair, sentence_pair

    source = translator.source(sentence.source, MAX_PIECES)
    if sentence.target is None:
        pair = sentence_pair(translator, sentence.source, settings=_settings(translator, sentence))
    else:
        pair = given_pair(translator, source, sentence.target)
    return pair, record(translator, pair.source, pair.target)


def _settings(translator: "Translator", sentence: Sentence) -> "SearchSettings":
    """The checkpoint's own way to search, with the sentence's beam and alpha."""
    own = translator.settings
    return replace(own, beam=sentence.beam, penalty=replace(own.penalty, alpha=sentence.length_penalty))
