import numpy as np
import pytest
import torch

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.interventions.positions import Positionless
from headscope.analysis.positions.probing import predicted, readable_positions
from headscope.model.errors import HeadscopeError
from tests.toy_seq2seq import mixing_translator
from tests.toys import random_letters

TEXTS = [
    (source, target) for source, target in zip(random_letters(300, 12, 3), random_letters(300, 12, 4), strict=True)
]


def test_ridge_finds_a_line_and_least_squares():
    generator = torch.Generator().manual_seed(0)
    states = torch.randn(400, 5, generator=generator, dtype=torch.float64)
    wanted = states @ torch.randn(5, 2, generator=generator, dtype=torch.float64) + 3
    found = predicted(states[:300], wanted[:300], states[300:])
    torch.testing.assert_close(found, wanted[300:], atol=2e-2, rtol=0)
    columns = np.hstack([states[:300].numpy(), np.ones((300, 1))])
    plain, *_ = np.linalg.lstsq(columns, wanted[:300].numpy(), rcond=None)
    expected = np.hstack([states[300:].numpy(), np.ones((100, 1))]) @ plain
    np.testing.assert_allclose(found.numpy(), expected, atol=2e-2)


def test_position_is_there_with_a_table_and_not_without(exact):
    translator = exact()
    pairs = corpus_pairs(translator, TEXTS)
    found = readable_positions(translator, pairs)
    assert [(each.side, each.layer) for each in found.layers] == [
        *(("source", layer) for layer in range(3)),
        *(("target", layer) for layer in range(4)),
    ]
    entering = found.layers[0]
    assert entering.selectivity == entering.position - entering.control
    blind = readable_positions(translator, pairs, probe=Positionless()).layers[0]
    assert abs(blind.position) < 0.1
    assert entering.position > blind.position + 0.3
    assert entering.error < blind.error
    assert blind.control > 0.5
    assert found == readable_positions(translator, pairs)
    assert found.to_pandas().position.tolist() == [each.position for each in found.layers]


def test_what_cannot_be_read(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match=r"tokens are too few to fit a probe to states of width 16"):
        readable_positions(translator, corpus_pairs(translator, TEXTS[:3]))
    with pytest.raises(HeadscopeError, match="no sentence pair"):
        readable_positions(translator, [])
    with pytest.raises(HeadscopeError, match="no residual stream, so it has no states to read positions from"):
        readable_positions(mixing_translator(), corpus_pairs(translator, TEXTS))
