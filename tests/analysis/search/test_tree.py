"""Trees of searches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.search.tree import search_tree
from headscope.model.search.beam import beam_search
from headscope.model.search.constraints import Constraints
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Ending, Fate, SearchTrace
from tests.model.search.toy_language import Language, ToyStepper, random_language, scripted

A, B, END = range(3)
LANGUAGE = scripted({(): [0.5, 0.3, 0.2], (A,): [0.1, 0.2, 0.7], (B,): [0.6, 0.3, 0.1]})


def trace(language: Language, constraints: Constraints | None = None, *, end: int = END, **settings) -> SearchTrace:
    (result,) = beam_search(
        ToyStepper([language], 99),
        start=99,
        end=end,
        longest=[7],
        settings=SearchSettings(**settings),
        constraints=constraints or Constraints(),
    )
    return result.trace()


def test_tree_by_hand():
    tree = search_tree(trace(LANGUAGE, beam=2, penalty=LengthPenalty(0.0)))
    assert (tree.steps, tree.rows) == (2, 4)
    table = [(n.candidate.step, n.row, n.parent, n.path, str(n.candidate.fate), n.winner) for n in tree.nodes]
    assert table == [
        (0, 0, None, (A,), "kept", True),
        (0, 1, None, (B,), "kept", False),
        (0, 2, None, (END,), "displaced", False),
        (1, 0, 0, (A, END), "finished", True),
        (1, 1, 1, (B, A), "cut off", False),
        (1, 2, 0, (A, B), "cut off", False),
        (1, 3, 1, (B, B), "pruned", False),
    ]
    assert [n.hypothesis for n in tree.nodes] == [None, None, None, 0, None, None, None]
    assert tree.column(1) == tree.nodes[3:]


def test_without_the_pruned():
    tree = search_tree(trace(LANGUAGE, beam=2, penalty=LengthPenalty(0.0)), pruned=False)
    assert [(n.path, n.row, n.index, n.parent) for n in tree.column(1)] == [
        ((A, END), 0, 0, 0),
        ((B, A), 1, 1, 1),
        ((A, B), 2, 2, 0),
    ]


@given(st.integers(0, 200), st.integers(1, 5), st.integers(1, 5), st.booleans(), st.booleans())
def test_nodes_hang_together(seed, beam, n_best, forced, pruned):
    constraints = Constraints(prefix=(1,)) if forced else Constraints(forbidden=frozenset({(0,)}))
    found = trace(random_language(seed), constraints, end=3, beam=beam, n_best=min(n_best, beam))
    tree = search_tree(found, pruned=pruned)
    for node in tree.nodes:
        c = node.candidate
        assert found.steps[c.step].candidates[node.index] is c
        assert node.path == found.path(c.step, node.index)
        assert (node.parent is None) == (c.step == 0)
        if node.parent is not None:
            parent = tree.nodes[node.parent]
            assert node.path[:-1] == parent.path
            assert parent.winner or not node.winner
        if node.hypothesis is not None:
            h = found.hypotheses[node.hypothesis]
            assert (h.score, h.finished) == (c.score, c.fate is Fate.FINISHED)
    for step in range(tree.steps):
        assert [node.row for node in tree.column(step)] == list(range(len(tree.column(step))))
    assert sorted(n.hypothesis for n in tree.nodes if n.hypothesis is not None) == list(range(len(found.hypotheses)))
    best = found.hypotheses[0]
    winner = [node.path for node in tree.nodes if node.winner]
    assert winner[-1] == (*best.pieces, 3)[: len(best.log_probs)]
    assert len(winner) == len(best.log_probs)


@pytest.mark.parametrize("steps", [(), None])
def test_no_hypotheses(steps):
    nothing = SearchTrace((), (), Bound(Ending.EXHAUSTED, None, None))
    empty = trace(LANGUAGE, Constraints(forbidden=frozenset({(A,), (B,), (END,)})), beam=2)
    tree = search_tree(nothing if steps == () else empty)
    assert not any(node.winner for node in tree.nodes)
    assert tree.rows == (0 if steps == () else 3)
