"""What one server holds for all its visitors: checkpoints, a few loaded models, recent results, and one busy gate.

What there is to ask stands beside it, a function a question: of a sentence in `sentences`, of its search in `searches`,
of what lies with a checkpoint in `studies`. Each asks a `Workbench` for its result by a name. Torch is imported with
the first model.
"""

import threading
import time
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from headscope.analysis.comparison.naming import SideName, read_side
from headscope.app.workbench.folders import version, without_place
from headscope.app.workbench.result_cache import ResultCache, busy, nbytes
from headscope.model.card import VOCABULARY, Card, read_card
from headscope.model.errors import HeadscopeError
from headscope.model.network.parts import by_part
from headscope.model.progress import Progress, Silent
from headscope.model.text.vocabulary_files import read_files

if TYPE_CHECKING:
    from headscope.model.translator import Translator

R = TypeVar("R")

CARDS = 100
MODELS = 2
RESULT_BYTES = 256 * 2**20
PATIENCE = 30.0
LOOK = 0.1
"""Seconds between two looks whether who waits for others still wants to."""


class Workbench:
    """One per server; any number of threads may use it.

    Args:
        checkpoints: folders by the name that visitors see and addresses hold; no other is ever opened but for `add`. A
            name may have an update of its run and a change behind it, as `read_side` takes them.
        load: makes a translator from a folder.
        result_bytes: what the arrays of all results may take together.
        patience: seconds a visitor waits for the work of others.
    """

    def __init__(
        self,
        checkpoints: Mapping[str, Path],
        *,
        load: "Callable[[Path], Translator] | None" = None,
        result_bytes: int = RESULT_BYTES,
        patience: float = PATIENCE,
    ) -> None:
        self._checkpoints = dict(checkpoints)
        self._load = load or _load
        self._patience = patience
        self._gate = threading.Lock()
        self._cards: ResultCache[tuple, Card] = ResultCache(CARDS)
        self._parameters: ResultCache[tuple, dict[str, int]] = ResultCache(CARDS)
        self._symbols: ResultCache[tuple, tuple[str, ...]] = ResultCache(CARDS)
        self._models: ResultCache[tuple, Translator] = ResultCache(MODELS)
        self._results: ResultCache[tuple, Any] = ResultCache(result_bytes, nbytes)

    @property
    def names(self) -> list[str]:
        """The checkpoints visitors may choose from; the first one is the default."""
        return list(self._checkpoints)

    def steps(self, checkpoint: str) -> list[int]:
        """The updates of a checkpoint's run whose weights lie beside it.

        Raises:
            HeadscopeError: there is no such checkpoint here.
        """
        with self._reading(checkpoint) as folder:
            if not (folder.parent / "run.json").is_file() and not (folder / "snapshots").is_dir():
                return []
            from headscope.model.training.at_step import saved_steps

            return list(saved_steps(folder))

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
        with self._reading(checkpoint) as folder:
            return self._cards.get(version(folder), lambda: read_card(folder), patience=self._patience)

    def parameters(self, checkpoint: str) -> dict[str, int]:
        """Number of a checkpoint's parameters by part, as `by_part` has it; this reads the weights' header alone.

        Raises:
            HeadscopeError: there is no such checkpoint here, or its weights are broken.
        """
        from headscope.model.checkpoint import parameter_counts

        config = self.card(checkpoint).config
        with self._reading(checkpoint) as folder:
            return self._parameters.get(
                version(folder), lambda: by_part(parameter_counts(folder, config)), patience=self._patience
            )

    def symbols(self, checkpoint: str) -> tuple[str, ...]:
        """The source pieces of a checkpoint that has no model for text, without special ones; none where it has one.

        Raises:
            HeadscopeError: there is no such checkpoint here, or its vocabulary is broken.
        """
        with self._reading(checkpoint) as folder:
            return self._symbols.get(
                version(folder), lambda: read_files(folder / VOCABULARY).symbols, patience=self._patience
            )

    def once(
        self, checkpoint: str, what: object, compute: "Callable[[Translator], R]", progress: Progress | None = None
    ) -> R:
        """A result by its checkpoint and name: from the shelf, or computed by the checkpoint's model, alone.

        Args:
            what: names the result among all of the checkpoint, and can be hashed.

        Raises:
            HeadscopeError: the checkpoint is unknown or broken, or the server is busy; and what `compute` raises.
            Cancelled: `progress` wants it to stop, or to wait no longer for others.
        """
        with self._reading(checkpoint) as folder:

            def make() -> R:
                with self._alone(progress or Silent()):
                    return compute(self._translator(checkpoint, folder))

            return self._results.get((self._stamp(checkpoint, folder), what), make, patience=self._patience)

    def has(self, checkpoint: str, what: object) -> bool:
        """Whether `once` would give a result from the shelf.

        Raises:
            HeadscopeError: the checkpoint is unknown, or its folder is gone.
        """
        with self._reading(checkpoint) as folder:
            return (self._stamp(checkpoint, folder), what) in self._results

    def has_with(self, checkpoint: str, other: str, what: object) -> bool:
        """Whether `once_with` would give a result from the shelf."""
        with self._reading(other) as folder:
            return self.has(checkpoint, (what, version(folder)))

    def once_with(
        self,
        checkpoint: str,
        other: str,
        what: object,
        compute: "Callable[[Translator, Translator], R]",
        progress: Progress | None = None,
    ) -> R:
        """As `once`, for what takes the models of two checkpoints: the first is the one that is asked."""
        with self._reading(other) as folder:

            def both(translator: "Translator") -> R:
                return compute(translator, self._translator(other, folder))

            return self.once(checkpoint, (what, self._stamp(other, folder)), both, progress)

    def aside(self, what: Hashable, compute: Callable[[], R]) -> R:
        """A result that no checkpoint's model is needed for, by its name: from the shelf, or computed.

        Raises:
            HeadscopeError: the server is busy; and what `compute` raises.
        """

        def make() -> R:
            with self._alone(Silent()):
                return compute()

        return self._results.get((what,), make, patience=self._patience)

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

    @contextmanager
    def _reading(self, checkpoint: str) -> Iterator[Path]:
        """The folder of a checkpoint, while it is read: what is wrong there is told by the checkpoint's name."""
        name = self._side(checkpoint).checkpoint
        if name not in self._checkpoints:
            raise HeadscopeError(f"there is no checkpoint '{name}' here; there are: {', '.join(self.names)}")
        folder = self._checkpoints[name]
        try:
            yield folder
        except (HeadscopeError, FileNotFoundError) as error:
            if not folder.is_dir():
                raise HeadscopeError(f"the folder of '{name}' is gone: choose another checkpoint") from error
            told = error.on_pages if isinstance(error, HeadscopeError) else str(error)
            raise HeadscopeError(without_place(told, folder, name)) from error

    def _side(self, checkpoint: str) -> SideName:
        """A checkpoint's name, taken apart; a folder may be called as it likes."""
        if checkpoint not in self._checkpoints and checkpoint.startswith(tuple(self._checkpoints)):
            return read_side(checkpoint)
        return SideName(checkpoint)

    def _stamp(self, checkpoint: str, folder: Path) -> tuple:
        """Of a checkpoint, update and change: another one when the files are written again."""
        side = self._side(checkpoint)
        own = (str(side),) if side.changed or side.step is not None else ()
        return (*version(folder), *own, *([] if side.step is None else _written(folder, side.step)))

    def _translator(self, checkpoint: str, folder: Path) -> "Translator":
        """The model of a checkpoint, or of an update of its run, with the change that is asked for."""
        side = self._side(checkpoint)
        if side.step is None:
            found = self._models.get(version(folder), lambda: self._load(folder), patience=self._patience)
        else:
            from headscope.model.training.at_step import translator_at

            step, stamp = side.step, self._stamp(side.weights, folder)
            found = self._models.get(stamp, lambda: translator_at(folder, step), patience=self._patience)
        if not side.changed:
            return found
        from headscope.analysis.comparison.sides import with_change

        return with_change(found, side)


def _written(folder: Path, step: int) -> tuple:
    """When the weights of an update were written; nothing where there are none, as whoever reads them will say."""
    from headscope.model.training.at_step import saved_steps

    file = saved_steps(folder).get(step)
    return () if file is None else (file.stat().st_mtime_ns,)


def _load(folder: Path) -> "Translator":
    from headscope.model.translator import load_translator

    return load_translator(folder)
