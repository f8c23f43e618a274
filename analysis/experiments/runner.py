"""A list of jobs that is worked off: each leaves one small file, and a job that has one is done.

Results from another machine count, and what a job was made in may be removed once its file is there. Files appear whole
or not at all, so a list that was killed goes on with the job that it was killed in.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar, runtime_checkable

from pydantic import BaseModel, ConfigDict

from headscope.model.files import ResultFile

RESULTS = "results"
"""The folder of an experiment that has a file a job."""


class Frozen(BaseModel):
    """A validated value that a result is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class OfJob(Frozen):
    """What came of a job that has trained a model."""

    weights: str
    """`Translator.weights_digest` of the model."""


@runtime_checkable
class Named(Protocol):
    """A job: its name is that of its folder and of its result, and no two of a list have the same."""

    @property
    def name(self) -> str:
        """Fit for a file."""
        ...


J = TypeVar("J", bound=Named)
R = TypeVar("R", bound=OfJob)


@dataclass(frozen=True, slots=True)
class Results(Generic[R]):
    """What came of the jobs of one kind of experiment."""

    made: type[R]
    format: int
    command: str
    """What makes them."""

    def file(self, name: str) -> ResultFile[R]:
        """Where the result of a job lies in a folder of results."""
        parse = self.made.model_validate
        return ResultFile(f"{name}.json", self.format, self.command, lambda found: found.model_dump_json(), parse)

    def load(self, folder: Path, jobs: Iterable[J]) -> dict[J, R]:
        """Those that there are in a folder.

        Raises:
            HeadscopeError: a file is damaged, or of another format.
        """
        found = {job: self.file(job.name).load(folder) for job in jobs}
        return {job: result for job, result in found.items() if result is not None}

    def all(self, folder: Path) -> tuple[R, ...]:
        """All that lie in a folder, by their names; none where there is no such folder.

        Raises:
            HeadscopeError: a file is damaged, or of another format.
        """
        found = (self.file(file.stem).load(folder) for file in sorted(folder.glob("*.json")))
        return tuple(result for result in found if result is not None)


def work_off(
    jobs: Sequence[J],
    out: Path,
    results: Results[R],
    make: Callable[[J], R | None],
    *,
    done: Callable[[J], None] = lambda _: None,
) -> bool:
    """Make what is left of a list, in its order. Returns whether all of it is done.

    Args:
        make: the result of a job; None: it was stopped, and goes on at another call.
        done: told of each job that was done.

    Raises:
        HeadscopeError: a result that is there is damaged.
    """
    (out / RESULTS).mkdir(parents=True, exist_ok=True)
    for job in jobs:
        if results.load(out / RESULTS, [job]):
            continue
        result = make(job)
        if result is None:
            return False
        results.file(job.name).save(result, out / RESULTS)
        done(job)
    return True
