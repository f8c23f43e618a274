"""Translations of a few watched sentences at every validation of a run, as it went on. No torch here: pages read them.

The file `samples.jsonl` of a run's folder has a row a validation, earliest first, and is replaced whole.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from headscope.model.errors import HeadscopeError
from headscope.model.files import parse_json, replace_file

SAMPLES = "samples.jsonl"


@dataclass(frozen=True, slots=True)
class Sample:
    """One sentence, as the model translated it then."""

    source: str
    reference: str
    """The translation in the development text."""
    translation: str
    """Greedy; blank: the model ended at once, or found nothing."""


@dataclass(frozen=True, slots=True)
class Samples:
    """The watched sentences at one validation."""

    step: int
    samples: tuple[Sample, ...]


def add_samples(run: Path, found: Samples) -> None:
    """Put the samples of a validation at the end of the run's file; rows from that step on, and a torn one, go."""
    kept = [row for row in read_samples(run) if row.step < found.step]
    text = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in [*kept, found])
    replace_file(run / SAMPLES, lambda fresh: fresh.write_text(text, "utf-8", newline="\n"))


def read_samples(run: Path) -> tuple[Samples, ...]:
    """What a run's watched sentences became at every validation so far; none: none was made. A torn last line is left
    out.

    Raises:
        HeadscopeError: the file holds something else; the line is named.
    """
    file = run / SAMPLES
    if not file.exists():
        return ()
    *whole, _ = file.read_bytes().split(b"\n")
    return tuple(_row(parse_json(line, file), file, number) for number, line in enumerate(whole, 1) if line)


def _row(content: Any, file: Path, number: int) -> Samples:
    try:
        samples = tuple(Sample(**{name: str(text) for name, text in each.items()}) for each in content["samples"])
        return Samples(int(content["step"]), samples)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise HeadscopeError(f"{file}, line {number}, holds no samples ({error!r}): remove the line") from error
