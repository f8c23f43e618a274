"""How a run came about, and whether what is asked for now is the same run."""

from dataclasses import asdict, dataclass
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
        )


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
