"""`headscope evaluate`."""

import json

import pytest

from analysis.evaluation import evaluate
from tests.toys import SENTENCES


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "source", tmp_path / "reference"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in SENTENCES))
    return paths


def test_the_numbers_of_the_function(command, checkpoint, translator, files):
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    expected = evaluate(translator, SENTENCES)
    found = json.loads(command(*arguments, "--json").out)
    for name, score in (("bleu", expected.bleu), ("chrf", expected.chrf)):
        assert found[name] == {"score": score.value, "interval": score.interval, "signature": score.signature}
    assert found["length_ratio"] == expected.length_ratio
    assert found["sentences"] == len(SENTENCES)
    assert found["untranslated"] == 0
    assert found["sentences_per_second"] == pytest.approx(len(SENTENCES) / found["seconds"])

    rows = dict(line.split("  ", 1) for line in command(*arguments).lines)
    assert rows["BLEU"].split() == [
        f"{expected.bleu.value:.2f}",
        "±",
        f"{expected.bleu.interval:.2f}",
        expected.bleu.signature,
    ]
    assert rows["sentences"].strip() == str(len(SENTENCES))


def test_options_of_the_search_are_used(command, checkpoint, translator, files):
    from model.search.beam import SearchSettings
    from model.search.penalty import LengthPenalty

    settings = SearchSettings(beam=2, penalty=LengthPenalty(-2.0))
    expected = evaluate(translator, SENTENCES, settings=settings, max_source_pieces=20)
    assert expected.untranslated > 0
    found = command(
        *("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1], "--json"),
        *("--beam", 2, "--length-penalty", -2, "--max-source-pieces", 20),
    )
    assert json.loads(found.out)["chrf"]["score"] == expected.chrf.value
    assert f"{expected.untranslated} sentences were too long" in found.err


def test_unequal_files(command, checkpoint, files):
    with files[0].open("a") as source:
        source.write("One more.\n")
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    assert command(*arguments).refuses(f"line {len(SENTENCES) + 1}")
    found = command(*arguments, "--skip-bad-lines")
    assert found.code == 0
    assert "headscope: lines left out, no partner: 1\n" in found.err


def test_empty_files(command, checkpoint, tmp_path):
    (tmp_path / "empty").touch()
    found = command(
        "evaluate", "--checkpoint", checkpoint, "--source", tmp_path / "empty", "--reference", tmp_path / "empty"
    )
    assert found.refuses("nothing to evaluate")
