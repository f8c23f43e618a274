from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.attribution.attribution import Attribution, Settings
from headscope.analysis.records.attention_maps import Token, Tokens


def tokens(text: str, *pieces: str, end: bool = False) -> Tokens:
    made, place = [], 0
    for index, piece in enumerate(pieces):
        made.append(Token(piece, index, (place, place + len(piece))))
        place += len(piece)
    if end:
        made.append(Token("</s>", 9, (len(text), len(text)), special=True))
    return Tokens(text, tuple(made))


@pytest.fixture
def found() -> Attribution:
    start = Token("<s>", 8, (0, 0), special=True)
    return Attribution(
        source=tokens("ab cd", "a", "b", " cd", end=True),
        reads=Tokens("xy", (start, *tokens("xy", "x", "y").tokens)),
        predicts=tokens("xy", "x", "y", end=True),
        from_source=np.array([[[1, 1], [2, 0], [-3, 4], [0, 0]], [[0, 1]] * 4, [[0, 0]] * 4], dtype=float),
        from_target=np.array([[[1, -2], [0, 0], [0, 0]], [[1, 1], [2, 2], [0, 0]], [[0, 0]] * 3], dtype=float),
        values=np.array([-1.0, -2.0, -0.5]),
        at_baseline=np.array([-5.0, -12.5, -0.5]),
        settings=Settings("integrated gradients", "log-probability", "zero", 50),
    )


def test_reductions(found):
    assert found.reduced()[0][0].tolist() == [2, 2, 1, 0]
    assert found.reduced()[1][1].tolist() == [2, 4, 0]
    assert found.reduced("norm")[0][0].tolist() == pytest.approx([2**0.5, 2, 5, 0])


def test_completeness_by_hand(found):
    # Row 0: 5 − 1 = 4 of 4. Row 1: 4 + 6 = 10 of 10.5. Row 2: 0 of 0.
    assert found.error.tolist() == pytest.approx([0, 0.5 / 10.5, 0])


def test_sums_that_are_wrong_by_more_than_5_percent_are_warned_of(found):
    assert found.warning is None  # row 1 misses 4.76 %
    # Row 0 misses 5 by 1, beside attributions whose sizes sum to 6.
    worse = replace(found, at_baseline=np.array([-6.0, -12.5, -0.5]))
    assert worse.warning == (
        "attributions of 1 of 3 numbers miss what they should sum to by more than 5 % (up to 17 %): take more steps, "
        "or compare with another baseline"
    )
    assert replace(found, at_baseline=None).warning is None


def test_share_of_the_source(found):
    share = found.source_share
    assert share[:2].tolist() == pytest.approx([5 / 6, 4 / 10])
    assert np.isnan(share[2])


def test_words_sum_rows_and_columns(found):
    joined = found.words()
    assert [token.piece for token in joined.source.tokens] == ["ab", "cd", "</s>"]
    assert [token.piece for token in joined.predicts.tokens] == ["xy", "</s>"]
    assert joined.reduced()[0][0].tolist() == [6, 2, 1]
    assert joined.reduced()[1][0].tolist() == [1, 4]
    assert joined.values.tolist() == [-3, -0.5]
    assert joined.at_baseline.tolist() == [-17.5, -0.5]
    before, after = (sum(part.sum() for part in each.reduced()) for each in (found, joined))
    assert before == after


def test_as_a_table(found):
    table = found.to_pandas()
    assert len(table) == 3 * 4 + 3 * 3
    first = table[(table.side == "source") & (table.row == 0)]
    assert list(first.attribution) == [2, 2, 1, 0]
    assert list(first.token) == ["a", "b", " cd", "</s>"]
    assert set(table.predicts) == {"x", "y", "</s>"}
