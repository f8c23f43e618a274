"""What goes to the trees."""

import re
from importlib.resources import files

import pytest

from headscope.analysis.search.searching import search_record
from headscope.analysis.search.tree import search_tree
from headscope.app.wire.beam_tree import FATES, PIECES, NodeRow, Place, Tree, beam_tree, offers
from headscope.app.wire.encoding import as_message
from headscope.model.search.settings import Sampling, SearchSettings
from tests.app.page_tools import nodes
from tests.toys import SENTENCES

SOURCE = SENTENCES[3][0]


def tree(record, **changes) -> Tree:
    fields = {"name": "a", "title": "A", "how": "", "note": "", "ended": "", "parts": None, "closable": False}
    return Tree(record=record, **fields | changes)


def sent(*trees: Tree, **changes) -> dict:
    options = {"told": Place("a", 0, 0), "turn": 1, "pruned": True, "full": False, "present": False} | changes
    return as_message(beam_tree(trees, **options))


@pytest.fixture(scope="module")
def record(translator):
    return search_record(translator, SOURCE, settings=SearchSettings(beam=3, n_best=2))


def test_the_page_draws_the_tree_that_the_figure_draws(record):
    lane = sent(tree(record))["lanes"][0]
    whole, slim = search_tree(record.trace), search_tree(record.trace, pruned=False)
    rows = {(node.candidate.step, node.index): node.row for node in slim.nodes}
    for node, laid in zip(nodes(lane), whole.nodes, strict=True):
        c = laid.candidate
        assert (node["step"], node["index"], node["parent"], node["row"]) == (c.step, laid.index, laid.parent, laid.row)
        assert (node["piece"], FATES[node["fate"]]) == (c.piece, c.fate)
        assert (bool(node["winner"]), node["hypothesis"]) == (laid.winner, laid.hypothesis)
        assert node["slim"] == rows.get((c.step, laid.index))
        numbers = (node["log_prob"], node["total"], node["score"], node["margin"], node["drawn"])
        assert numbers == pytest.approx((c.log_prob, c.total, c.score, c.margin, c.drawn), abs=1e-6)


def test_every_live_hypothesis_with_what_may_follow(record):
    lane = sent(tree(record))["lanes"][0]
    assert [[known["text"] for known in step] for step in lane["steps"]] == [list(texts) for texts in record.live_texts]
    for step, sent_step in zip(record.trace.steps, lane["steps"], strict=True):
        for known, written in zip(step.predictions, sent_step, strict=True):
            assert [piece for piece, _ in written["next"]] == list(known.pieces[:PIECES])
            assert written["entropy"] == pytest.approx(known.entropy, abs=1e-6)
    assert [h["text"] for h in lane["found"]] == list(record.texts)


def test_every_piece_has_a_label(record):
    data = sent(tree(record))
    used = {row[3] for row in data["lanes"][0]["nodes"]}
    used |= {piece for step in data["lanes"][0]["steps"] for known in step for piece, _ in known["next"]}
    assert used <= set(map(int, data["pieces"]))
    end = data["pieces"][str(record.end)]
    assert (end["full"], end["special"]) == ("</s>", True)
    assert data["end"] == record.end


def test_a_picture_is_drawn_anew_only_for_another_search(record, translator):
    data = sent(tree(record))
    assert sent(tree(record), told=Place("a", 1, 0), turn=2)["signature"] == data["signature"]
    other = search_record(translator, SENTENCES[0][0], settings=SearchSettings(beam=3))
    signatures = {sent(tree(record), pruned=False)["signature"], sent(tree(other))["signature"], data["signature"]}
    assert len(signatures) == 3


def test_what_is_offered_changes_no_picture(record):
    given = offers("_D", (((5, "▁Der"),), ((7, "▁Da"), (record.end, "</s>"))), record.end)
    data = sent(tree(record), offers=given)
    assert data["signature"] == sent(tree(record))["signature"]
    assert [offer["path"] for offer in data["offers"]["found"]] == [[5], [7, record.end]]
    labels = data["offers"]["found"][1]["labels"]
    assert [(label["mark"], label["text"], label["special"]) for label in labels] == [
        ("▁", "Da", False),
        ("", "</s>", True),
    ]


def test_samples_and_searches_that_cannot_be_made(record, translator):
    drawn = search_record(translator, SOURCE, sampling=Sampling(count=2))
    data = sent(tree(record), tree(drawn, name="b"), tree(None, name="1", ended="Not searched: why."))
    assert all(node["drawn"] is not None for node in nodes(data["lanes"][1]))
    assert data["lanes"][2]["nodes"] == []
    assert data["lanes"][2]["ended"] == "Not searched: why."


def test_the_script_reads_the_rows_that_are_sent():
    script = (files("headscope.app.components.beam_tree") / "tree.js").read_text(encoding="utf-8")
    names = re.findall(r'"(\w+)"', re.search(r"FIELDS = \[(.*?)\]", script, re.DOTALL)[1])
    assert [re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name) for name in names] == [*NodeRow._fields]
