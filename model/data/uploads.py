"""Text that somebody hands in, as bytes with names: checked, split and put among the prepared texts."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from headscope.model.data.parallel_text import PAIRED, Pair, read_parallel
from headscope.model.data.prepared import DESCRIPTION, PreparedData, load_prepared
from headscope.model.data.splits import divide
from headscope.model.errors import HeadscopeError
from headscope.model.files import new_folder, write_json

MOST_BYTES = 64 * 2**20
"""Of all files together."""
LEAST_PAIRS = 40
DEV_SHARE, LEAST_DEV, MOST_DEV = 20, 8, 1000
"""One pair in so many becomes a development line; at least and at most."""
MARKS = {
    b"PK\x03\x04": "an archive (zip, or an office document): unpack it, or save it as plain text",
    b"\x1f\x8b": "compressed: unpack it first",
    b"%PDF": "a PDF: save it as plain text",
    b"\xff\xfe": "UTF-16: save it as UTF-8",
    b"\xfe\xff": "UTF-16: save it as UTF-8",
}
"""First bytes of files that are no text."""


def take_in(
    files: Mapping[str, bytes], out: Path, *, languages: tuple[str, str] | None = None, most_bytes: int = MOST_BYTES
) -> PreparedData:
    """Make a prepared text of a file of pairs, or of a source and a target file, in this order.

    One pair in twenty becomes a development line; no sentence stands in both parts, on either side.

    Args:
        files: contents by name: one that ends in .tsv, .jsonl or .tmx, or two plain ones.
        out: the folder to make.
        languages: of both sides; None: not known, or those of a TMX file.
        most_bytes: more are refused.

    Raises:
        HeadscopeError: in one line, what is wrong with the files; nothing is made then.
    """
    if not 1 <= len(files) <= 2:
        raise HeadscopeError(
            f"{len(files)} files: give one of pairs (.tsv, .jsonl, .tmx), or a source and a target file"
        )
    size = sum(map(len, files.values()))
    if size > most_bytes:
        raise HeadscopeError(
            f"{size / 2**20:,.1f} MiB are more than the {most_bytes / 2**20:,.1f} taken here: prepare a folder by hand"
        )
    for name, content in files.items():
        _check(name, content)
    if len(files) == 1 and not next(iter(files)).endswith(tuple(f".{kind}" for kind in PAIRED)):
        raise HeadscopeError(
            f"{next(iter(files))} is one file and no .tsv, .jsonl or .tmx: add the file of the other side"
        )
    pairs = _read(files, languages)
    parts = _split(pairs)
    source, target = languages or ("source", "target")
    with new_folder(out) as fresh:
        for part, found in parts.items():
            for side, ending in enumerate((source, target)):
                text = "".join(pair[side] + "\n" for pair in found)
                (fresh / f"{part}.{ending}").write_text(text, "utf-8", newline="\n")
        about = {"name": out.name, "source": source, "target": target, "origin": f"uploaded: {', '.join(files)}"}
        counts = {part: len(found) for part, found in parts.items()}
        split = "dev drawn by hash of the connected component of both sides"
        write_json(fresh / DESCRIPTION, about | {"pairs": counts, "split": split})
    return load_prepared(out)


def _check(name: str, content: bytes) -> None:
    if not content.strip():
        raise HeadscopeError(f"{name} is empty")
    for mark, what in MARKS.items():
        if content.startswith(mark):
            raise HeadscopeError(f"{name} is {what}")
    if b"\0" in content:
        raise HeadscopeError(f"{name} is no plain text (it has a zero byte): save it as UTF-8")


def _read(files: Mapping[str, bytes], languages: tuple[str, str] | None) -> Sequence[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        places = []
        for number, (name, content) in enumerate(files.items()):
            # Names come from elsewhere: of each the ending alone is used.
            place = Path(folder) / f"{number}{Path(name).suffix if len(files) == 1 else '.txt'}"
            place.write_bytes(content)
            places.append(place)
        try:
            return read_parallel(*places, languages=languages).pairs
        except HeadscopeError as error:
            message = str(error)
            for place, name in zip(places, files, strict=True):
                message = message.replace(str(place), name)
            raise HeadscopeError(message.replace("; correct it, or skip bad lines", ": correct it")) from error


def _split(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    if len(pairs) < LEAST_PAIRS:
        raise HeadscopeError(f"{len(pairs)} pairs are too few to learn from: at least {LEAST_PAIRS} are needed")
    size = max(LEAST_DEV, min(MOST_DEV, len(pairs) // DEV_SHARE))
    try:
        return divide(pairs, {"dev": size}, "train")
    except ValueError as error:
        raise HeadscopeError(
            f"no {size} development lines can be drawn that share no sentence with the rest: prepare a folder with "
            "parts of its own"
        ) from error
