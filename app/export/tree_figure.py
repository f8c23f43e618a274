"""The tree of a search as a figure for print: steps in bands, like lines of text; fates are told without colour."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headscope.analysis.records.labels import cut, isolate, running
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.tree import SearchTree, search_tree
from headscope.app.export.paper import FAINT, INK, Form, Paper, WidthName, printed
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Progress
from headscope.model.search.settings import searched
from headscope.model.search.trace import Fate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WINNER, FORCED = "#5F47CD", "#E4E5FF"
STYLES: dict[Fate, dict[str, Any]] = {
    Fate.KEPT: {},
    Fate.FINISHED: {"round": True, "linewidth": 1.2},
    Fate.DISPLACED: {"round": True, "linestyle": "dashed", "edgecolor": FAINT},
    Fate.PRUNED: {"linestyle": "dashed", "edgecolor": FAINT},
    Fate.CUT_OFF: {"linestyle": "dotted", "linewidth": 1.2},
    Fate.EXCLUDED: {"linestyle": "dashdot", "edgecolor": FAINT},
}
LEGEND = (
    "In a box: the piece, its probability, and the score so far. Thick: the way to the best translation. Full frame: "
    "kept; dashed: pruned; dash and dot: excluded; round: finished; round and dashed: displaced; dotted: cut off; "
    "shaded: forced. A row of steps begins with those candidates of the step before that it goes on from."
)
NUMBERS = "0.00 −00.00"
"""As wide as a box."""
MOST_NODES = 1_400
"""Their rows stay below `paper.TALLEST` inches in every width."""


def tree_figure(
    record: SearchRecord,
    *,
    pruned: bool = True,
    form: Form = "svg",
    width: WidthName = "column",
    progress: Progress | None = None,
) -> bytes:
    """The tree of a search, as a file. Each node has its piece, its probability and the score of its hypothesis.

    Args:
        pruned: False leaves out candidates that were pruned or excluded.
        progress: told how many bands of steps are drawn.

    Raises:
        HeadscopeError: there is no such form or width, or there are more candidates than a figure can hold.
        Cancelled: `progress` wants it to stop.
    """
    return printed(lambda: draw_tree(record, pruned=pruned, width=width), form, progress)


def draw_tree(record: SearchRecord, *, pruned: bool, width: WidthName) -> "Figure":
    """The figure."""
    tree = search_tree(record.trace, pruned=pruned)
    if refused := refusal(record, pruned=pruned):
        raise HeadscopeError(refused)
    pieces = {record.label(node.candidate.piece) for node in tree.nodes}
    paper = Paper(width, [label.full for label in pieces] + [NUMBERS], caption(record))
    box = _Box(paper)
    bands = _bands(tree, box.across)
    heights = [box.head + box.down * max(tree.nodes[at].row + 1 for at in band) for band in bands]
    drawn = paper.figure(sum(heights), [LEGEND])
    for number, (band, height) in enumerate(zip(bands, heights, strict=True)):
        _band(paper, drawn, record, tree, band, box, (sum(heights[:number]), height))
    return drawn


def refusal(record: SearchRecord, *, pruned: bool) -> str:
    """Why there is no figure of a search; nothing where there is."""
    count = len(search_tree(record.trace, pruned=pruned).nodes)
    if count <= MOST_NODES:
        return ""
    less = "leave out what was pruned, or " if pruned else ""
    return (
        f"the tree has {count:,} candidates, and a figure holds {MOST_NODES:,}: {less}save the search as a table (csv)"
    )


def caption(record: SearchRecord) -> str:
    """What is shown: the sentence, the translation, and how it was searched."""
    how = searched(record.settings, record.sampling)
    texts = " → ".join(cut(running(text), 300) for text in (record.source.text, record.text))
    return f"{texts} ({record.checkpoint}; {how}; ended by: {record.trace.bound.ending})."


class _Box:
    """The frame of a node, and the room around it, in inches."""

    def __init__(self, paper: Paper) -> None:
        line = paper.width.line
        self.width = paper.widest([NUMBERS]) + line / 2
        self.height = 2 * line
        self.gap = 0.8 * line
        self.left, self.head = line / 4, 1.3 * line
        self.down = self.height + line / 3
        room = paper.width.inches - 2 * self.left + self.gap
        self.across = max(2, int(room / (self.width + self.gap)))
        self.letters = int(self.width / paper.widest(["0"])) - 1

    def place(self, step: int, row: int) -> tuple[float, float]:
        """Left end and top of a node in its band."""
        return self.left + step * (self.width + self.gap), self.head + row * self.down


def _bands(tree: SearchTree, across: int) -> list[list[int]]:
    """Nodes that stand side by side, by their places in the tree. Every band but the first begins with the parents of
    what it goes on with."""
    bands: list[list[int]] = []
    steps = [[at for at, node in enumerate(tree.nodes) if node.candidate.step == step] for step in range(tree.steps)]
    while steps := [step for step in steps if step]:
        parents = sorted({parent for at in steps[0] if (parent := tree.nodes[at].parent) is not None})
        taken = across - bool(parents)
        bands.append([*parents, *(at for step in steps[:taken] for at in step)])
        steps = steps[taken:]
    return bands


def _band(
    paper: Paper,
    drawn: "Figure",
    record: SearchRecord,
    tree: SearchTree,
    band: Sequence[int],
    box: _Box,
    room: tuple[float, float],
) -> None:
    """Args: room: top and height of the band."""
    top, height = room
    axes = paper.axes(drawn, 0, top, paper.width.inches, height)
    axes.axis("off")
    axes.set_xlim(0, paper.width.inches)
    axes.set_ylim(height, 0)
    first = tree.nodes[band[0]].candidate.step
    places = {at: box.place(tree.nodes[at].candidate.step - first, tree.nodes[at].row) for at in band}
    for step in sorted({tree.nodes[at].candidate.step for at in band}):
        x = box.place(step - first, 0)[0]
        paper.write(drawn, f"step {step + 1}", x, top + 0.6 * paper.width.line, running=True, color=FAINT)
    for at, (x, y) in places.items():
        node = tree.nodes[at]
        if node.parent in places:
            _edge(axes, node.candidate.fate, node.winner, places[node.parent], (x, y), box)
        c, label = node.candidate, record.label(node.candidate.piece)
        _frame(axes, c.fate, node.winner, c.forced, (x, y), box)
        probability = math.exp(c.log_prob)
        numbers = f"{'<.01' if probability < 0.005 else f'{probability:.2f}'} {c.score:.2f}".replace("-", "−")
        ink = FAINT if c.fate in (Fate.PRUNED, Fate.EXCLUDED, Fate.DISPLACED) else INK
        piece = paper.spelt(label.mark + isolate(cut(label.text, box.letters - len(label.mark))))
        for line, text in enumerate((piece, numbers)):
            middle = top + y + (0.55 + 0.9 * line) * paper.width.line
            paper.write(drawn, text, x + paper.width.line / 4, middle, color=ink)


def _edge(
    axes: "Axes", fate: Fate, winner: bool, start: tuple[float, float], end: tuple[float, float], box: _Box
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    (x, y), (right, below) = (start[0] + box.width, start[1] + box.height / 2), (end[0], end[1] + box.height / 2)
    middle = (x + right) / 2
    curve = Path([(x, y), (middle, y), (middle, below), (right, below)], [Path.MOVETO, *[Path.CURVE4] * 3])
    live = fate in (Fate.KEPT, Fate.FINISHED, Fate.CUT_OFF)
    look = {"edgecolor": WINNER, "linewidth": 1.8} if winner else {"edgecolor": INK if live else FAINT}
    axes.add_patch(PathPatch(curve, facecolor="none", **{"linewidth": 0.6 if live else 0.3} | look))


def _frame(axes: "Axes", fate: Fate, winner: bool, forced: bool, place: tuple[float, float], box: _Box) -> None:
    from matplotlib.patches import FancyBboxPatch

    look = {"linewidth": 0.6, "edgecolor": INK} | STYLES[fate]
    if winner:
        look |= {"edgecolor": WINNER, "linewidth": 1.8}
    corner = box.height * (0.45 if look.pop("round", False) else 0.1)
    shape = f"round,pad=0,rounding_size={corner}"
    axes.add_patch(
        FancyBboxPatch(place, box.width, box.height, boxstyle=shape, facecolor=FORCED if forced else "white", **look)
    )
