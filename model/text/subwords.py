"""Text as many published systems read it: lower-cased Moses tokens, cut into the pieces of subword-nmt.

The libraries come with the extra `data`: sacremoses and subword-nmt (Sennrich et al. 2016).
"""

import contextlib
import io
from collections.abc import Iterable, Sequence
from importlib import import_module
from types import ModuleType

from headscope.model.errors import HeadscopeError

JOINER = "@@"
"""Ends a piece that goes on with the next one."""


def tokenise(lines: Iterable[str], language: str) -> list[str]:
    """Lower-case, normalise the punctuation, and put blanks between Moses tokens.

    As in the text that Multi30k publishes, signs with a meaning in XML are escaped: `'` is `&apos;`.
    """
    moses = _library("sacremoses")
    normalise, cut = moses.MosesPunctNormalizer(language).normalize, moses.MosesTokenizer(language).tokenize
    return [" ".join(cut(normalise(line.lower()))) for line in lines]


def detokenise(lines: Iterable[str], language: str) -> list[str]:
    """Moses tokens as running text."""
    detokenizer = _library("sacremoses").MosesDetokenizer(language)
    return [detokenizer.detokenize(line.split()) for line in lines]


def learn_merges(lines: Sequence[str], merges: int) -> str:
    """Byte pair encoding learned from tokenised lines, as subword-nmt writes it into a file of codes."""
    codes = io.StringIO()
    with contextlib.redirect_stderr(io.StringIO()):  # it draws bars of its own
        _library("subword_nmt.learn_bpe").learn_bpe(lines, codes, merges)
    return codes.getvalue()


def cut(lines: Iterable[str], codes: str) -> list[str]:
    """Tokenised lines cut into pieces, with blanks between them; all but the last of a token end in `@@`."""
    encoding = _library("subword_nmt.apply_bpe").BPE(io.StringIO(codes), separator=JOINER)
    return [encoding.process_line(line) for line in lines]


def join(text: str) -> str:
    """Pieces as tokens."""
    return f"{text} ".replace(f"{JOINER} ", "").rstrip(" ")


def _library(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0].replace("_", "-")
        raise HeadscopeError(f"{package} is not installed: pip install 'headscope[data]'") from error
