"""Attention as word alignment."""

import gzip

import numpy as np
import pytest

from headscope.analysis.measures.alignment import Gold, aligned, counts, detokenised, error_rate, read_gold
from headscope.model.errors import HeadscopeError
from tests.analysis.handmade import random_maps, with_maps


def gold(sure=frozenset(), possible=frozenset(), source=((0, 1), (2, 3)), target=((0, 1), (2, 3))) -> Gold:
    return Gold("a b", "a b", tuple(source), tuple(target), frozenset(sure), frozenset(sure) | frozenset(possible))


def test_error_rate_by_hand():
    found = counts([(0, 0), (1, 0), (1, 1)], gold(sure={(0, 0), (0, 1)}, possible={(1, 1)}))
    assert found.tolist() == [1, 2, 3, 2]
    rate = error_rate(found)
    assert (rate.aer, rate.precision, rate.recall) == pytest.approx((1 - 3 / 5, 2 / 3, 1 / 2))
    assert error_rate(counts([(0, 0)], gold(sure={(0, 0)}))).aer == 0
    assert np.isnan(error_rate(np.zeros(4)).aer)


VARIANTS = ("", ".reverse", ".intersection", ".grow-diagonal", ".grow-diagonal-final")
PUBLISHED = {
    ("deen_rwth508", "fastalign.test.deen"): (28.5, 32.0, 28.0, 27.0, 27.7),
    ("deen_rwth508", "giza.test.deen"): (21.0, 23.1, 23.4, 21.4, 20.6),
    ("enfr_hansards447", "fastalign.test.enfr"): (16.4, 15.9, 11.2, 10.5, 12.1),
    ("enfr_hansards447", "giza.test.enfr"): (8.0, 9.8, 7.6, 5.9, 6.2),
    ("roen_naacl248", "fastalign.test.roen"): (33.8, 35.6, 34.3, 32.1, 32.2),
    ("roen_naacl248", "giza.test.roen"): (28.7, 32.2, 30.7, 27.9, 26.4),
}


@pytest.mark.parametrize(("name", "baseline"), PUBLISHED)
def test_published_error_rates(shared, name, baseline):
    """Those of fast_align and GIZA++, which are printed with one digit."""
    folder = shared / "data" / "word_alignment"
    every = read_gold(folder / f"{name}.src-tgt.gz", folder / f"{name}.talp.gz")
    for variant, published in zip(VARIANTS, PUBLISHED[name, baseline], strict=True):
        lines = gzip.decompress((folder / "baselines_lilt" / f"{baseline}{variant}.talp.gz").read_bytes()).decode()
        total = np.zeros(4)
        for line, pair in zip(lines.rstrip("\n").split("\n"), every, strict=True):
            links = [tuple(map(int, link.split("-"))) for link in line.split()]
            links = [(i, j) if variant != ".reverse" else (j, i) for i, j in links]
            total += counts(links, pair)
        assert 100 * error_rate(total).aer == pytest.approx(published, abs=0.051)


def test_swapped_gold_is_the_same_gold(shared):
    folder = shared / "data" / "word_alignment"
    files = folder / "deen_rwth508.src-tgt.gz", folder / "deen_rwth508.talp.gz"
    for one, other in zip(read_gold(*files), read_gold(*files, swap=True), strict=True):
        assert (one.source, one.target_words) == (other.target, other.source_words)
        assert {(j, i) for i, j in one.sure} == other.sure
        words = [one.source[slice(*span)] for span in one.source_words]
        assert all(words)
        assert " ." not in one.source


def test_text_as_people_write_it():
    words = ["(", "Yes", ",", "he", "does", "n't", ")", ":", "that", "'s", "3", "%", "."]
    text, spans = detokenised(words)
    assert text == "(Yes, he doesn't): that's 3%."
    assert [text[slice(*span)] for span in spans] == words


@pytest.mark.parametrize(
    ("text", "links", "words"),
    [
        ("a b ||| c\n", "1-1\n2-1\n", ["1 lines", "2"]),
        ("a b\n", "1-1\n", ["line 1", "|||"]),
        ("a b ||| c\n", "1-1 2x1\n", ["line 1", "2p3"]),
        ("a b ||| c\n", "3-1\n", ["line 1", "past the end"]),
        ("a b ||| c\n", "0-1\n", ["line 1", "counted from 1"]),
    ],
)
def test_bad_gold(tmp_path, text, links, words):
    (tmp_path / "text").write_text(text)
    (tmp_path / "links").write_text(links)
    with pytest.raises(HeadscopeError) as raised:
        read_gold(tmp_path / "text", tmp_path / "links")
    assert all(word in str(raised.value) for word in words)


def test_links_that_are_counted_from_0(tmp_path):
    (tmp_path / "text").write_text("a b ||| c d\n")
    (tmp_path / "links").write_text("0-1 1p0\n")
    (found,) = read_gold(tmp_path / "text", tmp_path / "links", counted_from=0)
    assert (found.sure, found.possible) == ({(0, 1)}, {(0, 1), (1, 0)})
    with pytest.raises(HeadscopeError, match="counted from 1"):
        read_gold(tmp_path / "text", tmp_path / "links")


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "text.gz").write_text("a ||| b\n")
    with pytest.raises(HeadscopeError, match="cannot be read"):
        read_gold(tmp_path / "text.gz", tmp_path / "links")
    (tmp_path / "text").write_bytes(b"a \xff")
    with pytest.raises(HeadscopeError, match="not UTF-8 at byte 3"):
        read_gold(tmp_path / "text", tmp_path / "links")


def test_links_of_a_map_by_either_reading():
    # Rows: <s> → a, a → b, b → </s>; keys: a, b, </s>, which has most and is no word.
    layer = np.array([[[0.1, 0.2, 0.7], [0.3, 0.1, 0.6], [0.2, 0.1, 0.7]]])
    maps = with_maps(cross=layer[0])
    pair = gold()
    assert aligned(layer, maps, pair, rows="predicts") == [[(1, 0), (0, 1)]]
    assert aligned(layer, maps, pair, rows="reads") == [[(0, 0), (0, 1)]]


def test_keys_of_a_word_are_summed_and_rows_averaged():
    # One source word of two pieces beside one of one piece, one target word of two pieces.
    maps = random_maps(("ab c", [(0, 1), (1, 2), (2, 4)]), ("xy", [(0, 1), (1, 2)]), decoder=(1, 1))
    layer = np.array([[[0.3, 0.3, 0.35, 0.05], [0.1, 0.1, 0.75, 0.05], [0.0, 0.0, 0.0, 1.0]]])
    pair = gold(source=((0, 2), (3, 4)), target=((0, 2),))
    # Predicts: (0.6 + 0.2) / 2 = 0.4 against (0.35 + 0.75) / 2 = 0.55.
    assert aligned(layer, maps, pair, rows="predicts") == [[(1, 0)]]
    layer[0, 1] = [0.2, 0.2, 0.55, 0.05]  # 0.5 against 0.45, though a single piece has most in either row
    assert aligned(layer, maps, pair, rows="predicts") == [[(0, 0)]]


def test_the_largest_of_every_piece_and_all_links_of_a_word():
    maps = random_maps(("ab c", [(0, 1), (1, 2), (2, 4)]), ("xy", [(0, 1), (1, 2)]), decoder=(1, 1))
    pair = gold(source=((0, 2), (3, 4)), target=((0, 2),))
    # Rows that predict x, y and the end; the end of sentence, the last column, has most in the second and is no word.
    layer = np.array([[[0.3, 0.3, 0.35, 0.05], [0.2, 0.1, 0.1, 0.6], [0.0, 0.0, 0.9, 0.1]]])
    assert aligned(layer, maps, pair, rows="predicts", aggregation="pieces") == [[(0, 0), (1, 0)]]
    # Rows that read x and y are one later; words summed first give one link.
    assert aligned(layer, maps, pair, rows="reads", aggregation="pieces") == [[(0, 0), (1, 0)]]
    assert aligned(layer, maps, pair, rows="predicts") == [[(0, 0)]]
    assert aligned(layer, maps, pair, rows="reads") == [[(1, 0)]]
