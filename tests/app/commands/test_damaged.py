"""A checkpoint that can be read and not be computed with: every command that computes says so, and writes nothing."""

import pytest

from tests.app.commands.measuring import copied, write_data
from tests.files import tree
from tests.toys import SENTENCES, damage

SOURCE, TARGET = SENTENCES[2]


@pytest.fixture
def broken(checkpoint, tmp_path):
    return damage(copied(checkpoint, tmp_path / "broken"))


@pytest.mark.parametrize(
    "arguments",
    [
        "translate TEXT --json",
        "translate TEXT --precision bf16 --n-best 2",
        "evaluate --source TEXT --reference TRANSLATION",
        "score --source TEXT --target TRANSLATION",
        "search --source SOURCE",
        "search --source SOURCE --force 9",
        "search --source SOURCE --sample 3",
        "search --source SOURCE --mbr 3",
        "search --source SOURCE --exact",
        "attend --source SOURCE --out OUT.json",
        "attend --source SOURCE --target TARGET --quantity contribution --out OUT.html",
        "profile --data DATA",
        "gallery --data DATA",
        "study --data DATA --sentences 2",
    ],
)
def test_one_line_says_that_the_weights_are_damaged(command, broken, tmp_path, arguments, recwarn):
    (tmp_path / "text").write_text(SOURCE)
    (tmp_path / "translation").write_text(TARGET)
    write_data(tmp_path / "data", SENTENCES, "test", "dev")
    words = {
        "TEXT": tmp_path / "text",
        "TRANSLATION": tmp_path / "translation",
        "SOURCE": SOURCE,
        "TARGET": TARGET,
        "DATA": tmp_path / "data",
        "OUT.json": tmp_path / "out.json",
        "OUT.html": tmp_path / "out.html",
    }
    before = tree(tmp_path)
    found = command(*(words.get(word, word) for word in arguments.split()), "--checkpoint", broken)
    reason = found.err.splitlines()[-1]
    assert (found.code, found.out) == (2, "")
    assert reason.startswith("headscope: the model's ")
    assert "are not finite: its weights are damaged, or too large for this precision (the largest, 3e+38, is" in reason
    assert tree(tmp_path) == before
    assert not recwarn.list
