"""Models of other toolkits, taken in while the server runs."""

import pytest

from headscope.app.workbench.importing import found, notes, read, take_in
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError
from tests.model.interop.test_joeynmt_import import config as joey_config
from tests.model.interop.test_joeynmt_import import write as write_joey
from tests.model.interop.test_marian_npz_import import write as write_npz
from tests.model.interop.toys import small_marian
from tests.toys import tiny_model

UNNAMED = {"src": {"voc_min_freq": 1}, "trg": {}, "special_symbols": {"pad_id": 1}}


@pytest.fixture
def joey(tmp_path):
    """Writes a model of JoeyNMT."""

    def make(**changes):
        write_joey(tmp_path / "mine", tiny_model(norm="pre", norm_epsilon=1e-6), joey_config() | changes)
        return tmp_path / "mine"

    return make


@pytest.fixture
def shelf(tmp_path):
    (tmp_path / "shelf").mkdir()
    return tmp_path / "shelf"


@pytest.fixture
def bench(checkpoint):
    return Workbench({"toy": checkpoint})


def test_marian_is_read_from_its_own_files_and_from_those_of_hugging_face(tmp_path):
    write_npz(tmp_path / "own")
    small_marian(tmp_path / "face")
    assert read("marian", tmp_path / "own", None).origin["toolkit"] == "Marian"
    assert read("marian", tmp_path / "face", ("en", "de")).origin["toolkit"] == "Marian (Hugging Face)"


def test_what_is_found_of_a_model(joey):
    imported = read("joeynmt", joey(), None)
    rows = found(imported)
    count = sum(parameter.numel() for parameter in tiny_model(norm="pre").parameters())
    assert (rows["model"], rows["languages"], rows["licence"]) == ("toy", "de to en", "not stated")
    assert (rows["parameters"], rows["encoder"]) == (f"{count:,}", "2 layers, 4 heads, feed-forward 24")
    assert not any("languages" in note for note in notes(imported))


def test_unknown_languages_are_said(joey):
    imported = read("joeynmt", joey(data=UNNAMED), None)
    assert found(imported)["languages"] == "not known"
    assert notes(imported)[-1] == "its languages are not known: import it again with its languages, as en,de"


def test_a_model_is_there_once_it_is_taken_in(bench, shelf, joey):
    report = take_in(bench, shelf, "joeynmt", f" {joey()} ", languages=" en , de ", name=" new.1 ")
    assert (report.checkpoint, report.found["languages"]) == ("new.1", "en to de")
    assert bench.names == ["toy", "new.1"]
    assert bench.card("new.1").languages == ("en", "de")
    assert take_in(bench, shelf, "joeynmt", str(joey())).checkpoint == "mine"


def test_what_is_there_is_never_replaced(bench, shelf, joey):
    (shelf / "mine").symlink_to(shelf / "nothing")
    with pytest.raises(HeadscopeError, match="is there already: choose another name"):
        take_in(bench, shelf, "joeynmt", str(joey()))
    assert [path.name for path in shelf.iterdir()] == ["mine"]
    assert bench.names == ["toy"]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"folder": " "}, "there is no folder ''"),
        ({"folder": "x" * 5000}, "File name too long"),
        ({"name": "../x"}, "cannot name"),
        ({"languages": "en"}, "name two"),
    ],
)
def test_refusals(bench, shelf, joey, fields, message):
    with pytest.raises(HeadscopeError, match=message):
        take_in(bench, shelf, "joeynmt", **{"folder": str(joey())} | fields)
    assert list(shelf.iterdir()) == []


def test_no_message_tells_where_the_server_keeps_checkpoints(bench, shelf, joey, monkeypatch):
    def full(path, **options):
        raise OSError(28, "No space left on device", str(path))

    (shelf / "mine").mkdir()
    with pytest.raises(HeadscopeError, match=r"^the folder mine is there already: choose another name$"):
        take_in(bench, shelf, "joeynmt", str(joey()))
    monkeypatch.setattr("headscope.model.files.tempfile.mkdtemp", lambda dir, **options: full(dir / "new"))
    with pytest.raises(HeadscopeError, match=r"^reading or writing failed at …/shelf/other: No space left on device$"):
        take_in(bench, shelf, "joeynmt", str(joey()), name="other")
