"""`headscope attend`."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import attention_maps, record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.heads import UniformAttention
from headscope.analysis.records.heads import Head
from headscope.app.export.figure import what_if_figure
from headscope.app.export.files import FORMS, Export, Without, taken_away
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
    assert list(rows[0]) == [*table.columns, "counted_from"]
    assert (rows[-1]["layer"], rows[-1]["head"]) == ("3", "2")
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


def test_every_picture_in_every_width(attend, translator):
    shown = attention_maps(translator, SOURCE)
    found = {}
    for picture, options in {
        "matrix": (),
        "lines": ("--head", "1", "--head", "2"),
        "wall": (),
        "what-if": ("--without", "cross.3.1", "--without", "encoder.1.2", "--instead", "uniform"),
    }.items():
        for width, inches in (("column", 3.35), ("page", 7.0), ("slide", 12.0)):
            outcome, out = attend(f"{picture}.svg", "--picture", picture, "--width", width, *options)
            assert (outcome.code, outcome.err) == (0, "")
            root = ET.fromstring(out.read_bytes())
            assert root.get("width") == f"{inches * 72:g}pt"
        found[picture] = out.read_bytes()
    assert len(set(found.values())) == 4
    heads = [Head("cross", 2, 0), Head("encoder", 0, 1)]
    probe = UniformAttention(translator.model.config, heads)
    pair = sentence_pair(translator, SOURCE)
    before, after = (record(translator, pair, probe=given) for given in (None, probe))
    caption = Export(
        before,
        Head("cross", 2, 0),
        translator.card.name,
        "beam 4, length penalty 0.6",
        ("en", "de"),
        picture="what-if",
        without=Without(after, taken_away(heads, "uniform attention")),
    ).caption
    expected = what_if_figure(before, after, Head("cross", 2, 0), caption=caption, width="slide")
    assert found["what-if"] == expected
    np.testing.assert_allclose(before.cross[2], shown.cross[2], atol=1e-6)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--head", "1", "--head", "2"), ("a matrix shows one head", "--picture lines")),
        (("--picture", "what-if"), ("--without HEAD",)),
        (("--without", "cross.1.1"), ("--picture what-if",)),
        (("--picture", "what-if", "--without", "cross.0.1"), ("'cross.0.1' names no head", "cross.3.1")),
        (
            ("--picture", "what-if", "--without", "cross.9.1"),
            ("there is no head cross 9.1", "3 cross layers of 2 heads"),
        ),
        (("--picture", "what-if", "--without", "cross.1.1", "--quantity", "contribution"), ("of weights",)),
        (("--width", "poster"), ("--width",)),
    ],
)
def test_what_is_no_picture(attend, options, words):
    outcome, out = attend("map.svg", *options)
    assert outcome.refuses(*words)
    assert not out.exists()


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
