"""How a vocabulary lies in a folder.

`vocabulary.json` describes it; beside it are the SentencePiece models (`joint.model`, or `source.model` and
`target.model`) and the tables of pieces in the order of their ids (`joint.json`, or `source.json` and `target.json`),
each as many as the description says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from headscope.model.config import explain
from headscope.model.errors import HeadscopeError
from headscope.model.files import parse_json, write_json


class Tags(BaseModel):
    """Pieces that name a language and open the texts of a side."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    typed: bool = False
    """A source text begins with its tag, as in `>>deu<< Good morning`."""
    source: int | None = Field(default=None, ge=0)
    """The piece that opens every source text without being typed."""
    target: int | None = Field(default=None, ge=0)
    """The piece that opens every translation."""

    def ids(self) -> dict[str, int]:
        """Those that open every text, by name."""
        named = {"source tag": self.source, "target tag": self.target}
        return {name: index for name, index in named.items() if index is not None}


class Description(BaseModel):
    """What `vocabulary.json` holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["sentencepiece", "symbols"]
    pad: int = Field(ge=0)
    unknown: int = Field(ge=0)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    models: int = Field(default=0, ge=0, le=2)
    """SentencePiece models: none, one for both sides, or one a side."""
    tables: int = Field(default=0, ge=0, le=2)
    """Tables of pieces, counted in the same way."""
    compose: bool = False
    """Text is brought to Unicode's composed form (NFC) first."""
    tags: Tags | None = None

    @model_validator(mode="after")
    def _enough(self) -> "Description":
        needed = "models" if self.kind == "sentencepiece" else "tables"
        if not getattr(self, needed):
            raise ValueError(f"a vocabulary of kind {self.kind} needs {needed}")
        return self

    def specials(self) -> dict[str, int]:
        """The special ids by name."""
        return {"pad": self.pad, "unknown": self.unknown, "start": self.start, "end": self.end}


@dataclass(frozen=True)
class VocabularyFiles:
    """A vocabulary as it is stored."""

    description: Description
    models: tuple[bytes, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()

    @property
    def symbols(self) -> tuple[str, ...]:
        """The symbols that a source text is spelt in, special ones left out; none where SentencePiece cuts texts."""
        if self.description.kind != "symbols":
            return ()
        special = set(self.description.specials().values())
        return tuple(symbol for index, symbol in enumerate(self.tables[0]) if index not in special)


def side_names(count: int) -> Sequence[str]:
    """What the parts of a vocabulary are called, when there are so many."""
    return {0: (), 1: ("joint",), 2: ("source", "target")}[count]


def write_files(folder: Path, files: VocabularyFiles) -> None:
    """Write a vocabulary into a folder, which is made when it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, model in zip(side_names(len(files.models)), files.models, strict=True):
        (folder / f"{name}.model").write_bytes(model)
    for name, table in zip(side_names(len(files.tables)), files.tables, strict=True):
        write_json(folder / f"{name}.json", table)
    write_json(folder / "vocabulary.json", files.description.model_dump())


def add_tags(folder: Path, tags: Tags) -> None:
    """Have a stored vocabulary open its texts with language tags."""
    description = read_files(folder).description.model_copy(update={"tags": tags})
    write_json(folder / "vocabulary.json", description.model_dump())


def read_files(folder: Path) -> VocabularyFiles:
    """Read what `write_files` wrote.

    Raises:
        HeadscopeError: a file is missing or broken (it is named).
    """
    file = folder / "vocabulary.json"
    try:
        description = Description.model_validate(parse_json(_read(file), file))
    except ValidationError as error:
        raise HeadscopeError(f"{file}: {explain(error)}") from error
    models = tuple(_read(folder / f"{name}.model") for name in side_names(description.models))
    tables = tuple(read_table(folder / f"{name}.json") for name in side_names(description.tables))
    return VocabularyFiles(description, models, tables)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise HeadscopeError(f"the vocabulary is not complete: there is no {file}") from None
    except OSError as error:
        raise HeadscopeError(f"{file} cannot be read: {error.strerror}") from error


def read_table(file: Path) -> tuple[str, ...]:
    """A list of pieces in JSON.

    Raises:
        HeadscopeError: the file is missing or is something else.
    """
    table = parse_json(_read(file), file)
    if not isinstance(table, list) or not all(isinstance(piece, str) for piece in table):
        raise HeadscopeError(f"{file} is not a list of pieces")
    return tuple(table)
