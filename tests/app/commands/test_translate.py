"""`headscope translate`."""

import inspect
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from safetensors.torch import load, save

from headscope.analysis.measures.warnings import WarningKind
from headscope.app.commands.translate import translate
from headscope.model.card import CONFIG, VOCABULARY, WEIGHTS
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stored import parse_search
from headscope.model.search.trace import Hypothesis
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translator import BATCH_TOKENS, MAX_SOURCE_PIECES, Translation, Translator
from tests.app.commands.measuring import copied, hurried
from tests.toys import SENTENCES

ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "headscope", "translate")


@pytest.fixture
def text(tmp_path):
    """Writes a file of text."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "text"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_one_line_in_one_line_out(command, checkpoint, text):
    sources, targets = zip(*SENTENCES, strict=True)
    found = command("translate", "--checkpoint", checkpoint, text("\n".join(sources)))
    assert (found.code, found.err) == (0, "")
    assert tuple(found.lines) == targets


def test_blank_lines_stay_blank(command, checkpoint, text):
    known, translation = SENTENCES[3]
    found = command("translate", "--checkpoint", checkpoint, text(f"\n  \n{known}\n\u3000\t\n"))
    assert found.out == f"\n\n{translation}\n\n"
    assert found.err == ""


def test_no_lines(command, checkpoint, text):
    found = command("translate", "--checkpoint", checkpoint, text(""))
    assert (found.code, found.out, found.err) == (0, "", "")


def test_lines_that_cannot_be_translated(command, checkpoint, text):
    known, translation = SENTENCES[3]
    file = text(f"{known}\n".encode() + b"caf\xe9\n" + f"{'very ' * 40}long\n{known}".encode())
    arguments = ("translate", "--checkpoint", checkpoint, "--max-source-pieces", 60, file)
    found = command(*arguments)
    assert found.code == 0
    assert found.lines == [translation, "", "", translation]
    first, second = found.err.splitlines()
    assert first == "headscope: line 2: invalid UTF-8 at byte 4"
    assert second.startswith("headscope: line 3: the sentence has ")
    statuses = [json.loads(line) for line in command(*arguments, "--json").lines]
    assert [s["status"] for s in statuses] == ["translated", "not translated", "not translated", "translated"]
    assert "60" in statuses[2]["problem"]
    assert statuses[2]["translations"] == []


def test_n_best(command, checkpoint, translator, text):
    settings = SearchSettings(beam=3, n_best=3, penalty=LengthPenalty(0.2))
    expected = translator.translate([SENTENCES[0][0], SENTENCES[3][0]], settings=settings)
    found = command(
        *("translate", "--checkpoint", checkpoint, "--beam", 3, "--n-best", 3, "--length-penalty", 0.2),
        text(f"{SENTENCES[0][0]}\n\n{SENTENCES[3][0]}\n"),
    )
    rows = [line.split("\t", 3) for line in found.lines]
    assert [(row[0], row[1]) for row in rows] == [
        *zip("111", "123", strict=True),
        ("2", "1"),
        *zip("333", "123", strict=True),
    ]
    assert rows[3] == ["2", "1", "", ""]
    ranked = [row for row in rows if row[0] != "2"]
    assert [row[3] for row in ranked] == [target.text for e in expected for target in e.targets]
    scores = [hypothesis.score for e in expected for hypothesis in e.hypotheses]
    assert [float(row[2]) for row in ranked] == pytest.approx(scores, abs=2e-5)


def test_json_has_everything(command, checkpoint, translator, text):
    source = SENTENCES[1][0]
    expected = translator.translate([source], settings=SearchSettings(n_best=2))[0]
    found = json.loads(command("translate", "--checkpoint", checkpoint, "--n-best", 2, "--json", text(source)).out)
    assert (found["line"], found["source"], found["status"], found["problem"]) == (1, source, "translated", None)
    assert found["source_pieces"] == list(expected.source.pieces)
    for given, hypothesis, target in zip(found["translations"], expected.hypotheses, expected.targets, strict=True):
        assert given == {
            "text": target.text,
            "score": hypothesis.score,
            "log_prob": hypothesis.total,
            "pieces": list(target.pieces),
            "log_probs": list(hypothesis.log_probs),
            "finished": hypothesis.finished,
            "repetition": 0.0,
        }


def test_words(command, checkpoint, text):
    lines = [SENTENCES[1][0], "", SENTENCES[3][0]]
    arguments = ("translate", "--checkpoint", checkpoint, text("\n".join(lines) + "\n"))
    found = command(*arguments, "--must-contain", "Jeden")
    assert (found.code, found.err) == (0, "")
    assert [("Jeden" in re.findall(r"\w+", line)) for line in found.lines] == [True, False, True]
    word = SENTENCES[3][1].split()[1]
    assert word in command(*arguments).lines[2].split()
    assert word not in re.findall(r"\w+", command(*arguments, "--must-not-contain", word).lines[2])


def test_words_for_which_there_is_no_room_are_said(command, checkpoint, text):
    phrase = " ".join(["Jeden Abend"] * 40)
    found = command("translate", "--checkpoint", checkpoint, "--must-contain", phrase, text(f"{SENTENCES[3][0]}\n\n"))
    assert (found.code, found.out) == (0, "\n\n")
    assert found.err.startswith("headscope: line 1: no translation was found that has 'Jeden Abend Jeden")
    assert found.err.count("\n") == 1


def test_what_is_warned_of(command, text):
    """The sentence that the model goes round in circles with: said once, in the end, and of each line in JSON."""
    arguments = ("translate", "--checkpoint", "tatoeba-en-de-learned", "--device", "cpu")
    lines = text("Mid-Summer CNN\n\nTom cried for help.\n" + "The old house is white. " * 20)
    found = command(*arguments, lines)
    assert found.code == 0
    assert found.err.splitlines() == [
        "headscope: translations cut off at the greatest length, before their end: 1 (line 1)",
        "headscope: sources longer than any in training: 1 (line 4)",
        "headscope: translations that repeat themselves: 1 (line 1)",
    ]
    each = [json.loads(line) for line in command(*arguments, "--json", lines).lines]
    assert [line["warnings"] for line in each] == [
        ["cut off", "repeats itself"],
        [],
        [],
        ["source longer than in training"],
    ]
    assert each[0]["translations"][0]["repetition"] > 0.5


def test_text_in_the_place_of_pieces(command, checkpoint, text):
    found = command("translate", "--checkpoint", checkpoint, "--pieces", text("Mountains everywhere.\n▁We\n"))
    assert found.code == 0
    assert "headscope: sources of which most pieces are not in the vocabulary: 1 (line 1)\n" in found.err


def test_line_breaks_the_model_wrote_make_no_lines(command, checkpoint, text, monkeypatch):
    source = Segmentation("x", (4,), ("x",), ((0, 1),))
    target = Segmentation("one\ntwo\r\n\u2028three\tfour", (4,), ("x",), ((0, 1),))
    found = Translation(source, (Hypothesis((4,), (-1.0, -1.0), -2.0, -2.0, True),), (target,))
    monkeypatch.setattr(Translator, "translate", lambda *_, **__: [found])
    arguments = ("translate", "--checkpoint", checkpoint, text("x"))
    assert command(*arguments).out == "one two  \u2028three\tfour\n"
    assert command(*arguments, "--n-best", 2).out == "1\t1\t-2.000000\tone two  \u2028three\tfour\n"
    assert json.loads(command(*arguments, "--json").out)["translations"][0]["text"] == target.text


def test_bf16_says_what_it_does_not_promise(command, checkpoint, text):
    found = command("translate", "--checkpoint", checkpoint, "--precision", "bf16", text(SENTENCES[3][0]))
    assert found.code == 0
    assert len(found.lines) == 1
    assert found.err.startswith("headscope: with bf16 the translation of a line may change")


def test_defaults_are_those_of_the_translator():
    defaults = {name: parameter.default for name, parameter in inspect.signature(translate).parameters.items()}
    assert defaults["batch_tokens"] == BATCH_TOKENS
    assert defaults["max_source_pieces"] == MAX_SOURCE_PIECES
    assert defaults["beam"] is defaults["length_penalty"] is defaults["length_penalty_kind"] is None
    assert parse_search({}) == SearchSettings()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--n-best", 5), "n-best 5"),
        (("--length-penalty", "nan"), "nan"),
        (("--length-penalty", 1000), "1000"),
        (("--device", "cuda:99"), "cuda:99"),
        (("--device", "abacus"), "abacus"),
        (("--device", "meta"), "meta"),
    ],
)
def test_wrong_options(command, checkpoint, text, options, named):
    assert command("translate", "--checkpoint", checkpoint, *options, text("x")).refuses(named)


def test_wrong_files(command, checkpoint, tmp_path):
    assert command("translate", "--checkpoint", checkpoint, tmp_path / "absent").refuses("absent")
    assert command("translate", "--checkpoint", checkpoint, tmp_path).refuses(str(tmp_path), "directory")
    (tmp_path / "text.gz").write_bytes(b"no gzip at all")
    assert command("translate", "--checkpoint", checkpoint, tmp_path / "text.gz").refuses("text.gz", "gzip")


def test_unknown_checkpoint(command, text, tmp_path):
    assert command("translate", "--checkpoint", "atlantis", text("x")).refuses("'atlantis'")
    assert command("translate", "--checkpoint", tmp_path, text("x")).refuses(str(tmp_path), CONFIG)


def cut(folder: Path) -> None:
    weights = folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:5000])


def pickle_in_disguise(folder: Path) -> None:
    torch.save(load((folder / WEIGHTS).read_bytes()), folder / WEIGHTS)


def not_a_number(folder: Path) -> None:
    weights = load((folder / WEIGHTS).read_bytes())
    next(iter(weights.values()))[0] = float("nan")
    (folder / WEIGHTS).write_bytes(save(weights))


def other_shape(folder: Path) -> None:
    config = json.loads((folder / CONFIG).read_text())
    config["model"]["decoder"]["feed_forward"] = 21
    (folder / CONFIG).write_text(json.dumps(config))


def impossible_shape(folder: Path) -> None:
    config = json.loads((folder / CONFIG).read_text())
    config["model"]["d_model"] = 33
    (folder / CONFIG).write_text(json.dumps(config))


def no_weights(folder: Path) -> None:
    (folder / WEIGHTS).unlink()


def no_vocabulary(folder: Path) -> None:
    shutil.rmtree(folder / VOCABULARY)


def no_json(folder: Path) -> None:
    (folder / CONFIG).write_text("{")


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (cut, WEIGHTS),
        (pickle_in_disguise, WEIGHTS),
        (not_a_number, "not finite"),
        (other_shape, "21"),
        (impossible_shape, "d_model = 33"),
        (no_weights, WEIGHTS),
        (no_vocabulary, VOCABULARY),
        (no_json, CONFIG),
    ],
)
def test_damaged_checkpoint(command, checkpoint, text, tmp_path, damage, named):
    folder = shutil.copytree(checkpoint, tmp_path / "damaged")
    damage(folder)
    assert command("translate", "--checkpoint", folder, text("x")).refuses(named)
    assert command("info", "--checkpoint", folder).refuses(named)


def test_hard_sentences(checkpoint, shared, text, tmp_path):
    content = [(shared / "data/hard_sentences" / name).read_bytes() for name in ("blns.txt", "hard_sentences.tsv")]
    lines = b"".join(content).decode().removesuffix("\n").split("\n")
    assert len(lines) == 742 + 187
    # In a process of its own, where types are not checked at each of the many steps; large batches take fewer.
    own = hurried(copied(checkpoint, tmp_path / "own"))
    words = [*COMMAND, "--checkpoint", own, "--batch-tokens", "50000", "--json"]
    words.append(text(b"".join(content)))
    found = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=240)
    assert found.returncode == 0
    answers = [json.loads(line) for line in found.stdout.removesuffix("\n").split("\n")]
    assert [answer["source"] for answer in answers] == lines
    assert {answer["status"] for answer in answers} <= {"translated", "blank"}
    kinds = Counter(kind for answer in answers for kind in answer["warnings"])
    said = [re.search(r": ([\d,]+) \(line", line)[1] for line in found.stderr.splitlines()]
    assert [int(count.replace(",", "")) for count in said] == [kinds[kind] for kind in WarningKind if kind in kinds]


def test_what_is_typed_is_answered_at_once(checkpoint):
    known, translation = SENTENCES[3]
    with subprocess.Popen(
        [*COMMAND, "--checkpoint", checkpoint],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        for _ in range(2):
            process.stdin.write(f"{known}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{translation}\n"
        process.stdin.close()
        assert process.wait(60) == 0
        assert (process.stdout.read(), process.stderr.read()) == ("", "")
