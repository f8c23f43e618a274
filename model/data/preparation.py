"""Making a folder ready for training out of the files of a known data set."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from headscope.model.data.known_datasets import DataSet, text_sha256
from headscope.model.data.parallel_text import Pair, read_parallel
from headscope.model.data.prepared import DESCRIPTION, VOCABULARY, PreparedData, load_prepared, read_metadata
from headscope.model.data.splits import divide, without_overlap
from headscope.model.errors import HeadscopeError
from headscope.model.files import replaced_folder, write_json
from headscope.model.progress import Progress, Silent
from headscope.model.text.subwords import cut, learn_merges, tokenise
from headscope.model.text.symbol_vocabulary import SymbolVocabulary

MAKER = "headscope data"
"""Stands in the `data.json` of a folder made here: such a folder may be made anew."""
CODES = "bpe.codes"
"""The merges that the text was cut by, in the format of subword-nmt."""
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")

Parts = dict[str, list[Pair]]


def prepare(data: DataSet, folder: Path, out: Path, *, progress: Progress | None = None) -> PreparedData:
    """Check a local copy of a data set, split it, and write it as a folder ready for training.

    Unless the published split is kept, a pair leaves the training text when either side occurs in a given part (test
    sets; for Multi30k its validation set too), and further parts are drawn by hash of the connected component (see
    `model.data.splits`). Given parts are untouched. Text that is cut into pieces comes with its merges, learned from
    the training part, and with the vocabulary of that part. The folder appears complete or not at all.

    Args:
        folder: where the files of the data set are, or a folder that contains that one.
        out: the folder to make. It may exist when it is empty or was made here.

    Raises:
        HeadscopeError: missing or altered file, `out` holds something else or cannot be written, or the libraries
            that cut text into pieces are not installed.
        Cancelled: `progress` wants it to stop.
    """
    out = out.resolve()
    _check_replaceable(out)
    place, digests = _checked_folder(data, folder)
    progress = progress or Silent()
    steps = 3
    progress.update(0, steps)
    parts, left_out = _split(data, place)
    if data.turned:
        parts = {part: [(target, source) for source, target in pairs] for part, pairs in parts.items()}
    progress.update(1, steps)
    codes = ""
    if data.merges:
        parts, codes = _cut(data, parts)
    progress.update(2, steps)
    try:
        with replaced_folder(out) as fresh:
            _write(data, parts, fresh)
            if codes:
                (fresh / CODES).write_text(codes, "utf-8", newline="\n")
                _symbols(parts["train"]).save(fresh / VOCABULARY)
            _describe(data, parts, fresh, left_out=left_out, made_from=digests)
            progress.update(3, steps)
    except OSError as error:
        raise HeadscopeError(f"{out} cannot be written: {error.strerror}") from error
    return load_prepared(out)


def _checked_folder(data: DataSet, folder: Path) -> tuple[Path, dict[str, str]]:
    """Where the files of the data set are, every one of them being what it should be, and the sha256 of their texts."""
    places = (folder, folder / data.folder)
    place = next((place for place in places if (place / data.train[0]).is_file()), None)
    if place is None:
        raise HeadscopeError(
            f"{data.name} is not in {folder}: "
            f"there is no {data.train[0]}, neither in it nor in its folder {data.folder}"
        )
    digests: dict[str, str] = {}
    for name, file in data.files.items():
        if not (place / name).is_file():
            raise HeadscopeError(f"{data.name} is not complete: there is no {place / name}")
        digests[name] = text_sha256(place / name)
        if digests[name] not in file.sha256:
            raise HeadscopeError(
                f"{place / name} is not the file that {data.name} is made from: the sha256 of its text is "
                f"{digests[name]}, not {' or '.join(file.sha256)}"
            )
    return place, digests


def _check_replaceable(out: Path) -> None:
    """Only what was made here, with nothing added since, may be replaced."""
    if not out.exists():
        return
    if not out.is_dir():
        raise HeadscopeError(f"{out} is a file; choose a folder for the data")
    metadata = read_metadata(out)
    ours = {DESCRIPTION, VOCABULARY, *metadata.get("sha256", ())} if metadata.get("made_by") == MAKER else set[str]()
    if others := {path.relative_to(out).as_posix() for path in out.rglob("*")} - ours:
        raise HeadscopeError(f"{out} holds something else already ({min(others)}); choose another folder")


def _split(data: DataSet, place: Path) -> tuple[Parts, int]:
    """The pairs of every part, and how many were left out."""
    given = {part: list(read_parallel(*(place / file for file in files)).pairs) for part, files in data.given.items()}
    raw = list(read_parallel(*(place / file for file in data.train)).pairs)
    if data.drawn is None:
        return {"train": raw, **given}, 0
    usable = without_overlap(raw, [pair for pairs in given.values() for pair in pairs])
    return divide(usable, data.drawn, rest="train") | given, len(raw) - len(usable)


def _cut(data: DataSet, parts: Parts) -> tuple[Parts, str]:
    """All text in pieces, and the merges, which are learned from both sides of the training part."""
    tokens = {
        part: [tokenise([pair[side] for pair in pairs], (data.source, data.target)[side]) for side in (0, 1)]
        for part, pairs in parts.items()
    }
    codes = learn_merges([line for lines in tokens["train"] for line in lines], data.merges)
    pieces = {part: [cut(lines, codes) for lines in sides] for part, sides in tokens.items()}
    return {part: list(zip(*sides, strict=True)) for part, sides in pieces.items()}, codes


def _symbols(pairs: Sequence[Pair]) -> SymbolVocabulary:
    """One table for both sides: every piece of the text, the most frequent first."""
    counts = Counter(piece for pair in pairs for side in pair for piece in side.split())
    return SymbolVocabulary([[*SPECIALS, *sorted(counts, key=lambda piece: (-counts[piece], piece))]])


def _write(data: DataSet, parts: Mapping[str, Sequence[Pair]], folder: Path) -> None:
    for part, pairs in parts.items():
        for language, side in ((data.source, 0), (data.target, 1)):
            text = "".join(f"{pair[side]}\n" for pair in pairs)
            (folder / f"{part}.{language}").write_text(text, "utf-8", newline="\n")


def _describe(data: DataSet, parts: Parts, folder: Path, *, left_out: int, made_from: Mapping[str, str]) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
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
        "split": _split_in_words(data),
        "text": _text_in_words(data),
        "made_from_sha256": made_from,
        "sha256": {path.relative_to(folder).as_posix(): _sha256(path) for path in files},
    }
    write_json(folder / DESCRIPTION, metadata)


def _split_in_words(data: DataSet) -> str:
    if data.drawn is None:
        return "as published"
    return (
        f"{' and '.join(data.given)} as published; a pair with either side in one of them (after NFKC, case folding "
        f"and collapsing of blanks) is left out; {' and '.join(data.drawn)} drawn from the rest by hash of the "
        "connected component of both sides; train in the order of the hashes of its pairs"
    )


def _text_in_words(data: DataSet) -> str:
    if not data.merges:
        return "as published"
    return (
        f"lower-cased, punctuation normalised, Moses tokens (sacremoses {version('sacremoses')}); {data.merges:,} "
        f"joint BPE merges (subword-nmt {version('subword-nmt')}), learned from train"
    )


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
