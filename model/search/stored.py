"""How to search, as `config.json` says it. No torch here."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from headscope.model.config import explain
from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import ALPHAS, BEAMS, LENGTHS
from headscope.model.search.penalty import LengthPenalty, PenaltyKind
from headscope.model.search.settings import Finish, SearchSettings

_PAPER = SearchSettings()


class _Stored(BaseModel):
    """What a checkpoint may say of its search; the rest is for whoever searches."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    beam: int = Field(default=_PAPER.beam, ge=BEAMS[0], le=BEAMS[1])
    alpha: float = Field(default=_PAPER.penalty.alpha, ge=ALPHAS[0], le=ALPHAS[1])
    kind: PenaltyKind = _PAPER.penalty.kind
    finish: Finish = _PAPER.finish
    longest: int | None = Field(default=_PAPER.longest, ge=LENGTHS[0], le=LENGTHS[1])


def parse_search(plain: object) -> SearchSettings:
    """The settings in a file; what it does not say is the paper's way.

    Raises:
        HeadscopeError: a key is unknown, or a value is out of range.
    """
    try:
        found = _Stored.model_validate(plain)
    except ValidationError as error:
        raise HeadscopeError(f"search settings: {explain(error)}") from error
    penalty = LengthPenalty(found.alpha, found.kind)
    return SearchSettings(beam=found.beam, penalty=penalty, finish=found.finish, longest=found.longest)


def search_fields(settings: SearchSettings) -> dict[str, Any]:
    """The settings as `parse_search` reads them: beam, alpha, kind, finish, longest."""
    penalty = settings.penalty
    stored = _Stored(
        beam=settings.beam, alpha=penalty.alpha, kind=penalty.kind, finish=settings.finish, longest=settings.longest
    )
    return stored.model_dump()
