"""`headscope import`: models that other toolkits have trained."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.commands.console import say, write_rows
from app.commands.info import architecture
from app.commands.options import Languages, language_pair

if TYPE_CHECKING:
    from model.interop.imported import Imported

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
    from model.interop.hub import locate
    from model.interop.marian_import import read_marian
    from model.interop.marian_npz_import import read_marian_npz

    pair, folder = language_pair(languages), locate(model)
    _save((read_marian_npz if any(folder.glob("*.npz")) else read_marian)(folder, languages=pair), out)


@imports.command()
def m2m(model: Model, out: Out, languages: Languages = None) -> None:
    """M2M-100 and NLLB, as Hugging Face has them, for one pair of languages: --languages en,de or eng_Latn,deu_Latn."""
    from model.interop.hub import locate
    from model.interop.m2m_import import read_m2m

    pair = language_pair(languages)
    _save(read_m2m(locate(model), languages=pair), out)


@imports.command()
def ctranslate2(model: Model, out: Out, languages: Languages = None) -> None:
    """Translation models of CTranslate2; int8 and int16 are taken as the numbers they stand for.

    Without SentencePiece models beside it, text is pieces with blanks between them.
    """
    from model.interop.ctranslate2_import import read_ctranslate2
    from model.interop.hub import locate

    pair = language_pair(languages)
    _save(read_ctranslate2(locate(model), languages=pair), out)


@imports.command()
def fairseq(model: Folder, out: Out, languages: Languages = None) -> None:
    """Transformers of fairseq: a .pt file with dict.LANGUAGE.txt beside it. Text is pieces with blanks between them."""
    from model.interop.fairseq_import import read_fairseq

    _save(read_fairseq(model, languages=language_pair(languages)), out)


@imports.command()
def joeynmt(model: Folder, out: Out, languages: Languages = None) -> None:
    """Transformers of JoeyNMT 2: best.ckpt with config.yaml, src_vocab.txt and trg_vocab.txt beside it."""
    from model.interop.joeynmt_import import read_joeynmt

    _save(read_joeynmt(model, languages=language_pair(languages)), out)


def _save(imported: "Imported", out: Path) -> None:
    """Make the checkpoint, and say what it is."""
    imported.save(out)
    write_rows(_rows(imported))
    for note in imported.notes:
        say(note)
    if not imported.languages_known:
        say("its languages are not known: import it again with --languages, as en,de")
    say(f"{out} is ready: headscope translate --checkpoint {out}")


def _rows(imported: "Imported") -> dict[str, str]:
    search = imported.search
    return {
        "model": str(imported.origin["name"]),
        "toolkit": str(imported.origin["toolkit"]),
        "licence": imported.origin["licence"] or "not stated",
        "languages": " to ".join(imported.languages) if imported.languages_known else "not known",
        "parameters": f"{sum(weights.numel() for weights in imported.weights.values()):,}",
        **architecture(imported.config),
        "text": imported.kind_of_text,
        "search": f"beam {search.beam}, length penalty {search.alpha:g} ({search.kind})",
    }
