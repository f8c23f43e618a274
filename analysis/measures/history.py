"""What every head did as training went on: measures over development sentences, and maps of a few watched ones.

`N` snapshots, `H` heads of all layers and kinds in the order of `all_heads`.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import ZIP_LZMA, BadZipFile, ZipFile

import numpy as np
import pandas as pd
import torch

from headscope.analysis.capture.attention import records
from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.measures.profile import head_profile
from headscope.analysis.records.heads import Head, all_heads
from headscope.analysis.records.table import Table
from headscope.model.card import VOCABULARY, Card
from headscope.model.checkpoint import load_weights
from headscope.model.data.parallel_text import Pair
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.files import FIRST_FORMAT, replace_file, require_format
from headscope.model.network.architectures import build
from headscope.model.network.seq2seq import Seq2Seq
from headscope.model.progress import Progress, Silent
from headscope.model.sites import AttentionKind
from headscope.model.text.vocabulary import Vocabulary, load_vocabulary
from headscope.model.training.observer import TrainingObserver
from headscope.model.translator import Translator, load_translator

HISTORY = "history.npz"
FORMAT = 1
WATCHED = 12
"""Sentences of which the maps are kept."""
SENTENCES = 100
"""Development sentences that the measures are means over: the same ones at every snapshot, so that curves differ by the
model alone. With so many a snapshot of the size tiny takes 0.5 s of two cores, where an update takes 0.4 s: the 25
snapshots of that recipe add 0.2 % to its 20,000 updates, and 2 % to 1,500. With 500 it were three times as much."""
AGAIN = "make it again from the snapshots of its run"
LEVELS = 255
"""A weight is kept as one of so many steps from 0 to 1: enough for a picture, and a quarter of the bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One snapshot."""

    step: int
    measures: Mapping[str, np.ndarray]
    """[H]: means over the development sentences."""
    maps: Mapping[tuple[int, AttentionKind], np.ndarray]
    """For each watched sentence and kind: [layers, heads, queries, keys] in bytes of 1 / 255."""


@dataclass(frozen=True, slots=True, eq=False)
class History(Table):
    """The course of a training."""

    heads: tuple[Head, ...]
    sentences: int
    watched: tuple[Pair, ...]
    """Source and target of the sentences whose maps are kept; the decoder was made to read these targets."""
    moments: tuple[Moment, ...]
    digest: str | None = None
    """`Translator.weights_digest` of the model that the training ended with; None: not recorded, or not ended."""

    def to_pandas(self) -> pd.DataFrame:
        """One row a step, head and measure."""
        tables = [
            pd.DataFrame(self.heads, columns=list(Head._fields)).assign(step=moment.step, measure=name, mean=values)
            for moment in self.moments
            for name, values in moment.measures.items()
        ]
        return pd.concat(tables, ignore_index=True)

    def weights(self, sentence: int, kind: AttentionKind) -> np.ndarray:
        """[N, layers, heads, queries, keys] from 0 to 1, exact to 1 / 510: the maps of a watched sentence."""
        return np.stack([moment.maps[sentence, kind] for moment in self.moments]).astype(np.float32) / LEVELS


class HistoryWriter(TrainingObserver):
    """Measures every snapshot of a run as it is taken, and keeps one file a snapshot in the run's folder.

    It computes where the model does.
    """

    def __init__(self, run: Path, data: PreparedData) -> None:
        """Watch the run in that folder with the development sentences of its data."""
        self._run, self._languages = run, (data.source, data.target)
        self._dev = data.read("dev", skip_bad_lines=True).pairs[:SENTENCES]

    def on_snapshot(self, step: int, model: Seq2Seq, file: Path) -> None:
        """Measure it. The snapshot is read back into a model of its own: the one in training is left alone."""
        with torch.random.fork_rng():
            copy = build(model.config).to(model.device).eval().requires_grad_(False)
        history = measure_snapshots(self._translator(copy), self._dev, [(step, file)])
        folder = self._run / "history"
        folder.mkdir(exist_ok=True)
        save_history(history, folder / f"{file.stem}.npz")

    def _translator(self, model: Seq2Seq) -> Translator:
        card = Card(self._run, self._run.name, model.config, self._languages)
        return Translator(model, self._vocabulary, card)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        # Not there yet when the run begins: it is learned then.
        return load_vocabulary(self._run / VOCABULARY)

    def finish(self, checkpoint: Path) -> None:
        """Put what was written on the way into the finished checkpoint, as one file."""
        history = run_history(self._run)
        digest = load_translator(checkpoint, "cpu").weights_digest
        save_history(replace(history, digest=digest), checkpoint / HISTORY)


def watched(translator: Translator, dev: Sequence[Pair]) -> tuple[Pair, ...]:
    """The first development sentences that the model can read."""
    pairs = corpus_pairs(translator, dev[: 4 * WATCHED])[:WATCHED]
    return tuple((pair.source.text, pair.target.text) for pair in pairs)


def measure(translator: Translator, dev: Sequence[Pair], step: int) -> Moment:
    """Measure a model as it is now."""
    profile = head_profile(translator, dev)
    maps = records(translator, corpus_pairs(translator, watched(translator, dev)))
    pictures: dict[tuple[int, AttentionKind], np.ndarray] = {
        (index, kind): np.stack([np.rint(layer * LEVELS).astype(np.uint8) for layer in found.layers(kind)])
        for index, found in enumerate(maps)
        for kind in found.maps
    }
    return Moment(step, profile.mean, pictures)


def measure_snapshots(
    translator: Translator, dev: Sequence[Pair], saved: Sequence[tuple[int, Path]], *, progress: Progress | None = None
) -> History:
    """The history of a run from its snapshots, given as steps and files. The translator's model is loaded with each.

    Raises:
        HeadscopeError: there are no snapshots, or they are of another model.
        Cancelled: `progress` wants it to stop.
    """
    if not saved:
        raise HeadscopeError("there are no snapshots to measure: give the folder of a run")
    progress, dev, model = progress or Silent(), dev[:SENTENCES], translator.model
    moments = []
    for index, (step, file) in enumerate(saved):
        progress.update(index, len(saved))
        load_weights(model, file)
        moments.append(measure(translator, dev, step))
    progress.update(len(saved), len(saved))
    return History(all_heads(model), len(dev), watched(translator, dev), tuple(moments))


def run_history(run: Path) -> History:
    """What the folder of a run, which may be going on, has of its history so far.

    Raises:
        HeadscopeError: no snapshot was measured yet, or a file is damaged.
    """
    return join(sorted((run / "history").glob("*.npz")))


def join(files: Sequence[Path]) -> History:
    """One history from the files of single snapshots.

    Raises:
        HeadscopeError: there are none, or one is damaged.
    """
    if not files:
        raise HeadscopeError("there is no history to join: no snapshot was measured")
    parts = [load_history(file) for file in files]
    moments = sorted((moment for part in parts for moment in part.moments), key=lambda moment: moment.step)
    return History(parts[0].heads, parts[0].sentences, parts[0].watched, tuple(moments))


def save_history(history: History, path: Path) -> None:
    """Write a history as one compressed file of arrays."""
    about = {
        "format": FORMAT,
        "weights": history.digest,
        "heads": history.heads,
        "sentences": history.sentences,
        "watched": history.watched,
        "steps": [moment.step for moment in history.moments],
    }
    arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
    for name in history.moments[0].measures:
        arrays[f"measure {name}"] = np.stack([m.measures[name] for m in history.moments]).astype(np.float32)
    for index, kind in history.moments[0].maps:
        arrays[f"maps {index} {kind}"] = np.stack([m.maps[index, kind] for m in history.moments])

    def write(fresh: Path) -> None:
        # As np.savez_compressed does, but smaller by a sixth.
        with ZipFile(fresh, "w", ZIP_LZMA) as file:
            for name, array in arrays.items():
                with file.open(f"{name}.npy", "w") as member:
                    np.lib.format.write_array(member, array)

    replace_file(path, write)


def load_history(path: Path) -> History:
    """Read a history; nothing in it is ever unpickled.

    Raises:
        HeadscopeError: the file is missing or is no history.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        about = json.loads(arrays.pop("about").tobytes())
    except (OSError, EOFError, ValueError, KeyError, BadZipFile, LZMAError, zlib.error) as error:
        raise HeadscopeError(f"{path} is not a history ({error}): {AGAIN}") from error
    require_format(path, about.get("format", FIRST_FORMAT), FORMAT, AGAIN)
    moments = []
    for index, step in enumerate(about["steps"]):
        measures, maps = {}, {}
        for name, values in arrays.items():
            kind, _, rest = name.partition(" ")
            if kind == "measure":
                measures[rest] = values[index]
            else:
                sentence, _, of = rest.partition(" ")
                maps[int(sentence), of] = values[index]
        moments.append(Moment(step, measures, maps))
    heads = tuple(Head(*head) for head in about["heads"])
    watched = tuple(map(tuple, about["watched"]))
    return History(heads, about["sentences"], watched, tuple(moments), about.get("weights"))
