"""`headscope search`."""

import csv
import json
import re
from xml.etree import ElementTree as ET

import pytest

from headscope.analysis.measures.warnings import SAID
from headscope.analysis.search.searching import search_record
from headscope.app.export.tree_figure import tree_figure
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


@pytest.fixture
def search(command, checkpoint):
    """Runs the command on a sentence."""
    return lambda *options, source=SOURCE: command("search", "--checkpoint", checkpoint, "--source", source, *options)


@pytest.fixture
def found(search):
    """Runs the command and reads its JSON."""

    def run(*options, source=SOURCE):
        outcome = search(*options, "--json", source=source)
        assert (outcome.code, len(outcome.lines)) == (0, 1)
        assert all(any(said in line for said in SAID.values()) for line in outcome.err.splitlines())
        return json.loads(outcome.out)

    return run


def test_trace_as_json(found, translator):
    content = found("--beam", 3, "--nbest", 2, "--alternatives", 4)
    trace = translator.search(SOURCE, settings=SearchSettings(beam=3, n_best=2), alternatives=4)
    assert content["hypotheses"][0]["text"] == TARGET
    assert len(content["hypotheses"]) == 2
    assert len(content["steps"]) == len(trace.steps)
    for told, step in zip(content["steps"], trace.steps, strict=True):
        assert [c["id"] for c in told["candidates"]] == [c.piece for c in step.candidates]
        assert len(told["candidates"]) >= 6
        assert [len(live["next"]) for live in told["live"]] == [4] * len(step.predictions)
    assert not {"free", "exact", "mbr"} & set(content)


def test_a_translation_is_warned_of_as_translate_does(search, found):
    content = found("--max-length", 2, "--beam", 2, "--n-best", 2)
    assert [h["warnings"] for h in content["hypotheses"]] == [["cut off"], ["cut off"]]
    assert "mbr" not in content
    said = "translations cut off at the greatest length, before their end"
    assert f"{said}: 2 (ranks 1, 2)" in search("--max-length", 2, "--beam", 2, "--n-best", 2).err
    content = found("--max-length", 2, "--mbr", 2)
    assert content["mbr"]["warnings"] == ["cut off"]
    assert f"{said}: the most typical of the samples" in search("--max-length", 2, "--mbr", 2).err
    assert [h["warnings"] for h in found("--beam", 3)["hypotheses"]] == [[]]
    assert search("--beam", 3).err == ""


def test_settings(found):
    content = found("--beam", 200, "--length-penalty", 1, "--length-penalty-kind", "power", "--max-length", 5)
    assert content["settings"]["beam"] == 200
    assert content["settings"]["penalty"] == {"alpha": 1.0, "kind": "power"}
    assert all(len(h["log_probs"]) <= 5 for h in content["hypotheses"])
    assert len(found("--max-length", 80, "--beam", 1)["hypotheses"]) == 1


def test_what_if(found, translator):
    content = found("--prefix", "Jeden", "--force", "as", "--forbid", "s", "--forbid", "</s>")
    ids = (*translator.vocabulary.encode("Jeden", "target").ids, content["constraints"]["prefix"][-1])
    assert tuple(content["constraints"]["prefix"]) == ids
    assert {tuple(path[:-1]) for path in content["constraints"]["forbidden"]} == {ids}
    assert content["hypotheses"][0]["ids"][: len(ids)] == list(ids)
    free = content["free"]
    assert free["text"] == TARGET
    assert free["piece"] == 0
    best = content["hypotheses"][0]
    assert free["score_difference"] == pytest.approx(best["score"] - free["score"])
    assert free["log_prob_difference"] == pytest.approx(best["log_prob"] - free["log_prob"]) != 0


def test_words(found, search):
    word = TARGET.split()[1]
    content = found("--must-contain", "Jeden", "--must-not-contain", word)
    assert (content["settings"]["must_contain"], content["settings"]["must_not_contain"]) == (["Jeden"], [word])
    best, free = content["hypotheses"][0], content["free"]
    written = re.findall(r"\w+", best["text"])
    assert "Jeden" in written
    assert word not in written
    assert free["text"] == TARGET
    assert free["score_difference"] == pytest.approx(best["score"] - free["score"])
    assert any(c["forced"] for step in content["steps"] for c in step["candidates"])
    said = search("--must-contain", "Jeden", "--must-not-contain", word).out
    assert f"with 'Jeden', without '{word}'" in said


def test_words_that_cannot_be(found, search):
    content = found("--must-contain", "Jeden Abend", "--max-length", 2)
    assert content["hypotheses"] == []
    assert content["problem"].startswith("no translation was found that has 'Jeden Abend'")
    assert (
        "No translation was found that has 'Jeden Abend'"
        in search("--must-contain", "Jeden Abend", "--max-length", 2).out
    )
    assert search("--must-contain", "a", "--must-not-contain", "a").refuses("'a' must appear and 'a' must not")
    assert search("--must-contain", " ").refuses("is blank")
    assert search("--must-contain", "a", "--sample", 2).refuses("samples are drawn piece by piece", "'a'")
    assert search("--must-contain", "a", "--mbr", 2).refuses("samples are drawn piece by piece")
    exact = found("--must-contain", TARGET.split()[0], "--exact", "--budget", 50)["exact"]
    assert TARGET.split()[0] in exact["beam_text"]


def test_samples(found):
    options = ("--sample", 5, "--temperature", 0.8, "--top-k", 20, "--top-p", 0.9)
    content = found(*options, "--seed", 3)
    assert content == found(*options, "--seed", 3)
    assert content["sampling"] == {"count": 5, "temperature": 0.8, "top_k": 20, "top_p": 0.9, "seed": 3}
    assert len(content["hypotheses"]) == 5
    assert all(c["drawn"] is not None for step in content["steps"] for c in step["candidates"])


def test_exact_and_mbr(found):
    content = found("--exact", "--mbr", 12, "--temperature", 0.3, "--utility", "bleu")
    assert (content["exact"]["text"], content["exact"]["proven"]) == (TARGET, True)
    assert (content["mbr"]["text"], content["mbr"]["utility"]) == (TARGET, "bleu")
    assert sum(t["count"] for t in content["mbr"]["translations"]) == 12
    assert not found("--exact", "--budget", 1, source="bees and mountains")["exact"]["proven"]


def test_files(search, tmp_path, translator):
    outcome = search("--csv", tmp_path / "t.csv", "--figure", tmp_path / "t.svg", "--width", "slide", "--kept")
    assert outcome.code == 0
    with (tmp_path / "t.csv").open() as file:
        assert {row["fate"] for row in csv.DictReader(file)} >= {"kept", "pruned", "finished"}
    assert ET.parse(tmp_path / "t.svg").getroot().get("width") == "864pt"
    record = search_record(translator, SOURCE)
    assert (tmp_path / "t.svg").read_bytes() == tree_figure(record, pruned=False, width="slide")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--force", "nonsense"), ("no piece 'nonsense'",)),
        (("--force", "<pad>"), ("'<pad>' is never written",)),
        (("--force", "</s>", "--force", "as"), ("end of sentence is prescribed before",)),
        (("--temperature", "1"), ("--temperature", "--sample N")),
        (("--sample", "2", "--top-p", "0"), ("top-p 0",)),
        (("--beam", "201"), ("--beam", "200")),
        (("--nbest", "5"), ("n-best 5",)),
        (("--figure", "/nowhere/t.svg"), ("no folder /nowhere",)),
        (("--figure", "tree.jpg"), ("'tree.jpg' ends in none of .svg, .png, .pdf",)),
        (("--mbr", "501"), ("501 samples",)),
    ],
)
def test_refusals(search, options, words):
    assert search(*options).refuses(*words)


def test_blank(search):
    assert search(source="  ").refuses("the sentence is blank")
