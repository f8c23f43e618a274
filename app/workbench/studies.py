"""What lies with a checkpoint, computed once over a corpus: None where there is none, or one of other weights.

All raise HeadscopeError where there is no such checkpoint, or something in its folder is broken.
"""

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from headscope.analysis.experiments import grids
from headscope.analysis.experiments.differences import RowSummary, ablation_summary
from headscope.analysis.experiments.runner import RESULTS
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import Card
from headscope.model.data.parallel_text import Pair
from headscope.model.errors import HeadscopeError
from headscope.model.files import OfWeights
from headscope.model.sites import KINDS, AttentionKind

if TYPE_CHECKING:
    from headscope.analysis.corpus.faithfulness_study import FaithfulnessStudy
    from headscope.analysis.experiments.ablation import AblationResult
    from headscope.analysis.gallery.record import Gallery
    from headscope.analysis.measures.course import HeadSoFar
    from headscope.analysis.measures.history import History
    from headscope.analysis.measures.profile import HeadProfile
    from headscope.analysis.positions.experiment import JobResult
    from headscope.analysis.positions.study import PositionStudy
    from headscope.analysis.positions.verdict import CellMean, Contrast
    from headscope.analysis.records.attention_maps import AttentionMaps
    from headscope.analysis.records.heads import Head
    from headscope.analysis.search.study import SearchStudy
    from headscope.model.translator import Translator

S = TypeVar("S", bound=OfWeights)
MATCHING = "matching.csv"
"""Of the experiment's models, in its folder."""


def profile(bench: Workbench, checkpoint: str) -> "HeadProfile | None":
    """What every head does over a corpus."""
    from headscope.analysis.measures.profile import load_profile

    return _of_its_weights(bench, checkpoint, "profile", lambda card: load_profile(card.path))


def gallery(bench: Workbench, checkpoint: str) -> "Gallery | None":
    """Worked examples of what heads do."""
    from headscope.analysis.gallery.record import load_gallery

    return _of_its_weights(bench, checkpoint, "gallery", load_gallery)


def examples(bench: Workbench, checkpoint: str) -> tuple[Pair, ...]:
    """The sentences of a checkpoint's gallery with their translations, each once.

    Raises:
        HeadscopeError: it has none.
    """
    found = gallery(bench, checkpoint)
    if found is None:
        raise HeadscopeError(
            "no gallery of these weights lies with this checkpoint, so there are no sentences to measure: whoever runs "
            "this server can make one, or choose another checkpoint"
        )
    return found.pairs


def searches(bench: Workbench, checkpoint: str) -> "SearchStudy | None":
    """Searches over a corpus, and worked examples of them."""
    from headscope.analysis.search.study import load_study

    return _of_its_weights(bench, checkpoint, "search study", load_study)


def positions(bench: Workbench, checkpoint: str) -> "PositionStudy | None":
    """What it does with positions over a corpus."""
    from headscope.analysis.positions.study import load_position_study

    return _of_its_weights(bench, checkpoint, "position study", lambda card: load_position_study(card.path))


def faithfulness(bench: Workbench, checkpoint: str) -> "FaithfulnessStudy | None":
    """Which methods of attribution a corpus speaks for."""
    from headscope.analysis.corpus.faithfulness_study import load_faithfulness_study

    return _of_its_weights(bench, checkpoint, "faithfulness study", lambda card: load_faithfulness_study(card.path))


def history(bench: Workbench, checkpoint: str) -> "History | None":
    """What its heads did while it was trained. One that does not say which weights it ended with, as earlier versions
    wrote them, is taken where it has the model's heads."""
    from headscope.analysis.measures.history import HISTORY, load_history
    from headscope.analysis.records.heads import all_heads

    def compute(translator: "Translator") -> "History | None":
        path = bench.card(checkpoint).path / HISTORY
        if not path.exists():
            return None
        found = load_history(path)
        known = found.digest in (None, translator.weights_digest) and found.heads == all_heads(translator.model)
        return found if known else None

    return bench.once(checkpoint, "history", compute)


def watched(bench: Workbench, checkpoint: str, sentence: int) -> "AttentionMaps":
    """A sentence that was watched in training, with its maps at the last snapshot.

    Raises:
        HeadscopeError: the checkpoint has no history, or one with other pieces.
    """
    from headscope.analysis.measures.course import watched_maps

    found = history(bench, checkpoint)
    if found is None:
        raise HeadscopeError("no history of these weights lies with this checkpoint")
    return bench.once(checkpoint, ("watched", sentence), lambda translator: watched_maps(translator, found, sentence))


def head_so_far(bench: Workbench, run: Path, sentence: int, head: "Head") -> "HeadSoFar":
    """A head of a run in one of its watched sentences; read again when the run has measured another snapshot.

    Raises:
        HeadscopeError: no snapshot was measured yet, or there is no such sentence or head, or something is damaged.
    """
    files = tuple((file.name, file.stat().st_mtime_ns) for file in sorted((run / "history").glob("*.npz")))

    def compute() -> "HeadSoFar":
        from headscope.analysis.measures import course

        return course.head_so_far(run, sentence, head)

    return bench.aside(("head so far", run, files, sentence, head), compute)


@dataclass(frozen=True, slots=True)
class Experiment:
    """The experiment beyond the trained length, as far as it has come."""

    results: "tuple[JobResult, ...]"
    means: "tuple[CellMean, ...]"
    contrasts: "tuple[Contrast, ...]"
    schemes: "tuple[CellMean, ...]"
    """Of every kind after short training, over the same seeds."""


def experiment(bench: Workbench, folder: Path) -> Experiment:
    """The results in a folder, and what they say; read again when there are others.

    Raises:
        HeadscopeError: a file is damaged, or the results are of different sentences.
    """
    files = tuple((file.name, file.stat().st_mtime_ns) for file in sorted(folder.glob("*.json")))

    def compute() -> Experiment:
        from headscope.analysis.positions.experiment import all_results
        from headscope.analysis.positions.verdict import contrasts, means, schemes

        found = all_results(folder)
        return Experiment(found, tuple(means(found)), tuple(contrasts(found)), tuple(schemes(found)))

    return bench.aside(("experiment", folder, files), compute)


@dataclass(frozen=True, slots=True)
class Ablations:
    """A grid, as far as it has come on one text."""

    results: "tuple[AblationResult, ...]"
    """Of the rows of the grid, the base among them."""
    rows: "tuple[RowSummary, ...]"


def ablated_texts() -> tuple[str, ...]:
    """The names of the folders of results that ship, one a text."""
    return tuple(sorted(folder.parent.name for folder in grids.KEPT.glob(f"*/{RESULTS}")))


def ablations(bench: Workbench, text: str, grid: str) -> Ablations:
    """A grid's results on one text, and what they say; read again when there are others.

    Raises:
        HeadscopeError: a file is damaged, or the results are not of equal budget.
    """
    folder = grids.KEPT / text / RESULTS
    files = tuple((file.name, file.stat().st_mtime_ns) for file in sorted(folder.glob("*.json")))

    def compute() -> Ablations:
        from headscope.analysis.experiments.ablation import load_ablations

        known = {grids.BASE, *(row.name for row in grids.GRIDS[grid].rows)}
        found = tuple(result for result in load_ablations(folder.parent) if result.row in known)
        return Ablations(found, ablation_summary(found, grid))

    return bench.aside(("ablations", folder, grid, files), compute)


@dataclass(frozen=True, slots=True)
class MatchedTrainings:
    """How far apart heads of two of the experiment's trainings are: of both kinds with one seed, and of one kind."""

    kind: AttentionKind
    across: bool
    mean: float
    interval: float
    null: tuple[float, ...]
    """Of two trainings of one kind with other seeds."""


def matched_trainings(bench: Workbench, folder: Path) -> tuple[MatchedTrainings, ...]:
    """What `headscope positions` wrote of the experiment's own models as `matching.csv`; none where it does not lie in
    the folder.

    Raises:
        HeadscopeError: the file is none of these.
    """
    file = folder / MATCHING
    if not file.exists():
        return ()

    def compute() -> tuple[MatchedTrainings, ...]:
        try:
            with file.open(encoding="utf-8", newline="") as table:
                return tuple(
                    MatchedTrainings(
                        KINDS[KINDS.index(row["kind"])],
                        row["across"] == "True",
                        float(row["mean"]),
                        float(row["interval"]),
                        tuple(map(float, json.loads(row["null"]))),
                    )
                    for row in csv.DictReader(table)
                )
        except (KeyError, ValueError, TypeError) as error:
            raise HeadscopeError(f"{file.name} is no table of a comparison of positions: {error}") from error

    return bench.aside(("matched trainings", file, file.stat().st_mtime_ns), compute)


def _of_its_weights(bench: Workbench, checkpoint: str, what: str, load: Callable[[Card], S | None]) -> S | None:
    def compute(translator: "Translator") -> S | None:
        found = load(bench.card(checkpoint))
        return found if found and found.weights == translator.weights_digest else None

    return bench.once(checkpoint, what, compute)
