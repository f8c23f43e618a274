"""Searches as files."""

import csv
import io
import json
from xml.etree import ElementTree as ET

import pytest

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.exact import exact_search
from headscope.analysis.search.mbr import choose
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.app.export.search import as_object, comparison_object, exact_object, mbr_object
from headscope.app.export.search import csv as as_csv
from headscope.app.export.search_figure import svg
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def record(translator) -> SearchRecord:
    return search_record(translator, SOURCE, settings=SearchSettings(beam=3, n_best=2))


def test_json_has_everything(record):
    content = json.loads(json.dumps(as_object(record), allow_nan=False))
    trace = record.trace
    assert content["source"] == SOURCE
    assert content["settings"]["penalty"] == {"alpha": 0.6, "kind": "gnmt"}
    assert [h["text"] for h in content["hypotheses"]] == list(record.texts)
    assert content["bound"]["ending"] == trace.bound.ending
    for told, step, texts in zip(content["steps"], trace.steps, record.live_texts, strict=True):
        assert len(told["candidates"]) == len(step.candidates) >= 6
        for c, found in zip(told["candidates"], step.candidates, strict=True):
            assert (c["id"], c["piece"]) == (found.piece, record.pieces[found.piece])
            assert (c["step"], c["parent"], c["fate"]) == (found.step, found.parent, str(found.fate))
            assert (c["log_prob"], c["total"], c["score"]) == (found.log_prob, found.total, found.score)
            assert (c["margin"], c["forced"], c["prefix"]) == (found.margin, False, texts[found.parent])
        for live, expected in zip(told["live"], step.predictions, strict=True):
            assert (live["entropy"], live["rest"]) == (expected.entropy, expected.rest)
            assert [n["id"] for n in live["next"]] == list(expected.pieces)


def test_json_of_samples_and_constraints(translator):
    constraints = Constraints(prefix=(20,), forbidden=frozenset({(20, 21), (20, 5)}))
    found = search_record(translator, SOURCE, sampling=Sampling(count=2), constraints=constraints)
    content = json.loads(json.dumps(as_object(found), allow_nan=False))
    assert content["constraints"] == {"prefix": [20], "forbidden": [[20, 5], [20, 21]]}
    assert content["sampling"]["count"] == 2
    assert content["steps"][0]["candidates"][0]["forced"]


def test_the_others(translator, record):
    exact = exact_object(exact_search(translator, SOURCE))
    assert (exact["text"], exact["proven"], exact["beam_text"]) == (TARGET, True, TARGET)
    assert exact["log_prob"] > exact["empty_log_prob"]
    mbr = mbr_object(choose(["a b", "a b", "c"], [-1.0, -1.0, -2.0]))
    assert (mbr["text"], [t["count"] for t in mbr["translations"]]) == ("a b", [2, 1])
    assert mbr["utilities"] == [[100.0, 0.0], [0.0, 100.0]]
    same = comparison_object(record, compare_searches(record.trace, record.trace))
    assert (same["text"], same["piece"], same["score_difference"]) == (TARGET, None, 0.0)
    assert json.loads(json.dumps([exact, mbr, same], allow_nan=False))


def test_table(record):
    rows = list(csv.DictReader(io.StringIO(as_csv(record).decode())))
    candidates = [c for step in record.trace.steps for c in step.candidates]
    assert [int(row["id"]) for row in rows] == [c.piece for c in candidates]
    assert [float(row["score"]) for row in rows] == pytest.approx([c.score for c in candidates])


def test_tree(record):
    root = ET.fromstring(svg(record))
    shown = [element for element in root.iter(f"{SVG}g") if element.find(f"{SVG}title") is not None]
    assert len(shown) == sum(len(step.candidates) for step in record.trace.steps)
    fates = ["".join(element.itertext()) for element in shown]
    for fate in ("finished", "pruned", "displaced", "cut off"):
        assert any(fate in text for text in fates) == any(
            c.fate == fate for step in record.trace.steps for c in step.candidates
        )
    frames = {tuple(sorted(shape(element).items())) for element in shown}
    assert len(frames) >= 4  # fates are to be told without colour
    assert len(ET.fromstring(svg(record, pruned=False)).findall(f".//{SVG}title")) < len(shown)


def shape(element: ET.Element) -> dict[str, str]:
    """What a node's frame looks like in grey, wherever it stands."""
    return {key: value for key, value in element.find(f"{SVG}rect").items() if key not in ("x", "y", "stroke")}


HOSTILE = "</text><script>alert(1)</script> & \x00\x1b \ud800 ]]>"


def test_nothing_in_a_text_is_markup(translator):
    found = search_record(translator, HOSTILE, settings=SearchSettings(beam=2, longest=3))
    root = ET.fromstring(svg(found))
    assert root.find(f".//{SVG}script") is None
    assert "<script>alert(1)</script>" in "".join(root.itertext())


def test_forced_and_excluded(translator):
    prefix = translator.vocabulary.encode("Das", "target").ids[:1]
    found = search_record(translator, SOURCE, constraints=Constraints(prefix=prefix))
    told = "".join(ET.fromstring(svg(found)).itertext())
    assert "forced" in told
    assert "excluded" in told


def test_nothing_left(translator):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    found = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    assert ET.fromstring(svg(found)) is not None
    content = as_object(found)
    assert content["hypotheses"] == []
    free = search_record(translator, SOURCE)
    assert comparison_object(free, compare_searches(free.trace, found.trace))["score_difference"] is None
