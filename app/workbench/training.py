"""What a server trains: runs in a folder, each a process of its own that outlives the server. No torch at import.

The page starts exactly what `headscope train --wait` does. All that lasts lies in the folders: nothing of this is
needed to go on after a restart.
"""

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import portalocker

from headscope.app.workbench.folders import without_place
from headscope.app.workbench.texts import Texts
from headscope.model.data.prepared import load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.files import folder_name, replace_file
from headscope.model.training import runs
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.runs import Rows, Run
from headscope.model.training.turns import Request, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from headscope.analysis.measures.watched_head import WatchedHead
    from headscope.analysis.records.heads import Head
    from headscope.app.workbench.workbench import Workbench
    from headscope.model.training.estimate import Estimate
    from headscope.model.training.recipe import Recipe

RECIPE = "recipe.toml"
KEPT_HEADS = 64
FOLLOWED = 16
"""Runs whose rows are kept in memory, the last ones that were looked at."""
PATIENCE = 10.0
"""Seconds that a start may wait for others that are being made."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where what is trained lies."""

    runs: Path
    data: Path


class Training:
    """One a server; any number of threads may use it."""

    def __init__(self, places: Places, *, shipped: Path | None = None) -> None:
        self.places = places
        self.texts = Texts(places.data, shipped=shipped)
        self._lock = threading.Lock()
        self._rows: dict[Path, Rows] = {}
        self._heads: dict[tuple, WatchedHead | None] = {}

    def all_runs(self) -> list[Run]:
        """All runs, the one that has said something last first."""
        return runs.list_runs(self.places.runs)

    def find(self, name: str) -> Run:
        """The run of that name.

        Raises:
            HeadscopeError: there is none.
        """
        return runs.find(self.places.runs, name)

    def free_name(self, base: str) -> str:
        """A name for a new run that none has: the base, with a number."""
        taken = {run.name for run in self.all_runs()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"{base}-{number}") not in taken)

    def start(
        self, name: str, recipe: "Recipe", data: Path, *, device: str = "cpu", skip_bad_lines: bool = False
    ) -> Run:
        """Start a new run, or put it in line behind others of its device.

        Raises:
            HeadscopeError: the name is none or taken, the text is not there, or the process cannot be made.
        """
        path = runs.place(self.places.runs, name)
        load_prepared(data)
        with self._starting():
            try:
                path.mkdir(parents=True)
            except FileExistsError:
                raise HeadscopeError(f"there is a run '{path.name}' already: choose another name") from None
            self._write_recipe(path, recipe)
            request = Request(str(data.resolve()), device, time.time(), skip_bad_lines)
            self._launch(path, request, steps=recipe.steps)
        return runs.read_run(path)

    def resume(self, name: str, *, steps: int | None = None) -> Run:
        """Let a run that has ended go on.

        Args:
            steps: as many updates in all; None: as many as it was to make.

        Raises:
            HeadscopeError: there is no such run, it goes on already, or a page did not start it.
        """
        with self._starting():
            run = self.find(name)
            if run.live:
                raise HeadscopeError(f"the run '{name}' is {run.condition} already")
            recipe = self.recipe(name)
            if run.request is None:
                command = run.about.get("command", "headscope train …")
                problem = f"the run '{name}' was not started on this page: go on with"
                raise HeadscopeError(f"{problem} `{command}`", on_pages=f"{problem} the command that started it")
            if steps is not None:
                recipe = recipe.model_copy(update={"steps": steps})
                self._write_recipe(run.path, recipe)
            self._launch(run.path, replace(run.request, asked=time.time()), steps=recipe.steps)
        return runs.read_run(run.path)

    def recipe(self, name: str) -> "Recipe":
        """The recipe of a run: that it was started with, or that it records.

        Raises:
            HeadscopeError: it has none, or one that this version does not know.
        """
        from headscope.model.training.recipe import load_recipe, parse_recipe

        run = self.find(name)
        if (run.path / RECIPE).exists():
            return load_recipe(str(run.path / RECIPE))
        if "recipe" not in run.about:
            raise HeadscopeError(f"the run '{name}' ended before it recorded its recipe: start it anew")
        return parse_recipe(run.about["recipe"])

    def for_visitors(self, text: str) -> str:
        """A text without where on the server the folders lie."""
        text = without_place(text, self.places.runs, self.places.runs.name)
        return without_place(text, self.places.data, self.places.data.name)

    def stop(self, name: str) -> None:
        """Ask a run to save its state and end.

        Raises:
            HeadscopeError: there is none, or nothing to stop.
        """
        runs.stop(self.places.runs, name)

    def delete(self, name: str) -> None:
        """Remove a run.

        Raises:
            HeadscopeError: there is none, or it runs.
        """
        with self._starting():
            runs.delete(self.places.runs, name)

    def rows(self, run: Run) -> Sequence[Mapping[str, Any]]:
        """What was measured so far, by update: rows of the kinds `update` and `validation`."""
        return self._follow(run.path / "metrics.jsonl")

    def samples(self, run: Run) -> Sequence[Mapping[str, Any]]:
        """How development lines were translated so far, by update."""
        return self._follow(run.path / "translations.jsonl")

    def has_samples(self, run: Run) -> bool:
        """Whether any development line has been translated."""
        return (run.path / "translations.jsonl").exists()

    def watched(self, run: Run) -> list[int]:
        """The updates of which a run has kept maps of attention."""
        files = (run.path / "history").glob("step-*.npz")
        return sorted(int(file.stem.removeprefix("step-")) for file in files)

    def head(self, run: Run, step: int, source: str, head: "Head | None") -> "WatchedHead | None":
        """A head at an update on a development line; None: nothing is kept of that line.

        Raises:
            HeadscopeError: there is no such head, or what was kept is damaged.
        """
        from headscope.analysis.measures.watched_head import watched_head

        asked = (run.path, (run.path / "history" / f"step-{step:07d}.npz").stat().st_mtime_ns, source, head)
        if asked not in self._heads:
            found = watched_head(run.path, step, source, head)
            with self._lock:
                self._heads[asked] = found
                while len(self._heads) > KEPT_HEADS:
                    self._heads.pop(next(iter(self._heads)))
        return self._heads[asked]

    def heads(self, run: Run) -> "list[Head]":
        """The heads of a run's model.

        Raises:
            HeadscopeError: its recipe is not known.
        """
        from headscope.analysis.records.heads import all_heads

        recipe = self.recipe(run.name)
        return list(all_heads(recipe.model_for(recipe.vocabulary)))

    def kept(self, run: Run) -> list[int]:
        """The updates whose weights a run has kept."""
        files = (
            path.stem for place in ("recent", "snapshots") for path in (run.path / place).glob("step-*.safetensors")
        )
        return sorted({int(stem.removeprefix("step-")) for stem in files})

    def promote(self, bench: "Workbench", shelf: Path, name: str, to: str, steps: Sequence[int] = ()) -> str:
        """Make a checkpoint of a run, which the server shows from then on.

        Args:
            shelf: the folder that the checkpoint is put into.
            to: its name.
            steps: the updates whose weights it is the mean of; none: the finished checkpoint of the run.

        Raises:
            HeadscopeError: there is no such run, it has no such weights, or the name is none or taken.
        """
        from headscope.model.training.promotion import make_checkpoint

        run, to = self.find(name), folder_name(to, "a checkpoint")
        bench.add(to, shelf / to, lambda: make_checkpoint(run.path, shelf / to, steps=steps))
        return to

    def _follow(self, path: Path) -> Sequence[Mapping[str, Any]]:
        with self._lock:
            rows = self._rows.pop(path, None) or Rows(path)
            self._rows[path] = rows
            while len(self._rows) > 2 * FOLLOWED:
                self._rows.pop(next(iter(self._rows)))
            return rows.read()

    @contextmanager
    def _starting(self) -> "Iterator[None]":
        """One change of what runs at a time, of all servers on the folder."""
        self.places.runs.mkdir(parents=True, exist_ok=True)
        try:
            with portalocker.Lock(self.places.runs / ".starts.lock", "a+", timeout=PATIENCE):
                yield
        except portalocker.LockException:
            raise HeadscopeError("others are starting runs here: try again in a moment") from None

    def _write_recipe(self, path: Path, recipe: "Recipe") -> None:
        from headscope.model.training.recipe import recipe_toml

        text = recipe_toml(recipe)
        replace_file(path / RECIPE, lambda fresh: fresh.write_text(text, "utf-8", newline="\n"))

    def _launch(self, path: Path, request: Request, *, steps: int) -> None:
        """Say that the run waits, and make its process, which has no more to do with this one."""
        directory = RunDirectory(path)
        if directory.status_file.exists():
            directory.status = runs.read_run(path).status
        ask(directory, request, steps=steps)
        command = [sys.executable, "-m", "headscope", "train", "--wait", "--recipe", str(path / RECIPE)]
        command += ["--data", request.data, "--run", str(path), "--device", request.device]
        command += ["--skip-bad-lines"] if request.skip_bad_lines else []
        try:
            with (path / "output.txt").open("wb") as output:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
                )
        except OSError as error:
            directory.set_status("failed", message=f"no process could be made: {error}")
            raise HeadscopeError(f"no process could be made for the run: {error.strerror}") from error
        # Whoever starts a process has to take note of its end, or it stays in the table of processes.
        threading.Thread(target=process.wait, name=f"run {path.name}", daemon=True).start()


def cost(bench: "Workbench", recipe: "Recipe", device: str, characters: float | None) -> "Estimate":
    """What a training will take, measured with nothing computed beside it on this server.

    Args:
        characters: of a sentence of its text on average; None: not known.

    Raises:
        HeadscopeError: the server is busy, or the device has too little memory.
    """
    from headscope.model.training.estimate import estimate

    asked = ("cost", recipe.model_dump_json(), device, characters)
    return bench.aside(asked, lambda: estimate(recipe, device=device, characters=characters))


def devices() -> list[str]:
    """Where this machine can train, the fastest first."""
    import torch

    return [*(f"cuda:{index}" for index in range(torch.cuda.device_count())), "cpu"]


def free_bytes(path: Path) -> int:
    """Room on the disk that a folder is on, or will be."""
    there = next(place for place in (path, *path.parents) if place.exists())
    return shutil.disk_usage(there).free
