"""Data sets ready for training: the known ones prepared from a local copy, or any folder laid out in the same way.

A prepared folder holds, for each part (train, dev and, where there are any, heldout, test, ...), two plain files
`PART.SOURCE` and `PART.TARGET`, one sentence a line, and `data.json`: name, languages, licence, counts, how it was
split.
"""

import hashlib
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model.corpus import Pair, ParallelText, read_parallel
from model.errors import HeadscopeError
from model.progress import Progress, Silent
from model.splits import divide, without_overlap

MAKER = "headscope data"
"""Stands in the `data.json` of a folder made here: such a folder may be made anew."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set that can be prepared: its files, and which of them is what."""

    name: str
    source: str
    target: str
    folder: str
    origin: str
    licence: str
    attribution: str
    train: tuple[str, ...]
    given: Mapping[str, tuple[str, ...]]
    """Parts that are taken as they are; no sentence of theirs stays in the training text."""
    drawn: Mapping[str, int]
    """Parts drawn from the training text, with their numbers of pairs."""
    sha256: Mapping[str, str]


TATOEBA = DataSet(
    name="tatoeba-en-de",
    source="en",
    target="de",
    folder="tatoeba",
    origin="Tatoeba by way of manythings.org/anki (2018-05-13); test set Tatoeba Challenge v2021-08-07",
    licence="CC BY 2.0",
    attribution="www.manythings.org/anki and tatoeba.org",
    train=("deu-eng.manythings-2018-05-13.tsv.gz",),
    given={
        "test": (
            "testsets/tatoeba-test-v2021-08-07.deu-eng.eng.gz",
            "testsets/tatoeba-test-v2021-08-07.deu-eng.deu.gz",
        )
    },
    drawn={"dev": 2000, "heldout": 500},
    sha256={
        "deu-eng.manythings-2018-05-13.tsv.gz": ("b765fc1185c1d82544168fd45a074725f754f64d3229b37eca3a2d3cf581f9aa"),
        "testsets/tatoeba-test-v2021-08-07.deu-eng.eng.gz": (
            "ff60fae7b4beb872aeb6085e8daf0296da20ade9be5785bf3eae987bf2b9a0c9"
        ),
        "testsets/tatoeba-test-v2021-08-07.deu-eng.deu.gz": (
            "3896a57e83b17a00b323017d45621b7bd46a01e56c98bc66914599fe1faa0621"
        ),
    },
)

MULTI30K = DataSet(
    name="multi30k-en-de",
    source="en",
    target="de",
    folder="multi30k",
    origin="Multi30k, task 1, raw text (github.com/multi30k/dataset)",
    licence="no licence file; derived from Flickr30K, for non-commercial research and education",
    attribution="Elliott et al. 2016 (en, de) and 2017 (test 2017)",
    train=("train.en.gz", "train.de.gz"),
    given={
        "dev": ("val.en.gz", "val.de.gz"),
        "test": ("test_2016_flickr.en.gz", "test_2016_flickr.de.gz"),
        "test-2017": ("test_2017_flickr.en.gz", "test_2017_flickr.de.gz"),
    },
    drawn={"heldout": 500},
    sha256={
        "train.en.gz": "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f",
        "train.de.gz": "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6",
        "val.en.gz": "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28",
        "val.de.gz": "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a",
        "test_2016_flickr.en.gz": "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9",
        "test_2016_flickr.de.gz": "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8",
        "test_2017_flickr.en.gz": "76a444ee25172e72695cddb13ae4a3bda59430617be88e0bb46b60504f054074",
        "test_2017_flickr.de.gz": "a2c89666db00c495cd8513b9d708d5a3acc205d7de312ef2bf5fb7ebc1540aee",
    },
)

DATA_SETS: Mapping[str, DataSet] = {known.name: known for known in (TATOEBA, MULTI30K)}


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

    def read(self, part: str, *, skip_bad_lines: bool = False) -> ParallelText:
        """The pairs of a part.

        Raises:
            HeadscopeError: there is no such part, or its files are not what they should be.
        """
        if part not in self.parts:
            raise HeadscopeError(f"{self.folder} has no part '{part}', only {', '.join(self.parts)}")
        return read_parallel(*self.parts[part], skip_bad_lines=skip_bad_lines)


def prepare(name: str, folder: Path, out: Path, *, progress: Progress | None = None) -> PreparedData:
    """Check a local copy of a known data set, split it, and write it as a folder ready for training.

    A pair leaves the training text when either side occurs in a given part (test sets; for Multi30k its validation set
    too); further parts are drawn by hash of the connected component (see `model.splits`). Given parts are untouched.
    The folder appears complete or not at all.

    Args:
        name: a key of `DATA_SETS`.
        folder: where the files of the data set are, or a folder that contains that one.
        out: the folder to make. It may exist when it is empty or was made here.

    Raises:
        HeadscopeError: unknown name, missing or altered file, `out` holds something else or cannot be written.
        Cancelled: `progress` wants it to stop.
    """
    if name not in DATA_SETS:
        raise HeadscopeError(f"there is no data set '{name}'; choose one of {', '.join(DATA_SETS)}")
    data = DATA_SETS[name]
    out = out.resolve()
    _check_replaceable(out)
    place = _checked_folder(data, folder)
    progress = progress or Silent()
    steps = 3
    progress.update(0, steps)

    given = {part: read_parallel(*(place / file for file in files)).pairs for part, files in data.given.items()}
    raw = read_parallel(*(place / file for file in data.train)).pairs
    progress.update(1, steps)
    usable = without_overlap(raw, [pair for pairs in given.values() for pair in pairs])
    parts = divide(usable, data.drawn, rest="train")
    progress.update(2, steps)
    parts |= {part: list(pairs) for part, pairs in given.items()}

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as scratch:
            fresh = Path(scratch) / "data"
            _write(data, parts, fresh, left_out=len(raw) - len(usable))
            progress.update(3, steps)
            _put_in_place(fresh, out)
    except OSError as error:
        raise HeadscopeError(f"{out} cannot be written: {error.strerror}") from error
    return load_prepared(out)


def load_prepared(folder: Path) -> PreparedData:
    """Find the parts of a folder: one made by `prepare`, or any other laid out as follows.

    A part is `PART.tsv` or `PART.jsonl`, or two files `PART.SOURCE` and `PART.TARGET` whose endings `data.json` gives
    as "source" and "target"; without `data.json` they are `PART.source` and `PART.target`. Each may end in .gz.

    Raises:
        HeadscopeError: no such folder, `data.json` is broken, or the part "train" or "dev" is missing.
    """
    if not folder.is_dir():
        raise HeadscopeError(f"there is no data folder {folder}; make one with `headscope data`")
    metadata = _metadata(folder)
    source, target = metadata.get("source", "source"), metadata.get("target", "target")
    files = {file.name.removesuffix(".gz"): file for file in sorted(folder.iterdir()) if file.is_file()}
    parts: dict[str, tuple[Path, ...]] = {}
    for name, file in files.items():
        part, _, kind = name.rpartition(".")
        if part and kind in ("tsv", "jsonl"):
            parts[part] = (file,)
        elif part and kind == source and f"{part}.{target}" in files:
            parts[part] = (file, files[f"{part}.{target}"])
    for part in ("train", "dev"):
        if part not in parts:
            raise HeadscopeError(
                f"{folder} has no part '{part}': it needs {part}.tsv, {part}.jsonl, or {part}.{source} and "
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


def _metadata(folder: Path) -> dict[str, Any]:
    file = folder / "data.json"
    if not file.exists():
        return {}
    try:
        metadata = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise HeadscopeError(f"{file} cannot be read: {error}") from error
    if not isinstance(metadata, dict):
        raise HeadscopeError(f"{file} is not a JSON object")
    for key in ("name", "source", "target"):
        if not isinstance(metadata.get(key, ""), str):
            raise HeadscopeError(f"{file}: {key} = {metadata[key]!r} is not a string")
    return metadata


def _checked_folder(data: DataSet, folder: Path) -> Path:
    """Where the files of the data set are, every one of them being what it should be."""
    places = (folder, folder / data.folder)
    place = next((place for place in places if (place / data.train[0]).is_file()), None)
    if place is None:
        raise HeadscopeError(
            f"{data.name} is not in {folder}: "
            f"there is no {data.train[0]}, neither in it nor in its folder {data.folder}"
        )
    for name, expected in data.sha256.items():
        if not (place / name).is_file():
            raise HeadscopeError(f"{data.name} is not complete: there is no {place / name}")
        found = _sha256(place / name)
        if found != expected:
            raise HeadscopeError(
                f"{place / name} is not the file that {data.name} is made from: its sha256 is {found}, not {expected}"
            )
    return place


def _check_replaceable(out: Path) -> None:
    """Only what was made here, with nothing added since, may be replaced."""
    if not out.exists():
        return
    if not out.is_dir():
        raise HeadscopeError(f"{out} is a file; choose a folder for the data")
    metadata = _metadata(out)
    ours = {"data.json", *metadata.get("sha256", ())} if metadata.get("made_by") == MAKER else set[str]()
    if others := {file.name for file in out.iterdir()} - ours:
        raise HeadscopeError(f"{out} holds something else already ({min(others)}); choose another folder")


def _write(data: DataSet, parts: Mapping[str, Sequence[Pair]], folder: Path, *, left_out: int) -> None:
    folder.mkdir()
    for part, pairs in parts.items():
        for language, side in ((data.source, 0), (data.target, 1)):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            (folder / f"{part}.{language}").write_text(text, "utf-8", newline="\n")
    given, drawn = " and ".join(data.given), " and ".join(data.drawn)
    metadata = {
        "made_by": MAKER,
        "name": data.name,
        "source": data.source,
        "target": data.target,
        "origin": data.origin,
        "licence": data.licence,
        "attribution": data.attribution,
        "pairs": {part: len(pairs) for part, pairs in parts.items()},
        "pairs_left_out": left_out,
        "split": (
            f"{given} as published; a pair with either side in one of them (after NFKC, case folding and collapsing of "
            f"blanks) is left out; {drawn} drawn from the rest by hash of the connected component of both sides; "
            "train in the order of the hashes of its pairs"
        ),
        "made_from_sha256": dict(data.sha256),
        "sha256": {file.name: _sha256(file) for file in sorted(folder.iterdir())},
    }
    (folder / "data.json").write_text(json.dumps(metadata, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _put_in_place(fresh: Path, out: Path) -> None:
    """Let `fresh` take the place of `out`; what was there goes into the scratch folder of `fresh`, which is removed."""
    if out.exists():
        out.rename(fresh.with_name("replaced"))
    fresh.rename(out)


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
