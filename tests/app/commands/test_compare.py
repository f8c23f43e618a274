"""`headscope compare`."""

import csv
import json

import pytest

from headscope.analysis.comparison.cka import layer_cka
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import load_side
from headscope.analysis.comparison.translations import compared_translations
from headscope.app.export.comparison import translations_object
from tests.app.page_tools import SENTENCE
from tests.toys import SENTENCES


@pytest.fixture
def models(checkpoint):
    return str(checkpoint), f"{checkpoint}:without=cross.1.1,cross.1.2"


@pytest.fixture
def pairs(tmp_path):
    file = tmp_path / "pairs.tsv"
    file.write_text("".join("\t".join(pair) + "\n" for pair in SENTENCES))
    return file


def test_it_gives_what_the_functions_give(command, models, pairs, tmp_path):
    table = tmp_path / "rows.csv"
    found = command(
        "compare",
        *models,
        "--source",
        SENTENCE,
        "--head",
        "cross.2.1",
        "--corpus",
        pairs,
        "--layers",
        "--sentences",
        2,
        "--csv",
        table,
        "--json",
    )
    assert found.code == 0
    content = json.loads(found.out)
    translators = [load_side(read_side(model), "cpu") for model in models]
    assert content["models"] == [translator.card.name for translator in translators]
    expected = translations_object(compared_translations(translators, SENTENCE))
    assert content["sentence"] == json.loads(json.dumps(expected))
    assert content["head"]["head"] == "cross 2.1"
    assert content["head"]["others"][0]["same_place"] >= content["head"]["others"][0]["divergence"]
    assert content["corpus"]["sentences"] == len(SENTENCES)
    assert len(content["corpus"]["differ_most"]) == 2
    cka = layer_cka(*translators, SENTENCES)
    assert content["layers"][0]["cka"]["encoder"] == cka.encoder.tolist()
    with table.open() as file:
        rows = list(csv.DictReader(file))
    assert [row["source"] for row in rows] == [source for source, _ in SENTENCES]


def test_text_marks_the_words_that_differ(command, models):
    found = command("compare", *models, "--source", SENTENCE)
    assert found.code == 0
    assert found.lines[0] == f"source: {SENTENCE}"
    texts = [found.lines[1].split(": ", 1)[1], found.lines[3].split(": ", 1)[1]]
    assert ("[" in texts[1]) == (
        texts[0].replace("[", "").replace("]", "") != texts[1].replace("[", "").replace("]", "")
    )


def test_a_corpus_in_text(command, models, pairs):
    found = command("compare", *models, "--corpus", pairs, "--sentences", 1, "--layers")
    assert found.code == 0
    assert found.lines[0].startswith(f"{models[0].rsplit('/', 1)[1]}: BLEU ")
    assert "5 sentence pairs, 5 distinct sources" in found.out
    assert "encoder: debiased linear CKA" in found.out


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("--source", "a"), "1 models: name two to 4"),
        (("MODEL",), "give --source TEXT, --corpus FILE"),
        (("MODEL", "--head", "cross.1.1", "--corpus", "FILE"), "--head is for one sentence"),
        (("MODEL", "--source", "a", "--layers"), "--layers is over a corpus"),
        (("MODEL", "--source", "a", "--head", "x"), "'x' names no head"),
        (("MODEL:offset=x", "--source", "a"), "offset=x"),
    ],
)
def test_mistakes_end_in_one_line(command, models, pairs, given, says):
    words = [str(word).replace("MODEL", models[0]).replace("FILE", str(pairs)) for word in given]
    assert command("compare", models[0], *words).refuses(says)


def test_sources_alone_are_not_enough(command, models, tmp_path):
    file = tmp_path / "source.en"
    file.write_text(f"{SENTENCE}\n")
    assert command("compare", *models, "--corpus", file).refuses("give their translations with --reference FILE")
