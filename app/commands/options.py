"""Options that several commands share. Nothing heavy is imported here."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.search.beam import SearchSettings

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
    Literal["gnmt", "power"] | None,
    typer.Option(
        help="gnmt as above; power: length^alpha, as in fairseq, Marian and Hugging Face. "
        "[gnmt, or the checkpoint's own]"
    ),
]
Beam = Annotated[int, typer.Option(min=1, max=100, help="Hypotheses kept at each step; 1 is greedy search.")]
OwnBeam = Annotated[
    int | None,
    typer.Option(
        "--beam", min=1, max=100, help="Hypotheses kept at each step; 1 is greedy search. [4, or the checkpoint's own]"
    ),
]
LengthPenaltyAlpha = Annotated[
    float | None,
    typer.Option(
        "--length-penalty",
        help="Alpha of ((5 + length) / 6)^alpha; 0 compares log-probabilities. [0.6, or the checkpoint's own]",
    ),
]
MaxSourcePieces = Annotated[int, typer.Option(min=2, help="Longer lines are not translated.")]
BatchTokens = Annotated[int, typer.Option(min=1, help="Source pieces computed side by side, padding counted.")]
Pieces = Annotated[
    bool, typer.Option("--pieces", help="Text is pieces of the vocabulary with blanks between them, in and out.")
]
Languages = Annotated[
    str | None, typer.Option(metavar="FROM,TO", help="Source and target language, as en,de; else those the files name.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
SkipBadLines = Annotated[
    bool, typer.Option("--skip-bad-lines", help="Leave out and count lines that cannot be used, instead of ending.")
]


def language_pair(text: str | None) -> tuple[str, str] | None:
    """Source and target language from an option; None: it was not given.

    Raises:
        HeadscopeError: it is no pair.
    """
    if text is None:
        return None
    codes = [code.strip() for code in text.split(",")]
    if len(codes) != 2 or not all(codes):
        raise HeadscopeError(f"--languages {text}: name two with a comma between them, as en,de")
    return codes[0], codes[1]


def search_settings(
    checkpoint: str,
    beam: int | None,
    length_penalty: float | None,
    n_best: int = 1,
    *,
    kind: Literal["gnmt", "power"] | None = None,
) -> "SearchSettings":
    """How to search, from the options of a command; what is not given is the checkpoint's own way.

    Raises:
        HeadscopeError: the length penalty is out of range, more hypotheses are asked for than the beam keeps, or there
            is no such checkpoint.
    """
    from headscope.model.card import read_card, resolve
    from headscope.model.search.beam import SearchSettings
    from headscope.model.search.penalty import LengthPenalty

    least, most = PENALTIES
    if length_penalty is not None and not least <= length_penalty <= most:
        raise HeadscopeError(f"length penalty {length_penalty}: choose a number from {least:g} to {most:g}")
    own = read_card(resolve(checkpoint)).search
    alpha = own.alpha if length_penalty is None else length_penalty
    return SearchSettings(
        beam=beam or own.beam,
        n_best=n_best,
        penalty=LengthPenalty(alpha, kind or own.kind),
        longest=own.longest,
        finish=own.finish,
    )
