"""Models by name."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.interop import hub


class Hub(SimpleNamespace):
    """Stands for the package huggingface_hub."""

    errors = SimpleNamespace(HfHubHTTPError=ConnectionError, HFValidationError=ValueError)


@pytest.fixture
def asked(monkeypatch, tmp_path):
    """What the hub is asked for; it has a model whose weights are in pytorch_model.bin."""
    calls: list[tuple[str, list[str]]] = []
    (tmp_path / "snapshot").mkdir()

    def download(name: str, *, allow_patterns: list[str]) -> str:
        calls.append((name, allow_patterns))
        if name == "nobody/nothing":
            raise ConnectionError
        if "pytorch_model.bin" in allow_patterns and name != "somebody/empty":
            (tmp_path / "snapshot" / "pytorch_model.bin").touch()
        return str(tmp_path / "snapshot")

    monkeypatch.setattr(hub.importlib, "import_module", lambda name: Hub(snapshot_download=download))
    return calls


def test_a_folder_is_never_looked_for_on_the_hub(asked, marian: Path):
    assert hub.locate(str(marian)) == marian
    assert asked == []


def test_weights_in_a_pickle_are_fetched_only_where_there_are_no_others(asked, tmp_path):
    assert hub.locate("Helsinki-NLP/opus-mt-en-de") == tmp_path / "snapshot"
    assert [("pytorch_model.bin" in patterns) for _, patterns in asked] == [False, True]


@pytest.mark.parametrize(
    "name", ["../x", "/etc/x", "x", "a/b/c", "a/../b", ".a/b", "a/.b", "-a/b", "a b/c", "https://x/y"]
)
def test_names_that_are_none(asked, name):
    with pytest.raises(HeadscopeError, match="there is no folder"):
        hub.locate(name)
    assert asked == []


def test_the_hub_does_not_answer(asked):
    with pytest.raises(HeadscopeError, match=r"does not give it \(ConnectionError\): fetch its files elsewhere"):
        hub.locate("nobody/nothing")
    with pytest.raises(HeadscopeError, match="has no weights in one file"):
        hub.locate("somebody/empty")


def test_the_package_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(HeadscopeError, match=r"pip install 'headscope\[import\]'"):
        hub.locate("Helsinki-NLP/opus-mt-en-de")
