"""`headscope align`."""

import json

import pandas as pd
import pytest

from headscope.analysis.corpus import aligning
from headscope.analysis.corpus.aligning import Aligner, alignment_errors
from headscope.analysis.measures.alignment import read_gold

TEXT = "How much ? ||| Wie viel ?\nA dog . ||| Ein Hund .\nHello ||| Hallo\nThe cat sleeps ||| Die Katze schläft\n"
LINKS = "1-1 2-2 3p3\n1-1 2-2 3-3\n1-1\n1p1 2-2 3-3\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "text").write_text(TEXT, "utf-8")
    (tmp_path / "links").write_text(LINKS, "utf-8")
    return tmp_path / "text", tmp_path / "links"


@pytest.fixture
def run(command, checkpoint, files):
    """Runs the command on the toy model and the pairs."""
    return lambda *more: command("align", "--checkpoint", checkpoint, "--gold", ",".join(map(str, files)), *more)


def test_the_rates_of_the_function(run, files, translator, tmp_path):
    outcome = run("--method", "saliency", "--json", "--csv", tmp_path / "rates.csv")
    assert (outcome.code, outcome.err) == (0, "")
    found = alignment_errors(translator, read_gold(*files), ["saliency"])
    content = json.loads(outcome.out)
    assert (content["pairs"], content["left_out"]) == (4, 0)
    table = found.to_pandas()
    assert content["rates"] == table.to_dict("records")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rates.csv"), table)
    assert [each["sort"] for each in content["best"]] == ["method", "head", "layer"]
    aligner, rows, aggregation, rate = found.best("head")
    best = content["best"][1]
    assert (best["name"], best["rows"], best["aggregation"]) == (aligner.name, rows, aggregation)
    assert (best["aer"], best["precision"], best["recall"]) == (rate.aer, rate.precision, rate.recall)


def test_a_row_an_aligner(run, files, translator):
    outcome = run("--pairs", 2)
    found = alignment_errors(translator, read_gold(*files)[::2])
    rows = outcome.lines[1 : 1 + len(found.aligners)]
    assert [row[:24].strip() for row in rows] == [each.name for each in found.aligners]
    first = found.rate(Aligner("head", "cross 1.1"), "predicts", "words").aer
    assert rows[0].split()[2] == f"{100 * first:.1f}"
    assert outcome.lines[-1] == "2 pairs"
    assert sum(line.startswith("best ") for line in outcome.lines) == 2


def test_swapped_and_counted_from_0(run, files):
    usual = run("--json").out
    text, links = files
    text.write_text("\n".join(" ||| ".join(line.split(" ||| ")[::-1]) for line in TEXT.splitlines()) + "\n", "utf-8")
    links.write_text(LINKS.replace("1", "0").replace("2", "1").replace("3", "2"), "utf-8")  # the same either way round
    assert run("--gold-swapped", "--counted-from", 0, "--json").out == usual
    assert run("--gold-swapped").refuses("line 1", "counted from 1")


def test_a_rate_of_nothing_is_null(run, files):
    files[1].write_text(LINKS.replace("-", "p"), "utf-8")
    rates = json.loads(run("--json").out)["rates"]
    assert {each["recall"] for each in rates} == {None}
    assert all(0 <= each["aer"] <= 1 for each in rates)


def test_it_goes_on_where_it_was_stopped(run, tmp_path, monkeypatch):
    whole, seen, counted = run("--json").out, [], aligning._counted

    def interrupted(*given):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(given)
        return counted(*given)

    out = tmp_path / "kept.jsonl"
    monkeypatch.setattr(aligning, "_counted", interrupted)
    assert run("--out", out, "--json").code == 130
    assert len(out.read_text().splitlines()) == 2
    with out.open("a") as file:
        file.write('{"run": ')  # torn
    monkeypatch.setattr(aligning, "_counted", counted)
    again = run("--out", out, "--json")
    assert (again.out, "2 of 4 pairs are done already" in again.err) == (whole, True)
    assert run("--out", out, "--method", "saliency").refuses("of other pairs, methods or weights")
    out.write_text("[]\n")
    assert run("--out", out).refuses("line 1 is no result of this command")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (("--method", "magic"), "'magic'"),
        (("--pairs", 1), "--pairs"),
        (("--counted-from", 2), "--counted-from"),
        (("--gold", "one"), "two files, as TEXT,LINKS"),
        (("--gold", "absent,other"), "there is no file absent"),
        (("--out", "absent/kept"), "there is no folder absent"),
    ],
)
def test_what_is_refused(run, wrong, named):
    assert run(*wrong).refuses(named)
