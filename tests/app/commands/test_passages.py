"""`headscope passages`."""

import gzip
import json

import pandas as pd
import pytest

import headscope
from headscope.analysis.corpus import passages
from tests.toys import SENTENCES

LONG = [pair for pair in SENTENCES if all(4 <= len(side.split()) <= 12 for side in pair)]


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"source": s, "target": t}) + "\n" for s, t in SENTENCES))
    return path


def arguments(checkpoint, pairs, out, *more):
    return "passages", "find", "--checkpoint", checkpoint, "--jsonl", pairs, "--out", out, *more


def test_the_numbers_of_the_function(command, checkpoint, pairs, tmp_path):
    out = tmp_path / "found.jsonl"
    assert command(*arguments(checkpoint, pairs, out, "--least", 1)).code == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["line"] for line in lines] == [1, 2, 3, 4, 5]
    translator = headscope.load(checkpoint, device="cpu")
    for line, (source, target) in zip(lines, SENTENCES, strict=True):
        found = headscope.passage_support(translator, headscope.sentence_pair(translator, source, target))
        assert (line["source"], line["target"], line["problem"]) == (source, target, None)
        assert line["invented"] == pytest.approx(found.total("invented"), abs=1e-4)
        shares = [piece["source_share"] for piece in line["target_pieces"]]
        assert shares == pytest.approx(found.of_target["source share"], abs=1e-4)
        texts = [each.text for fault in ("invented", "omitted") for each in found.passages(fault, least=1)]
        assert [each["text"] for each in line["passages"]] == texts


def test_it_goes_on_where_it_was_stopped(command, checkpoint, pairs, tmp_path, monkeypatch):
    whole, out = tmp_path / "whole.jsonl", tmp_path / "found.jsonl"
    command(*arguments(checkpoint, pairs, whole))
    support, seen = passages.passage_support, []

    def interrupted(translator, pair):
        if len(seen) == 2:
            raise KeyboardInterrupt
        seen.append(pair)
        return support(translator, pair)

    monkeypatch.setattr(passages, "passage_support", interrupted)
    assert command(*arguments(checkpoint, pairs, out)).code == 130
    assert len(out.read_text().splitlines()) == 2
    with out.open("a") as file:
        file.write('{"line": 3, "sour')  # torn
    monkeypatch.setattr(passages, "passage_support", support)
    again = command(*arguments(checkpoint, pairs, out))
    assert "2 of 5 pairs are done already" in again.err
    assert out.read_text() == whole.read_text()


def test_results_of_something_else_are_refused(command, checkpoint, pairs, tmp_path):
    out = tmp_path / "found.jsonl"
    command(*arguments(checkpoint, pairs, out))
    before = out.read_text()
    found = command(*arguments(checkpoint, pairs, out, "--threshold", 0.5))
    assert found.code == 2
    assert "line 1: this is no result of the same pairs, checkpoint and options: name another file" in found.err
    pairs.write_text(pairs.read_text().splitlines()[0] + "\n")
    assert "line 2: this is no result" in command(*arguments(checkpoint, pairs, out)).err
    assert out.read_text() == before


def test_a_blank_source_has_a_problem(command, checkpoint, tmp_path):
    pairs, out = tmp_path / "pairs.jsonl", tmp_path / "found.jsonl"
    pairs.write_text('{"source": " ", "target": "x"}\n{"source": "How much?", "target": "Wie viel?"}\n')
    assert command(*arguments(checkpoint, pairs, out)).code == 0
    blank, other = (json.loads(line)["problem"] for line in out.read_text().splitlines())
    assert blank
    assert other is None


def test_trial(command, checkpoint, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    for side, (name, ending) in enumerate((("test.en", "source"), ("test.de", "target"))):
        for part in ("train", "dev", "test"):
            (data / f"{part}.{ending}").write_text("".join(f"{pair[side]}\n" for pair in LONG * 2))
        with gzip.open(tmp_path / f"{name}.gz", "wt") as file:
            file.write("".join(f"{pair[side]}\n" for pair in LONG))
    (tmp_path / "cut.de").write_text("".join(f"{pair[1].split()[0]}\n" for pair in LONG))
    given = f"{tmp_path / 'test.en.gz'},{tmp_path / 'test.de.gz'},{tmp_path / 'cut.de'}"
    options = ("--checkpoint", checkpoint, "--data", data, "--part", "test", "--pairs", 2, "--out", tmp_path / "out")
    found = command("passages", "trial", *options, "--omissions", given)
    assert found.code == 0, found.err
    areas = pd.read_csv(tmp_path / "out" / "areas.csv")
    assert set(areas.condition) >= {"invented", "omitted", "other source", "given omissions"}
    assert len(found.lines) == len(areas) + 1
    assert len(pd.read_csv(tmp_path / "out" / "curves.csv")) > len(areas)
    for wrong, said in (("a,b", "give three files"), ("a,b,c", "there is no file a")):
        options = (*options[:-1], tmp_path / "other", "--omissions", wrong)
        assert said in command("passages", "trial", *options).err
