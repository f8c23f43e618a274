"""Vocabularies as folders."""

from pathlib import Path

import pytest

from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.text.symbol_vocabulary import SymbolVocabulary


@pytest.fixture
def sentencepiece(tmp_path: Path) -> Path:
    train_sentencepiece(["a rose is a rose is a rose"], 275).save(tmp_path / "vocabulary")
    return tmp_path / "vocabulary"


@pytest.fixture
def symbols(tmp_path: Path) -> Path:
    SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", "ä"]]).save(tmp_path / "symbols")
    return tmp_path / "symbols"
