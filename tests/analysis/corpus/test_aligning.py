import numpy as np
import pytest

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.corpus.aligning import READINGS, Aligner, alignment_errors
from headscope.analysis.measures.alignment import AGGREGATIONS, Gold, aligned, counts, error_rate
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from tests.toy_seq2seq import mixing_translator


def words(text: str) -> tuple[tuple[int, int], ...]:
    return tuple((at, at + 1) for at, sign in enumerate(text) if sign != " ")


def gold(source: str, target: str, *links: tuple[int, int]) -> Gold:
    return Gold(source, target, words(source), words(target), frozenset(links), frozenset(links))


GOLD = (gold("a b c d", "e f", (0, 0), (3, 1)), gold("g h", "i k l", (1, 1)), gold("b", "c", (0, 0)), gold(" ", "c"))


def test_rates_are_those_of_each_matrix(exact):
    translator = exact()
    found = alignment_errors(translator, GOLD, ["occlusion", "saliency"], base="unknown")
    assert [aligner.sort for aligner in found.aligners] == ["method"] * 2 + ["head"] * 6 + ["layer"] * 3
    assert found.counts.shape == (11, 2, 2, 3, 4)
    assert found.left_out == 1
    pairs = [sentence_pair(translator, each.source, each.target) for each in GOLD[:3]]

    def due(matrices, rows, aggregation):
        total = np.zeros(4)
        for pair, links, matrix in zip(pairs, GOLD, matrices, strict=False):
            made = aligned(matrix[None], record(translator, pair), links, rows=rows, aggregation=aggregation)[0]
            total += counts(made, links)
        return error_rate(total)

    matrices = {
        Aligner("method", "occlusion"): [
            attribute(translator, pair, "occlusion", base="unknown").reduced()[0] for pair in pairs
        ],
        Aligner("method", "saliency"): [attribute(translator, pair, "saliency").reduced("norm")[0] for pair in pairs],
        Aligner("head", "cross 2.1"): [record(translator, pair).cross[1][0] for pair in pairs],
        Aligner("layer", "cross 1"): [record(translator, pair).cross[0].mean(0) for pair in pairs],
    }
    for aligner, given in matrices.items():
        for rows in READINGS:
            for aggregation in AGGREGATIONS:
                assert found.rate(aligner, rows, aggregation) == due(given, rows, aggregation)
    assert len(found.to_pandas()) == 11 * 4


def test_the_best_is_chosen_on_one_half_and_scored_on_the_other(exact):
    found = alignment_errors(exact(), GOLD, ["occlusion"])
    aligner, rows, aggregation, rate = found.best("head")
    at = found.aligners.index(aligner), READINGS.index(rows), [*AGGREGATIONS].index(aggregation)
    assert rate == error_rate(found.counts[at][1])
    first = found.counts[1:7, :, :, ::2].sum(3).reshape(-1, 4)
    assert error_rate(found.counts[at][::2].sum(0)).aer == min(error_rate(each).aer for each in first)
    without = alignment_errors(exact(), GOLD)
    with pytest.raises(HeadscopeError, match="no method was measured"):
        without.best("method")


def test_what_was_kept_is_not_counted_again(exact):
    kept = {}
    whole = alignment_errors(exact(), GOLD, ["saliency"], kept=kept)
    assert kept[3] is None, "it cannot be read"
    other = kept | {0: np.zeros_like(kept[0])}
    del other[1]
    again = alignment_errors(exact(), GOLD, ["saliency"], kept=other)
    assert (again.sentences, again.left_out) == (whole.sentences, whole.left_out) == (3, 1)
    np.testing.assert_array_equal(again.counts[:, :, :, 1:], whole.counts[:, :, :, 1:])
    assert not again.counts[:, :, :, 0].any()


def test_what_cannot_be_measured_is_refused(exact):
    with pytest.raises(HeadscopeError, match="none of the 1 sentence pairs"):
        alignment_errors(exact(), GOLD[3:])
    with pytest.raises(HeadscopeError, match="there is no method 'magic': choose"):
        alignment_errors(exact(), GOLD, ["magic"])
    with pytest.raises(HeadscopeError, match="give two pairs or more"):
        alignment_errors(exact(), GOLD[:1]).best("head")
    with pytest.raises(HeadscopeError, match="no heads of cross-attention"):
        alignment_errors(mixing_translator(), GOLD)


def test_it_can_be_cancelled(exact):
    class Stop:
        def update(self, done: int, total: int | None) -> None:
            if (done, total) == (1, 4):
                raise Cancelled

    with pytest.raises(Cancelled):
        alignment_errors(exact(), GOLD, progress=Stop())
