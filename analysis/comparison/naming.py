"""What is compared, by a name that commands and addresses share. No torch here.

`CHECKPOINT[@STEP][:without=HEADS][:uniform=HEADS][:offset=N][:positionless]`, as in `tiny@4000:without=cross.3.1`.
"""

import re
from dataclasses import dataclass

from headscope.analysis.records.heads import Head, read_head
from headscope.model.errors import HeadscopeError

MOST_SIDES = 4
"""More could not be read side by side."""
MOST_HEADS = 200
FURTHEST = 1024
"""Positions that all tokens are shifted by at most."""
_CHANGE = re.compile(r":(?:(?P<name>without|uniform|offset)=(?P<value>[^:]*)|(?P<flag>positionless))\Z")
_STEP = re.compile(r"@(\d{1,9})\Z")


@dataclass(frozen=True, slots=True)
class SideName:
    """A checkpoint, or a run after some update, as it is or with a change."""

    checkpoint: str
    """Its name, or a folder."""
    step: int | None = None
    """The update of a run; None: the finished checkpoint."""
    without: tuple[Head, ...] = ()
    """Heads that put out nothing, sorted; each once."""
    uniform: tuple[Head, ...] = ()
    """Heads that look at all keys alike."""
    offset: int = 0
    """Positions that all tokens of both sides stand further on."""
    positionless: bool = False
    """Tokens do not know where they stand."""

    @property
    def changed(self) -> bool:
        """Whether anything is done to the model."""
        return bool(self.without or self.uniform or self.offset or self.positionless)

    @property
    def weights(self) -> str:
        """The name without any change."""
        return self.checkpoint if self.step is None else f"{self.checkpoint}@{self.step}"

    def __str__(self) -> str:
        """As `read_side` takes it."""
        parts = [self.weights]
        parts += [f"{name}={_spelt(heads)}" for name in ("without", "uniform") if (heads := getattr(self, name))]
        parts += [f"offset={self.offset}"] if self.offset else []
        return ":".join([*parts, *(["positionless"] if self.positionless else [])])

    @property
    def title(self) -> str:
        """In words, heads counted from 1."""
        said = [f"{self.checkpoint}, update {self.step:,}" if self.step is not None else self.checkpoint]
        said += [f"without {', '.join(map(str, self.without))}"] if self.without else []
        said += [f"uniform {', '.join(map(str, self.uniform))}"] if self.uniform else []
        said += [f"positions {self.offset:+d}".replace("-", "−")] if self.offset else []
        return ", ".join([*said, *(["no positions"] if self.positionless else [])])


def read_side(text: str) -> SideName:
    """The side of a name.

    Raises:
        HeadscopeError: a part of it makes no sense, or stands there twice.
    """
    found: dict[str, str] = {}
    rest = text
    while part := _CHANGE.search(rest):
        name = part["name"] or part["flag"]
        if name in found:
            raise HeadscopeError(f"'{text}' says {name} twice: say it once")
        found[name], rest = part["value"] or "", rest[: part.start()]
    step = _STEP.search(rest)
    checkpoint = rest[: step.start()] if step else rest
    if not checkpoint:
        raise HeadscopeError(f"'{text}' names no checkpoint: write NAME, NAME@STEP or NAME:without=cross.3.1")
    return SideName(
        checkpoint,
        int(step[1]) if step else None,
        _heads(found.get("without")),
        _heads(found.get("uniform")),
        _offset(found.get("offset")),
        "positionless" in found,
    )


def _heads(text: str | None) -> tuple[Head, ...]:
    if text is None:
        return ()
    return tuple(sorted({read_head(name) for name in text.split(",", MOST_HEADS)[:MOST_HEADS]}))


def _spelt(heads: tuple[Head, ...]) -> str:
    return ",".join(f"{kind}.{layer + 1}.{head + 1}" for kind, layer, head in heads)


def _offset(text: str | None) -> int:
    if text is None:
        return 0
    if not re.fullmatch(r"\d{1,5}", text) or not 0 < int(text) <= FURTHEST:
        raise HeadscopeError(f"offset={text}: give a whole number of positions from 1 to {FURTHEST:,}")
    return int(text)
