"""The tree of a search as a picture for print: SVG, white background, every fate to be told without colour."""

import math
import re
from xml.etree import ElementTree as ET

from headscope.analysis.records.labels import cut, isolate
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.tree import SearchTree, TreeNode, search_tree
from headscope.app.wire.beam_tree import DROP, GAP, HEIGHT, SIGNS, WIDTH
from headscope.model.search.settings import searched
from headscope.model.search.trace import Fate

MARGIN, TOP, LEGEND = 16, 56, 56
LETTERS = 12
"""Graphemes of a node's label; longer ones end in "…"."""
INK, FAINT, WINNER = "#1B1D2A", "#6B6F85", "#3A4BC8"
STYLES: dict[Fate, dict[str, str]] = {
    Fate.KEPT: {"stroke": INK},
    Fate.FINISHED: {"stroke": INK, "stroke-width": "2", "rx": "18"},
    Fate.DISPLACED: {"stroke": FAINT, "rx": "18", "stroke-dasharray": "5 3"},
    Fate.PRUNED: {"stroke": FAINT, "stroke-dasharray": "5 3"},
    Fate.CUT_OFF: {"stroke": INK, "stroke-dasharray": "1 3", "stroke-width": "2"},
    Fate.EXCLUDED: {"stroke": FAINT, "stroke-dasharray": "5 3"},
}
LEGEND_LINES = (
    "Thick: the way to the best translation. Full frame: kept. Dashed: pruned or excluded.",
    "Round: finished; round and dashed: displaced. Dotted: cut off. Below a piece: its probability; the score so far.",
)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def svg(record: SearchRecord, *, pruned: bool = True) -> bytes:
    """The tree of a search. Each node has its piece, its probability and the score of its hypothesis.

    Args:
        pruned: False leaves out candidates that were pruned or excluded.
    """
    tree = search_tree(record.trace, pruned=pruned)
    width = max(2 * MARGIN + tree.steps * (WIDTH + GAP), 720)
    height = TOP + tree.rows * (HEIGHT + DROP) + LEGEND
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(width),
        height=str(height),
        viewBox=f"0 0 {width} {height}",
        role="img",
    )
    root.set("font-family", "'DejaVu Sans', 'Noto Sans', sans-serif")
    _child(root, "title", f"Search for a translation of: {record.source.text}")
    _child(root, "rect", width="100%", height="100%", fill="white")
    _child(root, "text", f"{record.source.text} → {record.text}", x=MARGIN, y=24, fill=INK, font_size=15)
    _child(root, "text", _caption(record), x=MARGIN, y=42, fill=FAINT, font_size=12)
    edges, nodes = ET.SubElement(root, "g", fill="none"), ET.SubElement(root, "g")
    for node in tree.nodes:
        _edge(edges, tree, node)
        _node(nodes, record, node)
    for number, line in enumerate(LEGEND_LINES):
        _child(root, "text", line, x=MARGIN, y=height - LEGEND + 18 * (number + 1), fill=FAINT, font_size=12)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)


def _caption(record: SearchRecord) -> str:
    how = searched(record.settings, record.sampling)
    return f"{record.checkpoint}; {how}; ended by: {record.trace.bound.ending}"


def _place(node: TreeNode) -> tuple[float, float]:
    """Left edge and middle of a node."""
    x = MARGIN + node.candidate.step * (WIDTH + GAP)
    return x, TOP + node.row * (HEIGHT + DROP) + HEIGHT / 2


def _edge(parent: ET.Element, tree: SearchTree, node: TreeNode) -> None:
    if node.parent is None:
        return
    (x, y), (before, above) = _place(node), _place(tree.nodes[node.parent])
    before, middle = before + WIDTH, x - GAP / 2
    live = node.candidate.fate in (Fate.KEPT, Fate.FINISHED, Fate.CUT_OFF)
    line = f"M{before:g} {above:g}C{middle:g} {above:g} {middle:g} {y:g} {x:g} {y:g}"
    stroke = WINNER if node.winner else INK if live else FAINT
    _child(parent, "path", d=line, stroke=stroke, stroke_width=3 if node.winner else 1 if live else 0.6)


def _node(parent: ET.Element, record: SearchRecord, node: TreeNode) -> None:
    c, (x, y) = node.candidate, _place(node)
    label = record.label(c.piece)
    sign = "forced" if c.forced else SIGNS[c.fate]
    margin = "" if c.margin is None else f" by {-c.margin:.3g}"
    group = ET.SubElement(parent, "g")
    text = f"{record.live_texts[c.step][c.parent]} + {label.full}"
    numbers = f"log-probability {c.log_prob:.4g}, total {c.total:.4g}, score {c.score:.4g}"
    _child(group, "title", f"step {c.step + 1}: {text}; {numbers}; {c.fate}{margin}{', forced' if c.forced else ''}")
    frame = {"rx": "4", "fill": "white"} | STYLES[c.fate]
    if node.winner:
        frame |= {"stroke": WINNER, "stroke-width": "3"}
    _child(group, "rect", x=x, y=y - HEIGHT / 2, width=WIDTH, height=HEIGHT, **frame)
    ink = FAINT if c.fate in (Fate.PRUNED, Fate.EXCLUDED, Fate.DISPLACED) else INK
    shown = label.mark + isolate(cut(label.text, LETTERS))
    _child(group, "text", shown, x=x + 8, y=y - 2, fill=ink, font_size=13, font_family="monospace")
    probability = math.exp(c.log_prob)
    below = f"{'<0.01' if probability < 0.005 else f'{probability:.2f}'} · {c.score:.2f} {sign}".replace("-", "−")
    _child(group, "text", below, x=x + 8, y=y + 13, fill=ink, font_size=11)


def _child(parent: ET.Element, tag: str, text: str = "", **attributes: object) -> None:
    """An element inside another; text and attributes are escaped when the tree is written."""
    made = ET.SubElement(parent, tag, {name.replace("_", "-"): str(value) for name, value in attributes.items()})
    made.text = _NO_XML.sub("�", text) or None
