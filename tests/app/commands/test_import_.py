"""`headscope import`."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headscope.model.translator import load_translator
from tests.model.interop.ctranslate2_toys import VOCABULARY, random_model
from tests.model.interop.test_fairseq_import import pre_norm, write
from tests.model.interop.test_joeynmt_import import config as joey_config
from tests.model.interop.test_joeynmt_import import write as write_joey
from tests.model.interop.test_marian_npz_import import write as write_npz
from tests.model.interop.toys import small_marian
from tests.toys import tiny_model

ROOT = Path(__file__).parents[3]


def rows(out: str) -> dict[str, str]:
    """The names and values that a command wrote in two columns."""
    return dict(re.split(r"  +", line, maxsplit=1) for line in out.splitlines())


@pytest.fixture(scope="module")
def marian(tmp_path_factory) -> Path:
    """A small MarianMT folder whose name says its languages."""
    folder = tmp_path_factory.mktemp("models") / "opus-mt-en-de"
    small_marian(folder)
    (folder / "README.md").write_text("---\nlicense: cc-by-4.0\n---\n")
    return folder


def test_says_what_it_found(command, marian, tmp_path):
    found = command("import", "marian", marian, "--out", tmp_path / "mine")
    assert found.code == 0
    shown = rows(found.out)
    assert (shown["model"], shown["toolkit"]) == ("opus-mt-en-de", "Marian (Hugging Face)")
    assert (shown["licence"], shown["languages"]) == ("cc-by-4.0", "en to de")
    assert shown["encoder"] == "2 layers, 4 heads, feed-forward 24"
    assert shown["decoder"] == "3 layers, 2 heads, feed-forward 20"
    assert shown["vocabulary"] == "359 joint"
    assert shown["positions"] == "sinusoidal, halves"
    assert shown["text"] == "text, cut by SentencePiece"
    assert shown["search"] == "beam 1, length penalty 1 (power)"
    assert (
        found.err == f"headscope: {tmp_path / 'mine'} is ready: headscope translate --checkpoint {tmp_path / 'mine'}\n"
    )
    assert load_translator(tmp_path / "mine").card.languages == ("en", "de")


def test_its_own_search_is_the_default(command, marian, tmp_path):
    command("import", "marian", marian, "--out", tmp_path / "mine")
    text = tmp_path / "text"
    text.write_text("The old house\n")
    plain = command("translate", "--checkpoint", tmp_path / "mine", text)
    same = command("translate", "--checkpoint", tmp_path / "mine", "--beam", "1", text)
    assert (plain.code, plain.out) == (0, same.out)


def test_ctranslate2_without_languages(command, tmp_path):
    random_model(tmp_path / "m", vocabulary=VOCABULARY)
    found = command("import", "ctranslate2", tmp_path / "m", "--out", tmp_path / "mine")
    assert found.code == 0
    assert rows(found.out)["languages"] == "not known"
    assert rows(found.out)["text"] == "pieces with blanks between them"
    assert "headscope: its languages are not known: import it again with its languages, as en,de\n" in found.err
    again = command("import", "ctranslate2", tmp_path / "m", "--out", tmp_path / "mine", "--languages", "ar, en")
    assert rows(again.out)["languages"] == "ar to en"
    assert "not known" not in again.err


def test_fairseq(command, tmp_path):
    _, state = pre_norm()
    both = {"encoder_normalize_before": True, "decoder_normalize_before": True, "share_all_embeddings": True}
    write(tmp_path / "m", state, **both)
    found = command("import", "fairseq", tmp_path / "m", "--out", tmp_path / "mine")
    assert (found.code, rows(found.out)["languages"]) == (0, "de to en")


def test_joeynmt(command, tmp_path):
    write_joey(tmp_path / "m", tiny_model(norm="pre", norm_epsilon=1e-6), joey_config())
    found = command("import", "joeynmt", tmp_path / "m", "--out", tmp_path / "mine")
    assert (found.code, rows(found.out)["layer norm"]) == (0, "pre, epsilon 1e-06")


def test_marians_own_files(command, tmp_path):
    write_npz(tmp_path / "m")
    found = command("import", "marian", tmp_path / "m", "--out", tmp_path / "mine")
    assert (found.code, rows(found.out)["toolkit"]) == (0, "Marian")
    assert rows(found.out)["positions"] == "sinusoidal, halves_tensor2tensor"


@pytest.mark.parametrize("toolkit", ["marian", "m2m", "ctranslate2", "fairseq", "joeynmt"])
def test_an_empty_folder(command, tmp_path, toolkit):
    (tmp_path / "m").mkdir()
    found = command("import", toolkit, tmp_path / "m", "--out", tmp_path / "mine")
    assert found.refuses("it is not a model of this kind, or not complete")
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("languages", ["en", "en,", "en,de,fr", ""])
def test_languages_that_are_no_pair(command, marian, tmp_path, languages):
    found = command("import", "marian", marian, "--out", tmp_path / "mine", "--languages", languages)
    assert found.refuses(f"languages '{languages}': name two")


def test_what_is_there_is_kept(command, marian, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    assert command("import", "marian", marian, "--out", tmp_path / "mine").refuses("is there and is no checkpoint")
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "thesis.txt"]


def test_a_broken_file_leaves_nothing(command, marian, tmp_path):
    folder = shutil.copytree(marian, tmp_path / "broken")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert command("import", "marian", folder, "--out", tmp_path / "mine").refuses("model.safetensors is damaged")
    assert [path.name for path in tmp_path.iterdir()] == ["broken"]


@pytest.mark.parametrize("words", [["import"], ["import", "onnx"], ["import", "marian"], ["import", "marian", "x"]])
def test_wrong_command_line(command, words):
    assert command(*words).refuses("--help)")


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from headscope.app.commands.cli import run; run(['import', 'marian', '--help']); "
        "print({'torch', 'ctranslate2', 'transformers', 'sentencepiece', 'huggingface_hub'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert found.stdout.endswith("\nset()\n")
