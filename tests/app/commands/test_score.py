"""`headscope score`."""

import json

import pytest
import torch

from tests.toys import SENTENCES


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "source", tmp_path / "target"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in SENTENCES))
    return paths


def test_the_numbers_of_the_search(command, checkpoint, files, tmp_path):
    found = command("translate", "--checkpoint", checkpoint, "--json", files[0])
    best = [json.loads(line)["translations"][0] for line in found.lines]
    (tmp_path / "best").write_text("".join(f"{b['text']}\n" for b in best))
    scored = command("score", "--checkpoint", checkpoint, "--source", files[0], "--target", tmp_path / "best", "--json")
    for line, searched in zip(scored.lines, best, strict=True):
        given = json.loads(line)
        assert given["pieces"] == [*searched["pieces"], "</s>"]
        assert given["log_probs"] == pytest.approx(searched["log_probs"], abs=1e-4)
        assert given["log_prob"] == pytest.approx(searched["log_prob"], abs=1e-4)


def test_text_and_json_agree(command, checkpoint, files):
    arguments = ("score", "--checkpoint", checkpoint, "--source", files[0], "--target", files[1])
    for plain, line in zip(command(*arguments).lines, command(*arguments, "--json").lines, strict=True):
        total, *pieces = plain.split("\t")
        expected = json.loads(line)
        assert float(total) == pytest.approx(expected["log_prob"], abs=1e-5)
        assert [piece.rsplit(" ", 1)[0] for piece in pieces] == expected["pieces"]
        assert [float(piece.rsplit(" ", 1)[1]) for piece in pieces] == pytest.approx(expected["log_probs"], abs=1e-6)


def test_jsonl_is_two_files_in_one(command, checkpoint, files, tmp_path):
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps({"source": s, "target": t}) + "\n" for s, t in SENTENCES))
    two = command("score", "--checkpoint", checkpoint, "--source", files[0], "--target", files[1])
    one = command("score", "--checkpoint", checkpoint, "--jsonl", tmp_path / "pairs.jsonl")
    assert one == two
    assert len(one.lines) == len(SENTENCES)


def test_a_lone_surrogate_of_json_is_written_as_json(command, checkpoint, tmp_path):
    (tmp_path / "pairs.jsonl").write_text('{"source": "\\ud800", "target": "x"}\n')
    found = command("score", "--checkpoint", checkpoint, "--jsonl", tmp_path / "pairs.jsonl", "--json")
    assert json.loads(found.out)["source"] == "\ud800"


def test_too_long_for_learned_positions(command, learned, tmp_path):
    (tmp_path / "source").write_text(f"short\n{'long ' * 60}\nshort\n")
    (tmp_path / "target").write_text("kurz\nlang\nkurz\n")
    arguments = ("score", "--checkpoint", learned, "--source", tmp_path / "source", "--target", tmp_path / "target")
    plain = command(*arguments)
    assert plain.code == 0
    assert plain.lines[1] == ""
    assert plain.lines[0] == plain.lines[2] != ""
    assert plain.err.startswith("headscope: line 2: the sentence has ")
    second = json.loads(command(*arguments, "--json").lines[1])
    assert second["log_prob"] is None
    assert "48" in second["problem"]


def test_bad_lines(command, checkpoint, files):
    arguments = ("score", "--checkpoint", checkpoint, "--source", files[0], "--target", files[1])
    whole = command(*arguments).lines
    files[1].write_bytes(files[1].read_bytes().replace(SENTENCES[2][1].encode(), b"\xff"))
    assert command(*arguments).refuses("line 3", "invalid UTF-8")
    found = command(*arguments, "--skip-bad-lines")
    assert found.lines == [*whole[:2], "", *whole[3:]]  # the place of a line that is left out stays
    assert found.err == "headscope: lines left out, invalid UTF-8: 1\n"
    rows = [json.loads(line) for line in command(*arguments, "--skip-bad-lines", "--json").lines]
    assert [row["line"] for row in rows] == [*range(1, len(SENTENCES) + 1)]
    assert (rows[2]["problem"], rows[2]["log_prob"], rows[2]["pieces"]) == ("left out: invalid UTF-8", None, [])
    assert all(row["problem"] is None for row in rows[:2] + rows[3:])


def test_numbers_are_those_of_the_file_behind_a_line_that_is_left_out(command, learned, tmp_path):
    (tmp_path / "source").write_bytes(b"short\n\xff\n" + b"long " * 60 + b"\nshort\n")
    (tmp_path / "target").write_text("kurz\nx\nlang\nkurz\n")
    arguments = ("score", "--checkpoint", learned, "--source", tmp_path / "source", "--target", tmp_path / "target")
    found = command(*arguments, "--skip-bad-lines")
    assert "headscope: line 3: the sentence has " in found.err
    assert [bool(line) for line in found.lines] == [True, False, False, True]


@pytest.mark.parametrize("blank", ["", "  ", "\u200b", "\u00ad"])
def test_an_empty_translation_has_a_score(command, checkpoint, translator, files, blank):
    lines = files[1].read_text().splitlines()
    files[1].write_text("\n".join([lines[0], blank, *lines[2:]]) + "\n")
    found = command("score", "--checkpoint", checkpoint, "--source", files[0], "--target", files[1])
    assert (found.code, found.err, len(found.lines)) == (0, "", len(SENTENCES))
    # The probability of the end of sentence as the first piece, by a pass of the model itself.
    ids, present = translator.batch([translator.vocabulary.encode(SENTENCES[1][0]).ids])
    start = torch.tensor([[translator.vocabulary.start]])
    expected = translator.model(ids, present, start)[0, 0].log_softmax(-1)[translator.vocabulary.end].item()
    total, end = found.lines[1].split("\t")
    assert float(total) == pytest.approx(expected, abs=1e-4)
    assert end == f"</s> {total}"


@pytest.mark.parametrize("given", [(), ("source",), ("target",), ("source", "jsonl"), ("source", "target", "jsonl")])
def test_what_to_score_has_to_be_clear(command, checkpoint, files, given):
    options = [word for name in given for word in (f"--{name}", str(files[0]))]
    assert command("score", "--checkpoint", checkpoint, *options).refuses("--source", "--target", "--jsonl")


def test_missing_file(command, checkpoint, files):
    found = command("score", "--checkpoint", checkpoint, "--source", files[0], "--target", "absent")
    assert found.refuses("--target", "absent")
