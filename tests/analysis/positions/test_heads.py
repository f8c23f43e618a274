import numpy as np
import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.positions.heads import head_distances
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.toys import random_letters

TEXTS = [(source, source[::-1]) for source in random_letters(7, 9, seed=2)]


def by_hand(translator, pairs, head: Head, distance: int) -> list[float]:
    """Every link between pieces, one by one."""
    found = []
    for pair in pairs:
        weights = record(translator, pair).maps[head.kind][head.layer][head.head]
        sources, targets = range(len(pair.source.ids)), range(1, len(pair.target.ids) + 1)
        queries, keys = {
            "encoder": (sources, sources),
            "decoder": (targets, targets),
            "cross": (range(len(pair.target.ids)), sources),
        }[head.kind]
        links = [(q, k) for q in queries for k in keys if head.kind != "decoder" or k <= q]
        found += [float(weights[q, k]) for q, k in links if k - q == distance]
    return found


@pytest.mark.parametrize("ended", [True, False])
def test_every_link_counts_once(exact, ended):
    translator = exact(source_end=ended)
    pairs = corpus_pairs(translator, TEXTS)
    found = head_distances(translator, pairs, reach=3, batch_tokens=20)
    assert found.distances.tolist() == [-3, -2, -1, 0, 1, 2, 3]
    for head in (Head("encoder", 1, 3), Head("decoder", 2, 0), Head("cross", 0, 1)):
        row = found.heads.index(head)
        for column, distance in enumerate(found.distances):
            weights = by_hand(translator, pairs, head, int(distance))
            assert found.links[row, column] == len(weights)
            if weights:
                assert found.mean[row, column] == pytest.approx(np.mean(weights), abs=1e-9)
                assert found.deviation[row, column] == pytest.approx(np.std(weights), abs=1e-6)
            else:
                assert np.isnan(found.mean[row, column])
    table = found.to_pandas()
    assert len(table) == found.mean.size
    assert table.links.sum() == found.links.sum()


def test_without_pairs(exact):
    with pytest.raises(HeadscopeError, match="no sentence pair"):
        head_distances(exact(), [])
