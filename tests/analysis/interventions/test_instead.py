"""What stands in the place of heads."""

from headscope.analysis.interventions.instead import INSTEAD, taken_from


def test_the_other_sentence_is_another_one():
    known = [("a ", "b"), ("c", "d"), ("e", "f")]
    found = {instead: taken_from(instead, known, "a") for instead in INSTEAD}
    assert found == {"zero": (), "uniform": (), "mean": tuple(known), "resampled": (("c", "d"),)}
    assert taken_from("resampled", known[:1], "a") == ()
