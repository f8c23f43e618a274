"""How a run came about, and whether what is asked for now is the same run."""

import platform
import shutil
import subprocess
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.training.recipe import CHANGEABLE, Recipe
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.training_data import TrainingData


@dataclass(frozen=True, slots=True)
class Provenance:
    """What is recorded in `run.json`, and in the checkpoint in the end."""

    command: str
    recipe: dict[str, Any]
    data: dict[str, Any]
    torch: str
    device: str
    threads: int
    processes: int = 1
    versions: dict[str, str] = field(default_factory=dict)
    """Of Headscope (with its commit where it runs from a checkout) and of what a run depends on."""

    @staticmethod
    def now(recipe: Recipe, training_data: TrainingData, device: str, command: str, processes: int) -> "Provenance":
        """That of a run which starts or goes on here and now."""
        data = {
            "name": training_data.name,
            "languages": list(training_data.languages),
            "pairs": training_data.pairs,
            "fingerprint": training_data.fingerprint,
        }
        return Provenance(
            command,
            recipe.model_dump(mode="json"),
            data,
            torch.__version__,
            device,
            torch.get_num_threads(),
            processes,
            versions(),
        )


def versions() -> dict[str, str]:
    """The versions of what a run depends on, by name."""
    return {
        "headscope": " ".join([version("headscope"), *_commit()]),
        "python": platform.python_version(),
        **{name: version(name) for name in ("torch", "numpy", "sentencepiece", "sacrebleu")},
    }


def _commit() -> list[str]:
    """Which commit the code is of, where it stands in a checkout and git can tell."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists() or not shutil.which("git"):
        return []
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return [told.stdout.strip()] if told.returncode == 0 else []


def check_resumable(run: RunDirectory, now: Provenance) -> list[str]:
    """Compare with the run in the folder. Returns why it will not go on bit by bit as it would have, if so.

    Raises:
        HeadscopeError: it is another run, by recipe or data.
    """
    before = read_json(run.about)
    for key, value in now.recipe.items():
        if key not in CHANGEABLE and before["recipe"].get(key) != value:
            raise HeadscopeError(
                f"the run in {run.path} was started with {key} = {before['recipe'].get(key)!r}, not {value!r}: go on "
                "with the same recipe, or choose another folder"
            )
    if before["data"]["fingerprint"] != now.data["fingerprint"]:
        raise HeadscopeError(
            f"the training text is not the one that the run in {run.path} was started with ({before['data']['name']}, "
            f"{before['data']['pairs']:,} pairs): go on with the same, or choose another folder"
        )
    # Runs of earlier versions had one process, and were not compiled.
    then = {"processes": 1} | before | {"compile": before["recipe"].get("compile", False)}
    here = asdict(now) | {"compile": now.recipe["compile"]}
    return [
        f"{key} is {here[key]}, it was {then[key]}: the run goes on, but not bit by bit as it would have"
        for key in ("torch", "device", "threads", "processes", "compile")
        if then[key] != here[key]
    ]
