"""Models of other toolkits: reading one, saying what was found, and taking one in while the server runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from headscope.app.wire.described import architecture
from headscope.app.workbench.folders import without_place
from headscope.model.card import language_pair
from headscope.model.errors import HeadscopeError
from headscope.model.files import folder_name
from headscope.model.search.settings import searched

if TYPE_CHECKING:
    from headscope.app.workbench.workbench import Workbench
    from headscope.model.interop.imported import Imported

Toolkit = Literal["marian", "m2m", "ctranslate2", "fairseq", "joeynmt"]
TOOLKITS: Mapping[Toolkit, str] = {
    "marian": "Marian, OPUS-MT",
    "m2m": "M2M-100, NLLB",
    "ctranslate2": "CTranslate2",
    "fairseq": "fairseq",
    "joeynmt": "JoeyNMT",
}
"""The toolkits as the pages name them."""


@dataclass(frozen=True, slots=True)
class Report:
    """A checkpoint that was made, and what was found of it."""

    checkpoint: str
    found: Mapping[str, str]
    notes: Sequence[str]


def read(toolkit: Toolkit, folder: Path, languages: tuple[str, str] | None) -> "Imported":
    """The model in a folder of a toolkit.

    Args:
        languages: source and target; None: those that the files name.

    Raises:
        HeadscopeError: the folder holds no such model, or one that ours cannot be.
    """
    if toolkit == "marian":
        from headscope.model.interop.marian_import import read_marian
        from headscope.model.interop.marian_npz_import import read_marian_npz

        return (read_marian_npz if any(folder.glob("*.npz")) else read_marian)(folder, languages=languages)
    if toolkit == "m2m":
        from headscope.model.interop.m2m_import import read_m2m

        return read_m2m(folder, languages=languages)
    if toolkit == "ctranslate2":
        from headscope.model.interop.ctranslate2_import import read_ctranslate2

        return read_ctranslate2(folder, languages=languages)
    if toolkit == "fairseq":
        from headscope.model.interop.fairseq_import import read_fairseq

        return read_fairseq(folder, languages=languages)
    from headscope.model.interop.joeynmt_import import read_joeynmt

    return read_joeynmt(folder, languages=languages)


def found(imported: "Imported") -> dict[str, str]:
    """What a model is, as names and values."""
    return {
        "model": str(imported.origin["name"]),
        "toolkit": str(imported.origin["toolkit"]),
        "licence": imported.origin["licence"] or "not stated",
        "languages": " to ".join(imported.languages) if imported.languages_known else "not known",
        "parameters": f"{sum(weights.numel() for weights in imported.weights.values()):,}",
        **architecture(imported.config),
        "text": imported.kind_of_text,
        "search": searched(imported.search),
    }


def notes(imported: "Imported") -> list[str]:
    """What the user should know of it, a line each."""
    unknown = "its languages are not known: import it again with its languages, as en,de"
    return [*imported.notes, *([] if imported.languages_known else [unknown])]


def take_in(
    bench: "Workbench", shelf: Path, toolkit: Toolkit, folder: str, *, languages: str = "", name: str = ""
) -> Report:
    """Make a checkpoint of a model, which the server shows from then on. What is there is never replaced.

    Args:
        shelf: the folder that the checkpoint is put into.
        folder: of the model, on this machine.
        languages: two codes, as en,de; blank: those that the files name.
        name: of the checkpoint; blank: that of the folder.

    Raises:
        HeadscopeError: there is no such model, it cannot be imported, or the name is taken or no name.
    """
    place = Path(folder.strip())
    pair = language_pair(languages if languages.strip() else None)
    name = name.strip() or place.resolve().name
    out = shelf / name

    def make() -> Report:
        if out.exists() or out.is_symlink():
            raise HeadscopeError(f"the folder {name} is there already: choose another name")
        imported = read(toolkit, place, pair)
        imported.save(out)
        return Report(name, found(imported), notes(imported))

    try:
        if not folder.strip() or not place.is_dir():
            raise HeadscopeError(f"there is no folder '{folder.strip()}' on the server's machine: give its whole path")
        folder_name(name, "a checkpoint")
        return bench.add(name, out, make)
    except OSError as error:
        problem = f"reading or writing failed at {error.filename or out}: {error.strerror}"
        raise HeadscopeError(without_place(problem, shelf, shelf.name)) from error
    except HeadscopeError as error:
        raise HeadscopeError(without_place(error.on_pages, shelf, shelf.name)) from error
