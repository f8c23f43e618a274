"""`headscope attend`."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.export.files import FORMS
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def attend(command, checkpoint, tmp_path):
    """Runs the command; gives its outcome and the file."""

    def run(name: str, *options: object):
        out = tmp_path / name
        return command("attend", "--checkpoint", checkpoint, "--source", SOURCE, "--out", out, *options), out

    return run


def test_arrays(attend, translator):
    outcome, out = attend("maps.npz")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    maps = attention_maps(translator, SOURCE)
    with np.load(out) as found:
        for kind in ("encoder", "decoder", "cross"):
            for layer, array in enumerate(maps.layers(kind), 1):
                np.testing.assert_allclose(found[f"{kind}_{layer}"], array, atol=1e-5)
        assert found["predicts"].tolist() == [token.piece for token in maps.predicts.tokens]
        np.testing.assert_allclose(found["log_probs"], maps.log_probs, atol=1e-4)


def test_json_of_a_given_translation(attend, translator):
    _, out = attend("maps.json", "--target", "Wie viel?", "--words")
    found = json.loads(out.read_text())
    assert found["settings"] == "translation given"
    assert [token["piece"] for token in found["predicts"]["tokens"]] == ["Wie", "viel", "?", "</s>"]
    assert np.array(found["cross"][2]).shape == (2, 4, 8)


def test_table_of_contributions(attend, translator):
    _, out = attend("maps.csv", "--quantity", "contribution")
    rows = list(csv.DictReader(out.open()))
    table = head_contributions(translator, sentence_pair(translator, SOURCE)).to_pandas()
    assert list(rows[0]) == list(table.columns)
    assert len(rows) == len(table)
    assert float(rows[-1]["contribution"]) == pytest.approx(table["contribution"].iloc[-1], abs=1e-4)


def test_a_file_for_the_browser(attend):
    outcome, out = attend("maps.html", "--kind", "decoder", "--layer", "2", "--head", "2")
    assert (outcome.code, outcome.err) == (0, "")
    page = out.read_text()
    assert page.startswith("<!doctype html>")
    assert '"first":{"kind":"decoder","layer":1,"head":1}' in page


def test_what_was_cut_off_is_said(command, tmp_path):
    out = tmp_path / "maps.json"
    arguments = ("--checkpoint", "tatoeba-en-de-learned", "--device", "cpu", "--out", out)
    found = command("attend", *arguments, "--source", "Mid-Summer CNN")
    assert found.code == 0
    assert found.err.splitlines() == ["headscope: warning: cut off", "headscope: warning: repeats itself"]
    content = json.loads(out.read_text())
    assert (content["finished"], len(content["predicts"]["tokens"])) == (False, 58)
    assert sum(content["log_probs"]) == pytest.approx(-52.41, abs=0.005)


@pytest.mark.parametrize(("ending", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_figures(attend, ending, start):
    outcome, out = attend(f"map.{ending}", "--kind", "encoder", "--layer", "1", "--head", "4")
    assert outcome.code == 0
    assert out.read_bytes().startswith(start)
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_what_cannot_be_written(attend, tmp_path):
    for name in ("maps.xlsx", "maps"):
        outcome, out = attend(name)
        assert outcome.refuses(name, *(f".{form}" for form in FORMS))
        assert not out.exists()
    assert attend("nowhere/maps.npz")[0].refuses("no folder", "nowhere")
    assert attend("map.svg", "--layer", "9")[0].refuses("there is no head")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_stays_when_nothing_can_be_written(attend, tmp_path):
    (tmp_path / "map.svg").write_text("before")
    assert attend("map.svg", "--head", "9")[0].code == 2
    assert (tmp_path / "map.svg").read_text() == "before"


def test_no_page_is_loaded_for_a_file_of_the_browser(checkpoint, tmp_path):
    out = tmp_path / "maps.html"
    arguments = ["attend", "--checkpoint", str(checkpoint), "--source", SOURCE, "--out", str(out)]
    script = (
        "import sys; from headscope.app.commands.cli import run; "
        f"code = run({arguments!r}); print(code, sorted({{'streamlit', 'plotly', 'pandas'}} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (found.stdout, found.stderr) == ("0 []\n", "")
    assert out.stat().st_size > 10_000
