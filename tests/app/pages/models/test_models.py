"""The page of models: cards, and import from a folder."""

import os
import shutil
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import headscope.app
from headscope.app import server
from headscope.app.view import session
from tests.app.page_tools import SENTENCE, page_files, sent, settle
from tests.model.interop.test_joeynmt_import import config as joey_config
from tests.model.interop.test_joeynmt_import import write as write_joey
from tests.toys import tiny_model

HOSTILE = "**b** :red[x] <img src=x onerror=alert(1)>"
UNNAMED = {"src": {"voc_min_freq": 1}, "trg": {}, "special_symbols": {"pad_id": 1}}


def joey(folder: Path, **changes) -> Path:
    """A model of JoeyNMT."""
    write_joey(folder, tiny_model(norm="pre", norm_epsilon=1e-6), joey_config() | changes)
    return folder


@pytest.fixture
def shelf(checkpoint, tmp_path, monkeypatch) -> Path:
    """The folder of a server's checkpoints, with one in it."""
    folder = tmp_path / "shelf"
    shutil.copytree(checkpoint, folder / "toy")
    monkeypatch.setenv(session.CHECKPOINTS, str(folder))
    monkeypatch.setattr(server, "listens_to_this_machine_alone", lambda: True)
    return folder


@pytest.fixture
def visit():
    """Opens a page of a server that has just been started."""
    st.cache_resource.clear()

    def visit(view: str = "models", **params: str) -> AppTest:
        page = AppTest.from_file(Path(headscope.app.__file__).with_name("pages") / "main.py", default_timeout=60)
        page.query_params.update(params)
        page.switch_page(page_files()[view])
        return settle(page)

    yield visit
    st.cache_resource.clear()


def texts(place) -> list[str]:
    return [element.value for element in place.text]


def take_in(page: AppTest, folder: object, **fields: str) -> AppTest:
    """Fill in the form and send it."""
    page.text_input(key="import-folder").set_value(str(folder))
    page.selectbox(key="import-toolkit").set_value("joeynmt")
    for field, value in fields.items():
        page.text_input(key=f"import-{field}").set_value(value)
    page.button(key="import").click().run()
    assert not page.exception
    return page


def everything(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


# Cards


def test_a_card_tells_all_that_is_known(shelf, visit, translator):
    page = visit()
    assert page.title[0].value == "Which models are here?"
    count = sum(parameter.numel() for parameter in translator.model.parameters())
    assert texts(page.container(key="model-0")) == [
        "toy",
        f"en to de · {count:,} parameters · 2 + 3 layers · 4 and 2 heads · width 32 · post-norm · sinusoidal positions",
    ]
    assert not page.warning
    data = sent(page, "headscope_sheet")
    tables = {table["title"]: table for table in data["tables"]}
    assert tables["Parameters"]["rows"][0] == ["total", f"{count:,}", "100.0%"]
    made = dict(tables["Architecture"]["rows"])
    assert (made["vocabulary"], made["positions"]) == ("360 joint", "sinusoidal, interleaved")
    assert made["reads and writes"] == "text, cut by SentencePiece"
    assert tables["Origin"]["rows"] == [["licence", "not stated"], ["recipe", "toy"], ["steps", "80"]]
    assert tables["Scores"]["rows"] == [["toy", "–", "100", "–", "–", "–"]]
    assert [place["side"] for place in data["positions"]] == ["source", "target"]
    assert tables["Positions in training"]["rows"][0] == ["1", "5", "5"]


def test_use_this_changes_what_all_pages_show(shelf, visit, checkpoint):
    shutil.copytree(checkpoint, shelf / "zebra")
    page = visit(source=SENTENCE)
    assert (page.button(key="use-0").disabled, page.button(key="use-1").disabled) == (True, False)
    page.button(key="use-1").click().run()
    assert not page.exception
    assert page.session_state["view"].checkpoint == "zebra"
    assert page.selectbox(key="view-checkpoint").value == "zebra"
    assert page.button(key="use-1").disabled


def test_a_broken_checkpoint_says_so_and_the_others_stay(shelf, visit, checkpoint):
    weights = shutil.copytree(checkpoint, shelf / "cut") / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    (shutil.copytree(checkpoint, shelf / "empty") / "config.json").write_text("{}")
    shutil.rmtree(shutil.copytree(checkpoint, shelf / "mute") / "vocabulary")
    page = visit()
    said = [" ".join(texts(page.container(key=f"model-{number}"))) for number in range(4)]
    assert "model.safetensors is not a whole safetensors file" in said[0]
    assert "format None is unknown" in said[1]
    assert "vocabulary" in said[2]
    assert "parameters · 2 + 3 layers" in said[3]


def test_an_unknown_checkpoint_is_named_and_the_list_stays(shelf, visit):
    page = visit(checkpoint="none")
    assert "There is no checkpoint 'none' here" in page.container(key="problem").text[0].value
    assert page.button(key="use-0")


def test_names_are_text(shelf, visit, checkpoint):
    shutil.copytree(checkpoint, shelf / HOSTILE.replace("/", ""))
    page = visit()
    assert HOSTILE in texts(page.container(key="model-0"))
    marked = [*page.markdown, *page.header, *page.caption, *page.title]
    assert not any("alert" in element.value for element in marked)
    assert not any("alert" in button.label for button in page.button)


def test_a_presented_page_has_no_controls(shelf, visit):
    page = visit(present="1")
    assert not page.button
    assert not page.text_input
    assert texts(page)[0] == "toy"


# Import


def test_a_good_folder_becomes_a_checkpoint_at_once(shelf, visit, tmp_path):
    page = take_in(visit(), joey(tmp_path / "mine"))
    assert texts(page.container(key="imported")) == ["mine is ready."]
    found = dict(sent(page.container(key="imported"), "headscope_sheet")["tables"][0]["rows"])
    assert (found["toolkit"], found["languages"], found["licence"]) == ("JoeyNMT", "de to en", "not stated")
    assert page.selectbox(key="view-checkpoint").options == ["toy", "mine"]
    page.button(key="use-1").click().run()
    assert not page.exception
    assert page.session_state["view"].entry == "pieces"
    other = visit("head", checkpoint="mine")
    assert sent(other, "headscope_strip")["facts"][0]["text"] == "mine"


def test_unknown_languages_are_warned_of(shelf, visit, tmp_path):
    page = take_in(visit(), joey(tmp_path / "mine", data=UNNAMED))
    assert any("its languages are not known" in text for text in texts(page.container(key="imported")))
    assert "languages of this checkpoint are not known" in page.container(key="model-1").warning[0].value
    take_in(page, tmp_path / "mine", name="named", languages="de, en")
    assert not page.container(key="model-2").warning
    assert texts(page.container(key="model-2"))[1].startswith("de to en · ")


def test_what_a_file_says_is_text(shelf, visit, tmp_path):
    page = take_in(visit(), joey(tmp_path / "mine", name=HOSTILE))
    page.button(key="use-1").click().run()
    assert not any("alert" in element.value for element in [*page.markdown, *page.text])
    page.button(key="use-0").click().run()
    assert not page.exception


@pytest.mark.parametrize("name", ["../x", "a/b", "/x", ".hidden", "..", "a\\b", "a\nb", "-x", "x" * 101, HOSTILE])
def test_names_that_are_none(shelf, visit, tmp_path, name):
    folder = joey(tmp_path / "mine")
    before = everything(tmp_path)
    page = take_in(visit(), folder, name=name)
    assert "cannot name a checkpoint" in page.container(key="refused").text[0].value
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"languages": "en"}, "name two"),
        ({"languages": "en,de,fr"}, "name two"),
        ({"name": "toy"}, "'toy' here already"),
        ({"name": "thesis"}, "thesis is there already"),
    ],
)
def test_what_the_command_refuses_or_would_replace(shelf, visit, tmp_path, fields, message):
    (shelf / "thesis").mkdir()
    (shelf / "thesis" / "years.txt").touch()
    folder = joey(tmp_path / "mine")
    before = everything(tmp_path)
    page = take_in(visit(), folder, **fields)
    assert message in page.container(key="refused").text[0].value
    assert everything(tmp_path) == before
    assert page.selectbox(key="view-checkpoint").options == ["toy"]


def test_folders_that_hold_no_such_model(shelf, visit, tmp_path):
    folder = joey(tmp_path / "mine")
    weights = folder / "best.ckpt"
    weights.write_bytes(weights.read_bytes()[:-100])
    (tmp_path / "bare").mkdir()
    before = everything(tmp_path)
    page = visit()
    for place, message in (
        ("", "There is no folder ''"),
        (tmp_path / "none", "There is no folder"),
        (weights, "There is no folder"),
        ("a/model", "There is no folder 'a/model'"),
        (tmp_path / "bare", "not a model of this kind, or not complete"),
        (folder, "best.ckpt"),
    ):
        assert message in take_in(page, place).container(key="refused").text[0].value
    assert everything(tmp_path) == before


def test_a_folder_that_cannot_be_written(shelf, visit, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device", "model.safetensors")

    monkeypatch.setattr("headscope.model.checkpoint.save_file", full)
    page = take_in(visit(), joey(tmp_path / "mine"))
    assert "failed at model.safetensors: No space left on device" in page.container(key="refused").text[0].value
    assert [path.name for path in shelf.iterdir()] == ["toy"]


def test_nothing_is_imported_where_others_reach_the_server(shelf, visit, monkeypatch):
    monkeypatch.setattr(server, "listens_to_this_machine_alone", lambda: False)
    page = visit()
    assert not page.text_input
    assert any("can be reached from other machines" in text for text in texts(page))


def test_nothing_is_imported_where_no_folder_takes_it(shelf, visit, monkeypatch):
    monkeypatch.setenv(session.CHECKPOINTS, os.pathsep.join([str(shelf / "toy")]))
    page = visit()
    assert not page.text_input
    assert any("started with single checkpoints" in text for text in texts(page))


# Every page


VIEWS = sorted(page_files().keys() - {"ablations", "runs"})


@pytest.mark.parametrize("view", VIEWS)
def test_every_page_names_the_checkpoint_it_shows(shelf, visit, view):
    page = visit(view, source=SENTENCE, present="1")
    about_it = view not in ("gallery", "models", "training")
    strips = [sent(page, "headscope_strip")["facts"][0]["text"]] if about_it else []
    assert "toy" in [*strips, *texts(page.main)]
