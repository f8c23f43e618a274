"""What a run needs to go on where it was."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from headscope.model.card import read_card
from headscope.model.data.batching import TokenBatches, encode_corpus
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.recipe import Recipe
from headscope.model.training.trainer import train
from tests.model.training.runs import StopAt

Toy = Callable[..., Recipe]


def test_positions_are_counted_exactly(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy()
    train(recipe, copying, tmp_path / "run", device="cpu")
    vocabulary = load_vocabulary(tmp_path / "run" / "vocabulary")
    corpus = encode_corpus(copying.read("train").pairs, vocabulary, max_pieces=recipe.max_pieces)
    batches = TokenBatches(corpus, tokens=recipe.batch_tokens, seed=recipe.seed)
    lengths = np.array(
        [
            (source, target)
            for index in range(6)
            for batch in [batches.batch(0, index)]
            for source, target in zip(batch.source_lengths.tolist(), batch.target_lengths.tolist(), strict=True)
        ]
    )
    card = read_card(tmp_path / "run" / "checkpoint")
    for column, side in enumerate(("source", "target")):
        expected = [int((lengths[:, column] > place).sum()) for place in range(lengths[:, column].max())]
        assert list(card.positions[side]) == expected
        assert card.trained_length(side) == lengths[:, column].max()


def test_a_broken_state_is_an_error_that_names_it(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(HeadscopeError, match=r"state\.safetensors is not the state of this run"):
        train(toy(), copying, tmp_path / "run", device="cpu")
