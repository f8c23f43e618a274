from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.data.splits import divide, normalised, shuffled, without_overlap

sides = st.sampled_from("abcdefghijkl")
corpora = st.lists(st.tuples(sides, sides.map(str.upper)), max_size=25)


def test_what_counts_as_the_same_sentence():
    assert normalised(" ＦＵＳＳ\u00a0 ball\t") == normalised("fuß ball")
    assert normalised("e\u0301") == normalised("É")
    assert normalised("a.") != normalised("a")
    every = "".join(map(chr, range(128)))
    assert normalised(every) + "é" == normalised(every + "É"), "plain letters go another way to the same end"


def test_either_side_is_enough_to_leave():
    reserved = [("A cat.", "Eine Katze.")]
    pairs = [("a  CAT.", "Ein Kater."), ("The cat.", "eine katze."), ("Eine Katze.", "A cat."), ("x", "y")]
    assert without_overlap(pairs, reserved) == pairs[2:]


@given(corpora, st.integers(0, 4), st.integers(0, 4))
def test_no_side_stands_in_two_parts_and_no_pair_is_lost(pairs: list[tuple[str, str]], dev: int, heldout: int):
    try:
        parts = divide(pairs, {"dev": dev, "heldout": heldout}, rest="train")
    except ValueError:
        return
    assert (len(parts["dev"]), len(parts["heldout"])) == (dev, heldout)
    assert sorted(pair for part in parts.values() for pair in part) == sorted(pairs)
    for one, other in combinations(parts.values(), 2):
        for side in (0, 1):
            assert {pair[side] for pair in one}.isdisjoint(pair[side] for pair in other)


@given(corpora, st.randoms(use_true_random=False))
def test_shuffling_does_not_depend_on_the_order_of_lines(pairs: list[tuple[str, str]], random):
    distinct = sorted(set(pairs))
    before = shuffled(distinct)
    random.shuffle(distinct)
    assert shuffled(distinct) == before


def test_parts_do_not_depend_on_the_order_of_lines():
    pairs = [(f"source {index // 2}", f"target {index % 37}") for index in range(40)]
    pairs += [(f"lone {index}", f"single {index}") for index in range(60)]
    sizes = {"dev": 20, "heldout": 10}
    assert divide(pairs, sizes, rest="train") == divide(pairs[::-1], sizes, rest="train")


def test_too_few_pairs():
    with pytest.raises(ValueError, match="2 pairs are too few"):
        divide([("a", "b"), ("c", "d")], {"dev": 3}, rest="train")
