"""Options that several commands share, alone and in groups. Nothing heavy is imported here."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.model.search.limits import BEAMS
from headscope.model.search.penalty import PenaltyKind

if TYPE_CHECKING:
    from headscope.model.search.settings import SearchSettings
    from headscope.model.translator import Translator

Checkpoint = Annotated[
    str, typer.Option("--checkpoint", metavar="NAME|DIR", help="A checkpoint that ships, by name, or a folder.")
]
Device = Annotated[str, typer.Option(help="auto (CUDA where there is a device), cpu, cuda or cuda:N.")]
Precision = Annotated[
    Literal["fp32", "bf16"],
    typer.Option(help="bf16 is faster; a result may then depend on the lines computed beside it."),
]
LengthPenaltyKind = Annotated[
    PenaltyKind | None,
    typer.Option(
        help="gnmt as above; power: length^alpha, as in fairseq, Marian and Hugging Face. "
        "[gnmt, or the checkpoint's own]"
    ),
]
Beam = Annotated[
    int, typer.Option(min=BEAMS[0], max=BEAMS[1], help="Hypotheses kept at each step; 1 is greedy search.")
]
OwnBeam = Annotated[
    int | None,
    typer.Option(
        "--beam",
        min=BEAMS[0],
        max=BEAMS[1],
        help="Hypotheses kept at each step; 1 is greedy search. [4, or the checkpoint's own]",
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
FigureWidth = Annotated[
    Literal["column", "page", "slide"],
    typer.Option("--width", help="Of a figure: a column (8.5 cm), two columns (17.8 cm) or a slide (30.5 cm)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]
SkipBadLines = Annotated[
    bool, typer.Option("--skip-bad-lines", help="Leave out and count lines that cannot be used, instead of ending.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search; what is not given is the checkpoint's own way."""

    beam: OwnBeam = None
    length_penalty: LengthPenaltyAlpha = None
    length_penalty_kind: LengthPenaltyKind = None

    def settings(
        self,
        checkpoint: str,
        *,
        n_best: int | None = None,
        longest: int | None = None,
        words: "WordOptions | None" = None,
    ) -> "SearchSettings":
        """The checkpoint's own settings with these, as `SearchSettings.override` takes them. No weights are read.

        Raises:
            HeadscopeError: something is out of range, or there is no such checkpoint.
        """
        from headscope.model.card import read_card, resolve

        own = read_card(resolve(checkpoint)).search
        return own.override(
            beam=self.beam,
            alpha=self.length_penalty,
            kind=self.length_penalty_kind,
            n_best=n_best,
            longest=longest,
            must_contain=(words and words.must_contain) or (),
            must_not_contain=(words and words.must_not_contain) or (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WordOptions:
    """Words that the translation must and must not contain, wherever they stand in it."""

    must_contain: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="A word, or several in a row, that must appear; may be repeated."),
    ] = None
    must_not_contain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="A word that must not appear, nor be written on into a longer one; a longer word whose pieces do not "
            "stop behind it may. May be repeated.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How much is computed side by side, in which numbers, and where."""

    batch_tokens: BatchTokens = 2048
    precision: Precision = "fp32"
    device: Device = "auto"


def load(checkpoint: str, device: str, *, pieces: bool = False) -> "Translator":
    """The translator of a checkpoint, for text or for pieces of its vocabulary.

    Raises:
        HeadscopeError: there is no such checkpoint or device, or something in the folder is broken.
    """
    from headscope.model.translator import load_translator

    translator = load_translator(checkpoint, device)
    return translator.in_pieces() if pieces else translator
