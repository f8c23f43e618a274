"""`headscope import`: models that other toolkits have trained."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headscope.app.commands.console import say, write_rows
from headscope.app.commands.options import Languages
from headscope.app.workbench.importing import Toolkit, found, notes, read
from headscope.model.card import language_pair

if TYPE_CHECKING:
    from headscope.model.interop.imported import Imported

imports = typer.Typer(help="Take a model of another toolkit as a checkpoint.")

Model = Annotated[str, typer.Argument(metavar="DIR|HUB_NAME", help="Its folder, or OWNER/MODEL on the hub.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Its folder.")]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The checkpoint to make.")]


@imports.command()
def marian(model: Model, out: Out, languages: Languages = None) -> None:
    """OPUS-MT and other Marian models, as Hugging Face has them or as Marian itself.

    The folder holds config.json, model.safetensors or pytorch_model.bin, source.spm, target.spm and vocab.json; or an
    .npz with decoder.yml and the vocabularies that it names.
    """
    _fetch("marian", model, out, languages)


@imports.command()
def m2m(model: Model, out: Out, languages: Languages = None) -> None:
    """M2M-100 and NLLB, as Hugging Face has them, for one pair of languages: --languages en,de or eng_Latn,deu_Latn."""
    _fetch("m2m", model, out, languages)


@imports.command()
def ctranslate2(model: Model, out: Out, languages: Languages = None) -> None:
    """Translation models of CTranslate2; int8 and int16 are taken as the numbers they stand for.

    Without SentencePiece models beside it, text is pieces with blanks between them.
    """
    _fetch("ctranslate2", model, out, languages)


@imports.command()
def fairseq(model: Folder, out: Out, languages: Languages = None) -> None:
    """Transformers of fairseq: a .pt file with dict.LANGUAGE.txt beside it. Text is pieces with blanks between them."""
    _save(read("fairseq", model, language_pair(languages)), out)


@imports.command()
def joeynmt(model: Folder, out: Out, languages: Languages = None) -> None:
    """Transformers of JoeyNMT 2: best.ckpt with config.yaml, src_vocab.txt and trg_vocab.txt beside it."""
    _save(read("joeynmt", model, language_pair(languages)), out)


def _fetch(toolkit: Toolkit, model: str, out: Path, languages: str | None) -> None:
    """Make a checkpoint of a model that may be one on the hub."""
    from headscope.model.interop.hub import locate

    pair = language_pair(languages)
    _save(read(toolkit, locate(model), pair), out)


def _save(imported: "Imported", out: Path) -> None:
    """Make the checkpoint, and say what it is."""
    imported.save(out)
    write_rows(found(imported))
    for note in notes(imported):
        say(note)
    say(f"{out} is ready: headscope translate --checkpoint {out}")
