"""Text ready for training: a folder made by `headscope data`, or any other laid out in the same way.

A prepared folder holds, for each part (train, dev and, where there are any, heldout, test, ...), two plain files
`PART.SOURCE` and `PART.TARGET`, one sentence a line, and `data.json`: name, languages, licence, counts, how it was
split. Where the text has to be read with a vocabulary of its own, the folder holds that as `vocabulary`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headscope.model.data.parallel_text import PAIRED, ParallelText, read_parallel
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json

DESCRIPTION, VOCABULARY = "data.json", "vocabulary"


@dataclass(frozen=True)
class PreparedData:
    """A folder of parallel text, ready for training."""

    folder: Path
    name: str
    source: str
    """Language of the source side, or simply "source"."""
    target: str
    parts: Mapping[str, tuple[Path, ...]]
    """The files of each part: one of pairs, or a source and a target file. There is always "train" and "dev"."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """All of `data.json`, as far as there is one."""

    @property
    def vocabulary(self) -> Path | None:
        """The vocabulary that the text has to be read with; None: any that is learned from it."""
        return self.folder / VOCABULARY if (self.folder / VOCABULARY).is_dir() else None

    @property
    def unseen(self) -> tuple[str, ...]:
        """The parts that a training on this folder does not learn from, `heldout` first: all but `train` and `dev`, or
        `dev` where there is no other.
        """
        return tuple(sorted(self.parts.keys() - {"train", "dev"}, key=lambda part: (part != "heldout", part))) or (
            "dev",
        )

    def read(self, part: str, *, skip_bad_lines: bool = False) -> ParallelText:
        """The pairs of a part.

        Raises:
            HeadscopeError: there is no such part, or its files are not what they should be.
        """
        if part not in self.parts:
            raise HeadscopeError(f"{self.folder} has no part '{part}', only {', '.join(self.parts)}")
        named = {"source", "target"} <= self.metadata.keys()
        return read_parallel(
            *self.parts[part], languages=(self.source, self.target) if named else None, skip_bad_lines=skip_bad_lines
        )


def load_prepared(folder: Path) -> PreparedData:
    """Find the parts of a folder: one made by `prepare`, or any other laid out as follows.

    A part is `PART.tsv`, `PART.jsonl` or `PART.tmx`, or two files `PART.SOURCE` and `PART.TARGET` whose endings
    `data.json` gives as "source" and "target"; without `data.json` they are `PART.source` and `PART.target`. Each may
    end in .gz. The languages that `data.json` gives are those taken from a TMX file; without, the first two.

    Raises:
        HeadscopeError: no such folder, `data.json` is broken, or the part "train" or "dev" is missing.
    """
    if not folder.is_dir():
        problem = f"there is no data folder {folder}"
        raise HeadscopeError(f"{problem}; make one with `headscope data`", on_pages=problem)
    metadata = read_metadata(folder)
    source, target = metadata.get("source", "source"), metadata.get("target", "target")
    files = {file.name.removesuffix(".gz"): file for file in sorted(folder.iterdir()) if file.is_file()}
    parts: dict[str, tuple[Path, ...]] = {}
    for name, file in files.items():
        part, _, kind = name.rpartition(".")
        if part and kind in PAIRED:
            parts[part] = (file,)
        elif part and kind == source and f"{part}.{target}" in files:
            parts[part] = (file, files[f"{part}.{target}"])
    for part in ("train", "dev"):
        if part not in parts:
            raise HeadscopeError(
                f"{folder} has no part '{part}': it needs {part}.tsv, {part}.jsonl, {part}.tmx, or {part}.{source} and "
                f"{part}.{target} "
                '(other endings are named in its data.json: {"source": "en", "target": "de"})'
            )
    return PreparedData(
        folder=folder,
        name=metadata.get("name", folder.resolve().name),
        source=source,
        target=target,
        parts=parts,
        metadata=metadata,
    )


def read_metadata(folder: Path) -> dict[str, Any]:
    """What `data.json` says; nothing where there is none.

    Raises:
        HeadscopeError: it cannot be read, or is not what it should be.
    """
    file = folder / DESCRIPTION
    if not file.exists():
        return {}
    metadata = read_json(file)
    for key in ("name", "source", "target"):
        if not isinstance(metadata.get(key, ""), str):
            raise HeadscopeError(f"{file}: {key} = {metadata[key]!r} is not a string")
    return metadata
