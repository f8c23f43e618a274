"""The texts of a server."""

from pathlib import Path

import pytest

from headscope.app.workbench.texts import Texts
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Silent
from tests.app.training import write_text

TSV = "".join(f"word{number} more\twort{number} mehr\n" for number in range(60)).encode()


@pytest.fixture
def texts(tmp_path: Path) -> Texts:
    write_text(tmp_path / "data")
    write_text(tmp_path / "data" / "corpora", "deep")
    write_text(tmp_path / "elsewhere", "other")
    return Texts(tmp_path / "data", shipped=tmp_path / "none")


def test_those_that_are_there(texts: Texts, tmp_path: Path):
    (tmp_path / "data" / "half").mkdir()
    assert list(texts.all()) == ["copying"]
    assert next(iter(Texts(tmp_path / "nowhere").all())) == "tatoeba-en-de-text"


def test_a_folder_in_the_data_folder_and_no_other(texts: Texts, tmp_path: Path):
    assert texts.under("corpora/deep") == tmp_path / "data" / "corpora" / "deep"
    (tmp_path / "data" / "link").symlink_to(tmp_path / "elsewhere" / "other")
    for place in ("../elsewhere/other", str(tmp_path / "elsewhere" / "other"), "link", "", "."):
        with pytest.raises(HeadscopeError):
            texts.under(place)


def test_what_is_handed_in_is_there_at_once(texts: Texts):
    assert texts.take_in({"a.tsv": TSV}, "mine", "en, de") == "mine"
    assert "mine" in texts.all()
    for name, languages in (("../x", ""), ("x", "en"), ("x", "../a,de")):
        with pytest.raises(HeadscopeError):
            texts.take_in({"a.tsv": TSV}, name, languages)
    assert "x" not in texts.all()


def test_a_text_is_looked_through_once_and_again_when_it_changes(texts: Texts):
    folder = texts.all()["copying"]
    report = texts.report(folder, Silent())
    assert texts.report(folder, Silent()) is report
    for side in ("source", "target"):
        (folder / f"test.{side}").write_text("x\n")
    assert texts.report(folder, Silent()).pairs["test"] == 1
