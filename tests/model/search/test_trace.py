import pytest

from headscope.model.search.trace import Bound, Candidate, Ending, Fate, Hypothesis, SearchTrace, Step


def candidate(step: int, parent: int, piece: int, fate: Fate) -> Candidate:
    return Candidate(step, parent, piece, -1.0, -1.0 - step, -1.0 - step, fate)


TRACE = SearchTrace(
    steps=(
        Step((candidate(0, 0, 7, Fate.KEPT), candidate(0, 0, 2, Fate.DISPLACED), candidate(0, 0, 5, Fate.KEPT))),
        Step(
            (
                candidate(1, 1, 2, Fate.FINISHED),
                candidate(1, 0, 8, Fate.CUT_OFF),
                candidate(1, 1, 9, Fate.CUT_OFF),
                candidate(1, 0, 6, Fate.PRUNED),
            )
        ),
    ),
    hypotheses=(Hypothesis((5,), (-1.0, -1.0), -2.0, -2.0, finished=True),),
    bound=Bound(Ending.BOUND, -3.0, -2.0),
)


def test_kept_are_the_rows_of_the_next_step():
    assert [c.piece for c in TRACE.steps[0].kept] == [7, 5]
    assert [c.piece for c in TRACE.steps[1].kept] == [8, 9]


@pytest.mark.parametrize(
    ("step", "index", "pieces"), [(0, 1, [2]), (1, 0, [2, 5]), (1, 1, [8, 7]), (1, 2, [9, 5]), (1, 3, [6, 7])]
)
def test_ancestors(step, index, pieces):
    assert [c.piece for c in TRACE.ancestors(step, index)] == pieces
    assert TRACE.path(step, index) == tuple(reversed(pieces))


def test_fates_are_plain_words():
    assert {fate.value for fate in Fate} == {"kept", "pruned", "finished", "displaced", "cut off", "excluded"}
    assert f"{Fate.CUT_OFF}" == "cut off"
