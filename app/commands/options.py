"""Options that several commands share. Nothing heavy is imported here."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from model.errors import HeadscopeError

if TYPE_CHECKING:
    from model.search.beam import SearchSettings

PENALTIES = (-5.0, 5.0)

Checkpoint = Annotated[
    str, typer.Option("--checkpoint", metavar="NAME|DIR", help="A checkpoint that ships, by name, or a folder.")
]
Device = Annotated[str, typer.Option(help="auto (CUDA where there is a device), cpu, cuda or cuda:N.")]
Precision = Annotated[
    Literal["fp32", "bf16"],
    typer.Option(help="bf16 is faster; a result may then depend on the lines computed beside it."),
]
LengthPenaltyKind = Annotated[
    Literal["gnmt", "power"],
    typer.Option(help="gnmt as above; power: length^alpha, as in fairseq, Marian and Hugging Face."),
]
Beam = Annotated[int, typer.Option(min=1, max=100, help="Hypotheses kept at each step; 1 is greedy search.")]
LengthPenaltyAlpha = Annotated[
    float, typer.Option("--length-penalty", help="Alpha of ((5 + length) / 6)^alpha; 0 compares log-probabilities.")
]
MaxSourcePieces = Annotated[int, typer.Option(min=2, help="Longer lines are not translated.")]
BatchTokens = Annotated[int, typer.Option(min=1, help="Source pieces computed side by side, padding counted.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
SkipBadLines = Annotated[
    bool, typer.Option("--skip-bad-lines", help="Leave out and count lines that cannot be used, instead of ending.")
]


def search_settings(
    beam: int, length_penalty: float, n_best: int = 1, *, kind: Literal["gnmt", "power"] = "gnmt"
) -> "SearchSettings":
    """How to search, from the options of a command.

    Raises:
        HeadscopeError: the length penalty is out of range, or more hypotheses are asked for than the beam keeps.
    """
    from model.search.beam import SearchSettings
    from model.search.penalty import LengthPenalty

    least, most = PENALTIES
    if not least <= length_penalty <= most:
        raise HeadscopeError(f"length penalty {length_penalty}: choose a number from {least:g} to {most:g}")
    return SearchSettings(beam=beam, n_best=n_best, penalty=LengthPenalty(length_penalty, kind))
