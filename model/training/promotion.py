"""Checkpoints of runs: the finished one, or the mean of weights that were kept on the way."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from headscope.model.card import CONFIG, TRAINING
from headscope.model.checkpoint import average, read_weights, save_checkpoint
from headscope.model.errors import HeadscopeError
from headscope.model.files import new_folder, read_json, refuse_existing
from headscope.model.network.architectures import build
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.recipe import parse_recipe
from headscope.model.training.snapshots import saved_weights


def kept_weights(run: Path) -> dict[int, Path]:
    """Files of the weights that a run has kept, by update: in fp32 where it has those, else in fp16."""
    return dict(sorted((dict(saved_weights(run / "snapshots")) | dict(saved_weights(run / "recent"))).items()))


def make_checkpoint(run: Path, out: Path, *, steps: Sequence[int] = ()) -> None:
    """Make a checkpoint of a run, which need not have ended.

    Args:
        out: the folder to make; nothing may be there.
        steps: the updates whose weights it is the mean of; none: the finished checkpoint is copied.

    Raises:
        HeadscopeError: the run has not finished, has no weights of an update, or something is at `out`.
    """
    if not steps:
        if not (run / "checkpoint" / CONFIG).is_file():
            raise HeadscopeError(f"the run {run.name} has not finished: name updates whose weights it has kept")
        with new_folder(out) as fresh:
            shutil.copytree(run / "checkpoint", fresh, dirs_exist_ok=True)
        return
    kept, about = kept_weights(run), read_json(run / "run.json")
    for step in steps:
        if step not in kept:
            known = ", ".join(map(str, kept)) or "none"
            raise HeadscopeError(f"the run {run.name} has kept no weights of update {step}: choose among {known}")
    vocabulary = load_vocabulary(run / "vocabulary")
    model = build(parse_recipe(about["recipe"]).model_for(vocabulary.size("target")))
    model.load_state_dict(average([read_weights(kept[step]) for step in steps]), strict=False)
    source, target = about["data"]["languages"]
    training = about | {"updates": max(steps), "averaged_updates": sorted(steps)}
    refuse_existing(out)
    save_checkpoint(out, model, vocabulary, (source, target), records={TRAINING: training})
