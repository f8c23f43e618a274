"""Two untrained models that read the same language in pieces of different vocabularies."""

from pathlib import Path

import pytest


def untrained(name: str, pieces: int):
    from headscope.model.card import Card
    from headscope.model.network.transformer import Transformer
    from headscope.model.search.settings import SearchSettings
    from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
    from headscope.model.translator import Translator
    from tests.toys import SENTENCES, tiny_model

    vocabulary = train_sentencepiece([text for pair in SENTENCES for text in pair], pieces)
    model: Transformer = tiny_model(source_vocabulary=pieces, target_vocabulary=pieces)
    card = Card(Path(name), name, model.config, ("en", "de"), SearchSettings(beam=2, longest=12))
    return Translator(model, vocabulary, card)


@pytest.fixture(scope="session")
def coarse():
    """Long pieces."""
    return untrained("coarse", 360)


@pytest.fixture(scope="session")
def fine():
    """Short ones."""
    return untrained("fine", 300)
