import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.measures.head_measures import MEASURES, HeadMeasures, head_measures, is_punctuation
from headscope.analysis.records.attention_maps import Token
from headscope.analysis.records.heads import Head
from tests.analysis.handmade import letters, random_maps, tokens, with_maps


def of(measures: HeadMeasures, kind: str) -> dict[str, float]:
    """The measures of the only head of that kind."""
    (row,) = (index for index, head in enumerate(measures.heads) if head.kind == kind)
    return {name: float(values[row]) for name, values in measures.values.items()}


def test_encoder_by_hand():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.0, 0.9], [0.0, 0.0, 1.0]])  # two letters and the end of sentence
    found = of(head_measures(with_maps(encoder=weights)), "encoder")
    first = -(0.5 * math.log(0.5) + 0.3 * math.log(0.3) + 0.2 * math.log(0.2))
    second = -(0.1 * math.log(0.1) + 0.9 * math.log(0.9))
    assert found["entropy"] == pytest.approx((first + second) / 2)
    assert found["relative_entropy"] == pytest.approx((first + second) / 2 / math.log(3))
    assert found["confidence"] == pytest.approx((0.5 + 0.1) / 2)
    assert found["distance"] == pytest.approx((0.3 + 2 * 0.2 + 0.1 + 0.9) / 2)
    assert found["relative_distance"] == pytest.approx((0.7 / 1 + 1.0 / (2 / 3)) / 2)
    assert found["previous"] == pytest.approx(0.1)
    assert found["same"] == pytest.approx((0.5 + 0.0) / 2)
    assert found["next"] == pytest.approx((0.3 + 0.9) / 2)
    assert (found["previous_peak"], found["same_peak"], found["next_peak"]) == (0.0, 0.5, 0.5)
    assert found["end"] == pytest.approx((0.2 + 0.9) / 2)
    assert found["punctuation"] == 0
    assert all(math.isnan(found[name]) for name in ("start", "diagonality", "coverage", "largest_coverage"))


def test_decoder_by_hand():
    weights = np.array([[1.0, 0.0, 0.0], [0.6, 0.4, 0.0], [0.2, 0.7, 0.1]])  # the start symbol and two letters
    found = of(head_measures(with_maps(decoder=weights)), "decoder")
    second = -(0.6 * math.log(0.6) + 0.4 * math.log(0.4))
    third = -(0.2 * math.log(0.2) + 0.7 * math.log(0.7) + 0.1 * math.log(0.1))
    assert found["entropy"] == pytest.approx((second + third) / 2)
    assert found["relative_entropy"] == pytest.approx((second / math.log(2) + third / math.log(3)) / 2)
    assert found["confidence"] == pytest.approx((0.6 + 0.7) / 2)
    assert found["distance"] == pytest.approx((0.6 + 0.4 + 0.7) / 2)
    assert found["relative_distance"] == pytest.approx((0.6 / 0.5 + 1.1 / 1) / 2)
    assert found["previous"] == pytest.approx((0.6 + 0.7) / 2)
    assert found["same"] == pytest.approx((0.4 + 0.1) / 2)
    assert (found["previous_peak"], found["same_peak"]) == (1.0, 0.0)
    assert found["start"] == pytest.approx((0.6 + 0.2) / 2)
    absent = ("next", "next_peak", "end", "diagonality", "coverage", "largest_coverage")
    assert all(math.isnan(found[name]) for name in absent)


def test_cross_attention_by_hand():
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.0, 0.0, 1.0]])
    found = of(head_measures(with_maps(cross=weights)), "cross")
    assert found["confidence"] == pytest.approx((0.6 + 0.7) / 2)
    assert found["end"] == pytest.approx((0.1 + 0.2) / 2)
    assert found["coverage"] == pytest.approx((0.7 + 1.0) / 2)
    assert found["largest_coverage"] == pytest.approx(1.0)
    assert found["diagonality"] == pytest.approx(((0.6 - 0.3) + (0.7 - 0.1)) / 2)
    offsets = ("distance", "relative_distance", "previous", "same", "next", "previous_peak", "same_peak", "next_peak")
    assert all(math.isnan(found[name]) for name in (*offsets, "start"))


def test_ends_of_the_scales():
    diagonal = np.eye(6)[:, [0, 1, 2, 3, 4, 5]]
    even, at_end = np.full((6, 6), 1 / 6), np.eye(6)[[5] * 6]
    found = [of(head_measures(with_maps(encoder=w, cross=w)), "cross") for w in (diagonal, even, at_end)]
    assert [f["diagonality"] for f in found] == pytest.approx([1, 0, 0], abs=1e-12)
    assert [f["coverage"] for f in found] == pytest.approx([1, 5 / 6, 0])
    assert [f["largest_coverage"] for f in found] == pytest.approx([1, 5 / 6, 0])
    assert [f["confidence"] for f in found] == pytest.approx([1, 1 / 6, 0])
    assert [f["relative_entropy"] for f in found] == pytest.approx([0, 1, 0], abs=1e-12)
    assert [f["end"] for f in found] == pytest.approx([0, 1 / 6, 1])
    looking_back = of(head_measures(with_maps(encoder=np.eye(6)[[0, 0, 1, 2, 3, 4]])), "encoder")
    assert (looking_back["previous"], looking_back["previous_peak"]) == (1, 1)
    assert of(head_measures(with_maps(encoder=even)), "encoder")["relative_distance"] == pytest.approx(1)


def test_a_piece_that_is_looked_at_again_and_again():
    looping = np.array([[0.9, 0.1, 0.0], [0.8, 0.0, 0.2], [0.7, 0.2, 0.1], [0.0, 0.0, 1.0]])
    found = of(head_measures(with_maps(cross=looping)), "cross")
    assert found["coverage"] == pytest.approx((1 + 0.3) / 2)
    assert found["largest_coverage"] == pytest.approx(0.9 + 0.8 + 0.7)


def test_a_source_without_an_end_has_no_weight_on_it():
    weights = np.array([[0.6, 0.4], [0.1, 0.9]])
    maps = with_maps(encoder=weights)
    bare = replace(maps, source=tokens("a b", [(0, 1), (2, 3)]))
    assert math.isnan(of(head_measures(bare), "encoder")["end"])


def test_every_row_counts_where_none_predicts_the_end():
    """What was cut off: the last row predicts a piece, as the others do."""
    weights = np.array([[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.4, 0.4, 0.2]])
    ended = with_maps(cross=weights)
    cut = replace(ended, predicts=tokens("a b c", [(0, 1), (2, 3), (4, 5)]))
    found = of(head_measures(cut), "cross")
    assert found["end"] == pytest.approx((0.1 + 0.2 + 0.2) / 3)
    assert found["largest_coverage"] == pytest.approx(0.3 + 0.7 + 0.4)
    assert of(head_measures(ended), "cross")["end"] == pytest.approx((0.1 + 0.2) / 2)


def test_shortest_sentences():
    one = head_measures(with_maps(cross=np.array([[0.9, 0.1], [0.5, 0.5]])))  # a letter for a letter
    assert math.isnan(of(one, "cross")["diagonality"])
    assert of(one, "cross")["coverage"] == pytest.approx(0.9)
    assert of(one, "decoder")["relative_entropy"] == pytest.approx(1)
    assert math.isnan(of(one, "encoder")["previous"])
    none = head_measures(with_maps(cross=np.array([[0.9, 0.1]])))  # nothing is written
    for kind in ("decoder", "cross"):
        assert all(math.isnan(value) for value in of(none, kind).values())


def test_punctuation_is_what_is_spelt_in_it_alone():
    text = "a, «b» x.y"
    maps = random_maps((text, [(0, 1), (1, 2), (2, 4), (4, 5), (5, 6), (6, 8), (8, 10)]), letters(2))
    found = head_measures(maps)
    for index, head in enumerate(found.heads):
        if head.kind == "cross":
            expected = maps.cross[head.layer][head.head][:-1, [1, 2, 4]].sum(-1).mean()
            assert found.values["punctuation"][index] == pytest.approx(expected)
    spelt = tokens(" .", [(0, 2)]).tokens[0]
    assert is_punctuation(spelt, " .")
    assert not is_punctuation(replace(spelt, special=True), " .")
    assert not is_punctuation(Token("▁", 5, (0, 1)), " .")


def test_table_has_one_row_a_head():
    found = head_measures(random_maps(letters(3), letters(4)))
    table = found.to_pandas()
    assert list(table.columns) == ["kind", "layer", "head", *MEASURES]
    assert len(table) == 2 * 3 + 2 * 3 * 2
    assert Head(*table.iloc[7][["kind", "layer", "head"]]) == found.heads[7] == Head("decoder", 0, 1)
    assert table["entropy"][7] == found.values["entropy"][7]


@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 1000))
def test_shares_stay_within_their_bounds(source: int, target: int, seed: int):
    found = head_measures(random_maps(letters(source), letters(target), seed=seed))
    assert set(found.values) == set(MEASURES)
    shares = set(MEASURES) - {"entropy", "distance", "relative_distance", "diagonality", "largest_coverage"}
    for name in shares:
        values = found.values[name][~np.isnan(found.values[name])]
        assert (values >= 0).all()
        assert (values <= 1 + 1e-12).all()
    assert not (found.values["diagonality"] > 1 + 1e-12).any()
