"""A recipe: everything about a training run but the data, as a validated TOML file."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import deepcopy
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from headscope.model.config import ModelConfig, explain, preset
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import Precision
from headscope.model.training.schedule import InverseSquareRoot, Noam

_SHIPPED = files("headscope.model.training") / "recipes"
NAMES = tuple(sorted(file.name.removesuffix(".toml") for file in _SHIPPED.iterdir()))
"""The recipes that ship."""
_SCHEDULES = {"noam": Noam, "inverse-square-root": InverseSquareRoot}
_WITHOUT_KIND = re.compile(rf"\bschedule\.({'|'.join(_SCHEDULES)})\.")


class Recipe(BaseModel):
    """How to train a model. Counts of tokens are pieces, end of sentence included."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    model: Mapping[str, Any]
    """`preset`, and any field of `ModelConfig` but the vocabularies to change in it."""

    vocabulary: int = Field(default=6000, ge=300, le=1_000_000)
    """Pieces of the joint vocabulary, learned from the training text unless that comes with one of its own."""
    max_pieces: int = Field(default=128, ge=2)
    """Training pairs that are longer on either side are left out, and counted."""
    join_pairs: float = Field(default=0.0, ge=0, le=1)
    """Share of the training examples made of two to four pairs that follow each other."""

    batch_tokens: int = Field(default=4096, ge=1)
    """Padded tokens an update, on the longer side."""
    accumulate: int = Field(default=1, ge=1)
    """Batches into which an update is cut to save memory; each has `batch_tokens / accumulate`."""
    steps: int = Field(ge=1)
    """Updates of the weights."""
    schedule: Annotated[Noam | InverseSquareRoot, Field(discriminator="kind")] = Noam()
    """The learning rate by update: `kind` noam (of the paper) or inverse-square-root, `warmup` updates, `peak`."""
    label_smoothing: float = Field(default=0.1, ge=0, lt=1)
    """Share of the target's probability that is spread over all pieces."""
    clip: float = Field(default=0.0, ge=0)
    """Norm to which a longer gradient is scaled; 0: never."""
    precision: Precision = "fp32"
    """Of matrix products; weights and moments are fp32 either way."""
    seed: int = Field(default=1, ge=0, lt=2**31)
    """Of first values, dropout and the order of the text."""
    threads: int = Field(default=0, ge=0, le=1024)
    """CPU threads; 0: as many as torch chooses."""
    compile: bool = False
    """Let torch.compile make kernels for the model and its loss, which takes a while at the start."""

    log_every: int = Field(default=10, ge=1)
    """Updates between two rows of metrics."""
    validate_every: int = Field(default=500, ge=1)
    """Updates between two validations; at each the state is saved too."""
    dev_lines: int = Field(default=200, ge=0)
    """Development lines translated for BLEU and chrF at each validation; 0: none. The loss takes all of them."""
    patience: int = Field(default=0, ge=0)
    """Stop after so many validations without a lower loss; 0: never."""
    snapshots: int = Field(default=25, ge=2)
    """Sets of weights kept from the whole course of training, at logarithmically spaced updates."""
    average_last: int = Field(default=5, ge=1)
    """Validations whose weights are averaged into the final checkpoint: so many with the best in their middle, or the
    last ones, or the best alone, whichever has the lowest loss on the development lines. So a run
    that ends by `patience`, or that goes on past its best with `patience` 0, never ships worse weights than its best;
    and one that gets better to the end ships the mean of the last, unless the last alone are better."""

    @field_validator("model")
    @classmethod
    def _a_model(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        allowed = {"preset", *ModelConfig.model_fields} - {"source_vocabulary", "target_vocabulary"}
        for key in value:
            if key not in allowed:
                raise ValueError(f"model: {_no_key(key, allowed)}")
        try:
            _configure(value, 4096)
        except HeadscopeError as error:
            raise ValueError(str(error)) from error
        return value

    @field_validator("schedule", mode="before")
    @classmethod
    def _noam_unless_named(cls, value: Any) -> Any:
        return {"kind": "noam"} | dict(value) if isinstance(value, Mapping) else value

    def model_for(self, vocabulary: int) -> ModelConfig:
        """The model over a joint vocabulary of that size."""
        return _configure(self.model, vocabulary)


CHANGEABLE = frozenset(
    {"steps", "log_every", "validate_every", "dev_lines", "patience", "snapshots", "average_last", "threads", "compile"}
)
"""What a resumed run may change: nothing of this enters the updates, but for rounding."""


def load_recipe(name: str, changes: Sequence[str] = ()) -> Recipe:
    """A recipe that ships, by its name, or one in a file ending in .toml.

    Args:
        changes: `key=value` each; the key may be dotted, the value is TOML (or a word, taken as a string).

    Raises:
        HeadscopeError: no such recipe, not TOML, or a key or value is not allowed; the message names it and what is.
    """
    if name in NAMES:
        text = (_SHIPPED / f"{name}.toml").read_text("utf-8")
    elif name.endswith(".toml"):
        text = _read(Path(name))
    else:
        raise HeadscopeError(f"there is no recipe '{name}': choose one of {', '.join(NAMES)}, or give a .toml file")
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HeadscopeError(f"{name} is not TOML: {error}") from error
    return parse_recipe(change_fields(fields, changes))


def change_fields(fields: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """The plain values of a recipe with some changed, as `load_recipe` takes them.

    Raises:
        HeadscopeError: a change is none.
    """
    changed = deepcopy(dict(fields))
    for change in changes:
        _change(changed, change)
    return changed


def parse_recipe(fields: Mapping[str, Any]) -> Recipe:
    """A recipe from plain values.

    Raises:
        HeadscopeError: names the key, its value and what is allowed.
    """
    try:
        return Recipe.model_validate(fields)
    except ValidationError as error:
        raise HeadscopeError(f"recipe: {_explain(error)}") from error


def explained(recipe: Recipe) -> list[tuple[str, str, str]]:
    """Every value of a recipe: its name as a change gives it, the value as TOML, and what it is in a sentence."""
    rows = []
    for name, value in recipe.model_dump(mode="json").items():
        what = " ".join((Recipe.model_fields[name].description or "").replace("`", "").split())
        values = (
            {f"{name}.{key}": inner for key, inner in value.items()} if isinstance(value, Mapping) else {name: value}
        )
        rows += [(key, _toml(inner), what) for key, inner in values.items()]
    return rows


def recipe_toml(recipe: Recipe) -> str:
    """A recipe as `load_recipe` reads it from a file."""
    fields = recipe.model_dump(mode="json")
    tables = {name: value for name, value in fields.items() if isinstance(value, Mapping)}
    lines = [f"{name} = {_toml(value)}" for name, value in fields.items() if name not in tables]
    for name, table in tables.items():
        lines += ["", f"[{name}]", *(f"{key} = {_toml(value)}" for key, value in table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(inner)}' for key, inner in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    kind, place = first["type"], first["loc"]
    if kind == "extra_forbidden":
        allowed = _SCHEDULES[str(place[1])] if place[0] == "schedule" else Recipe
        return _no_key(str(place[-1]), set(allowed.model_fields))
    if kind == "union_tag_invalid":
        return f"schedule.kind = {first['input']['kind']!r}: choose one of {', '.join(_SCHEDULES)}"
    if place == ("model",) and kind == "value_error":
        return first["msg"].removeprefix("Value error, ")
    return _WITHOUT_KIND.sub("schedule.", explain(error))


def _no_key(key: str, allowed: set[str]) -> str:
    near = get_close_matches(key, allowed) or sorted(allowed)
    return f"there is no key '{key}'; {'did you mean' if len(near) <= 3 else 'there are'} {', '.join(near)}"


def _configure(fields: Mapping[str, Any], vocabulary: int) -> ModelConfig:
    changes = dict(fields)
    return preset(changes.pop("preset", "no preset given"), vocabulary=vocabulary, **changes)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise HeadscopeError(f"the recipe {file} cannot be read: {error}") from error


def _change(fields: dict[str, Any], change: str) -> None:
    key, equals, value = change.partition("=")
    *path, last = key.strip().split(".")
    if not equals or not last:
        raise HeadscopeError(f"{change}: write it as key=value, for example steps=1000")
    for part in path:
        fields = fields.setdefault(part, {})
        if not isinstance(fields, dict):
            raise HeadscopeError(f"{change}: '{part}' is a single value, it has no key '{last}'")
    try:
        fields[last] = tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        fields[last] = value.strip()
