"""A search as a tree, laid out: what a page draws and what a figure draws is the same. No torch here.

Steps go from left to right; within a step the best candidate is on top.
"""

from dataclasses import dataclass, replace

from headscope.model.search.trace import Candidate, Fate, SearchTrace


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A candidate in its place. The tree's root, the empty translation, is no node."""

    candidate: Candidate
    index: int
    """Among the candidates of its step."""
    row: int
    """From the top, among the nodes of its step."""
    parent: int | None
    """Place of its parent in `SearchTree.nodes`; None: it is the first piece."""
    path: tuple[int, ...]
    """Its pieces, from the first one on: what `Constraints` takes."""
    winner: bool
    """On the way to the best hypothesis."""
    hypothesis: int | None
    """Which of the hypotheses returned it ends, from 0; None: none."""


@dataclass(frozen=True, slots=True)
class SearchTree:
    """All nodes, step by step."""

    nodes: tuple[TreeNode, ...]
    steps: int
    rows: int
    """Nodes of the fullest step."""

    def column(self, step: int) -> tuple[TreeNode, ...]:
        """The nodes of one step, from the top."""
        return tuple(node for node in self.nodes if node.candidate.step == step)


def search_tree(trace: SearchTrace, *, pruned: bool = True) -> SearchTree:
    """Lay out a trace.

    Args:
        pruned: False leaves out the candidates that were pruned or excluded.
    """
    ranks = {(h.pieces, h.finished): rank for rank, h in reversed([*enumerate(trace.hypotheses)])}
    nodes: list[TreeNode] = []
    parents: list[tuple[int | None, tuple[int, ...]]] = [(None, ())]
    for step in trace.steps:
        first, following = len(nodes), []
        for index, c in enumerate(step.candidates):
            if not pruned and c.fate in (Fate.PRUNED, Fate.EXCLUDED):
                continue
            parent, read = parents[c.parent]
            path = (*read, c.piece)
            if c.fate in (Fate.KEPT, Fate.CUT_OFF):
                following.append((len(nodes), path))
            ended = {Fate.FINISHED: (read, True), Fate.CUT_OFF: (path, False)}.get(c.fate)
            hypothesis = ranks.get(ended) if ended else None
            nodes.append(TreeNode(c, index, len(nodes) - first, parent, path, False, hypothesis))
        parents = following
    place = next((place for place, node in enumerate(nodes) if node.hypothesis == 0), None)
    while place is not None:
        nodes[place] = replace(nodes[place], winner=True)
        place = nodes[place].parent
    return SearchTree(tuple(nodes), len(trace.steps), max((node.row + 1 for node in nodes), default=0))
