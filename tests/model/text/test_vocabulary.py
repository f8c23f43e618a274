"""Loading a vocabulary."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.text.vocabulary import load_vocabulary


@pytest.mark.parametrize("keep", [0, 100, 5000])
def test_a_truncated_model_is_named(sentencepiece: Path, keep: int):
    file = sentencepiece / "joint.model"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(HeadscopeError, match=r"joint\.model is not a SentencePiece model"):
        load_vocabulary(sentencepiece)


def test_loading_needs_no_torch(symbols: Path, sentencepiece: Path):
    code = f"""
import sys
from pathlib import Path
from headscope.model.text.vocabulary import load_vocabulary
load_vocabulary(Path({str(sentencepiece)!r}))
load_vocabulary(Path({str(symbols)!r}))
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])


def test_what_was_saved_is_loaded(symbols: Path, sentencepiece: Path):
    found = load_vocabulary(symbols)
    assert isinstance(found, SymbolVocabulary)
    assert (found.size("source"), found.encode("ä ö").ids) == (5, (4, 1))
    assert load_vocabulary(sentencepiece).decode(load_vocabulary(sentencepiece).encode("a rose").ids) == "a rose"


def test_a_special_piece_behind_the_last_is_named(sentencepiece: Path):
    file = sentencepiece / "vocabulary.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"end": 275}), "utf-8")
    with pytest.raises(HeadscopeError, match="end = 275, but the last of its pieces has id 274"):
        load_vocabulary(sentencepiece)
