"""A history with known numbers."""

import json
from dataclasses import replace
from pathlib import Path

from headscope.analysis.measures.history import History, Moment, measure, save_history, watched
from headscope.analysis.records.heads import all_heads
from headscope.model.card import VOCABULARY
from headscope.model.translator import Translator
from tests.toys import SENTENCES

STEPS = (0, 1, 40)
ROLE = ((0.9, 0.95, 0.91), (0.95, 0.89, 0.9), (0.95, 0.95, 0.8))
"""Of three heads, `relative_entropy`: one plays its role from the start, one since the last step, one no more."""


def toy_history(translator: Translator, digest: str | None = None) -> History:
    """Three snapshots: at the last one every map is the model's, before it a half, and at first a third of that."""
    real = measure(translator, SENTENCES, 0)
    moments = []
    for index, step in enumerate(STEPS):
        entropy = real.measures["relative_entropy"].copy()
        entropy[:] = 0.5
        entropy[:3] = [values[index] for values in ROLE]
        measures = {name: values * 0 for name, values in real.measures.items()} | {"relative_entropy": entropy}
        maps = {key: weights // (3 - index) for key, weights in real.maps.items()}
        moments.append(Moment(step, measures, maps))
    heads = all_heads(translator.model)
    return History(heads, len(SENTENCES), watched(translator, SENTENCES), tuple(moments), digest)


def toy_run(run: Path, translator: Translator, checkpoint: Path) -> None:
    """Fill the folder of a run that has measured the first two snapshots of `toy_history`.

    Args:
        checkpoint: where the vocabulary lies.
    """
    history, config = toy_history(translator), translator.model.config
    (run / "history").mkdir()
    (run / VOCABULARY).symlink_to(checkpoint / VOCABULARY)
    for moment in history.moments[:2]:
        save_history(replace(history, moments=(moment,)), run / "history" / f"step-{moment.step:07d}.npz")
    stacks = {"encoder": config.encoder.model_dump(), "decoder": config.decoder.model_dump()}
    model = {"preset": "tiny", "d_model": config.d_model} | stacks
    about = {"recipe": {"model": model, "steps": 40, "batch_tokens": 100}, "data": {"languages": ["en", "de"]}}
    (run / "run.json").write_text(json.dumps(about), "utf-8")
