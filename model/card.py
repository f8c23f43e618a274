"""What is known of a checkpoint before its weights are read. No torch here: pages list checkpoints at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headscope.model.config import ModelConfig, parse_config
from headscope.model.errors import HeadscopeError
from headscope.model.files import read_json
from headscope.model.network.architectures import FIRST as FIRST_ARCHITECTURE
from headscope.model.network.architectures import architecture
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stored import parse_search

FIRST = "tatoeba-en-de-sinusoidal"
"""The checkpoint that a visitor meets first: the paper's positions."""
SHIPPED = Path(__file__).resolve().parent.parent / "checkpoints"
"""Where the trained models that come with the project lie."""

UNKNOWN_LANGUAGES = ("source", "target")
"""Stand in the place of language codes where files of other toolkits name none."""

FORMAT = 1
CONFIG, WEIGHTS, VOCABULARY = "config.json", "model.safetensors", "vocabulary"
TRAINING, SCORES, POSITIONS = "training.json", "scores.json", "positions.json"


@dataclass(frozen=True, slots=True)
class Card:
    """A checkpoint folder, described."""

    path: Path
    name: str
    config: ModelConfig
    languages: tuple[str, str]
    """Source and target, as language codes."""
    search: SearchSettings = field(default_factory=SearchSettings)
    """How it wants to be searched: the paper's way, where it does not say another."""
    training: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained: recipe, command, steps, data, versions."""
    scores: Mapping[str, Any] = field(default_factory=dict)
    """Measured on test sets."""
    positions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """For `source` and `target`: how often each position occurred in training, end of sentence included."""

    @property
    def languages_known(self) -> bool:
        """Whether anybody has named its languages."""
        return self.languages != UNKNOWN_LANGUAGES

    def trained_length(self, side: str) -> int | None:
        """Pieces of the longest training sentence on that side, end of sentence included; None: not recorded."""
        return len(self.positions[side]) if side in self.positions else None


def available(folder: Path = SHIPPED) -> list[str]:
    """Names of the checkpoints in a folder, in the order of the alphabet but for `FIRST`."""
    if not folder.is_dir():
        return []
    return sorted((path.parent.name for path in folder.glob(f"*/{CONFIG}")), key=lambda name: (name != FIRST, name))


def resolve(name: str | Path, folder: Path = SHIPPED) -> Path:
    """The folder of a checkpoint: one that was given, or one in `folder` by its name.

    Raises:
        HeadscopeError: there is none.
    """
    for path in (Path(name), folder / name):
        if (path / CONFIG).is_file():
            return path
    path = Path(name)
    if path.is_dir():
        raise HeadscopeError(f"'{name}' is a folder without {CONFIG}: choose the folder of a checkpoint")
    known = ", ".join(available(folder)) or "none"
    raise HeadscopeError(f"there is no checkpoint '{name}': give its folder, or a name ({known})")


def read_card(path: Path) -> Card:
    """Describe a checkpoint folder.

    Raises:
        HeadscopeError: a file is missing or is not what it should be.
    """
    plain = read_json(path / CONFIG)
    if plain.get("format") != FORMAT:
        raise HeadscopeError(f"{path / CONFIG}: format {plain.get('format')!r} is unknown, {FORMAT} is expected")
    languages = plain.get("languages")
    if not (isinstance(languages, list) and len(languages) == 2 and all(isinstance(x, str) for x in languages)):
        raise HeadscopeError(f"{path / CONFIG}: languages = {languages!r}: two language codes are expected")
    model = plain.get("model")
    if not isinstance(model, dict):
        raise HeadscopeError(f"{path / CONFIG}: the key 'model' is missing or is not an object")
    try:
        config = parse_config(model, architecture(plain.get("architecture", FIRST_ARCHITECTURE)).config)
        search = parse_search(plain.get("search", {}))
    except HeadscopeError as error:
        raise HeadscopeError(f"{path / CONFIG}: {error}") from error
    return Card(
        path=path,
        name=path.resolve().name,
        config=config,
        languages=(languages[0], languages[1]),
        search=search,
        training=_optional(path / TRAINING),
        scores=_optional(path / SCORES),
        positions=_counts(path / POSITIONS),
    )


def _counts(path: Path) -> dict[str, tuple[int, ...]]:
    counts = _optional(path)
    for side, numbers in counts.items():
        plain = isinstance(numbers, list) and all(isinstance(number, int) for number in numbers)
        if side not in ("source", "target") or not plain:
            raise HeadscopeError(f"{path}: '{side}' is not a list of counts of the source or the target")
    return {side: tuple(numbers) for side, numbers in counts.items()}


def _optional(path: Path) -> dict[str, Any]:
    return read_json(path) if path.exists() else {}


def language_pair(text: str | None) -> tuple[str, str] | None:
    """Source and target language as they are typed, "en,de"; None: nothing is.

    Raises:
        HeadscopeError: it is no pair.
    """
    if text is None:
        return None
    codes = [code.strip() for code in text.split(",")]
    if len(codes) != 2 or not all(codes):
        raise HeadscopeError(f"languages '{text}': name two with a comma between them, as en,de")
    return codes[0], codes[1]
