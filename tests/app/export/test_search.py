"""Searches as files."""

import csv
import io
import json

import pytest

from headscope.analysis.search.comparison import compare_searches
from headscope.analysis.search.exact import exact_search
from headscope.analysis.search.mbr import choose
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.app.export.search import as_object, comparison_object, exact_object, mbr_object
from headscope.app.export.search import csv as as_csv
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import Sampling, SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


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
    assert [int(row["step"]) - int(row["counted_from"]) for row in rows] == [c.step for c in candidates]
    assert [int(row["parent"]) - 1 for row in rows] == [c.parent for c in candidates]
    assert [float(row["score"]) for row in rows] == pytest.approx([c.score for c in candidates])


def test_nothing_left(translator):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    found = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    content = as_object(found)
    assert content["hypotheses"] == []
    free = search_record(translator, SOURCE)
    assert comparison_object(free, compare_searches(free.trace, found.trace))["score_difference"] is None
