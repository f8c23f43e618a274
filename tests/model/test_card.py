import json
from pathlib import Path

import pytest

from headscope.model.card import FIRST, available, language_pair, read_card, resolve
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from tests.toys import tiny_config

CONFIG = {"format": 1, "languages": ["en", "de"], "model": tiny_config().model_dump()}


def write(folder: Path, config: object = CONFIG, **records: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {"config": config, **records}.items():
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder


def problem(folder: Path) -> str:
    with pytest.raises(HeadscopeError) as caught:
        read_card(folder)
    message = str(caught.value)
    assert "\n" not in message
    assert str(folder) in message
    return message


def test_card_of_a_checkpoint(tmp_path):
    folder = write(
        tmp_path / "toy",
        training={"steps": 5},
        scores={"test": {"bleu": 1.5}},
        positions={"source": [9, 9, 4], "target": [9, 2]},
    )
    card = read_card(folder)
    assert (card.path, card.name, card.languages, card.config) == (folder, "toy", ("en", "de"), tiny_config())
    assert (card.training, card.scores) == ({"steps": 5}, {"test": {"bleu": 1.5}})
    assert card.positions == {"source": (9, 9, 4), "target": (9, 2)}
    assert (card.trained_length("source"), card.trained_length("target")) == (3, 2)


def test_records_are_optional(tmp_path):
    card = read_card(write(tmp_path))
    assert (card.training, card.scores, card.positions) == ({}, {}, {})
    assert card.trained_length("source") is None


def test_folders_that_name_no_architecture_are_transformers(tmp_path):
    named = read_card(write(tmp_path / "new", CONFIG | {"architecture": "transformer"}))
    assert named.config == read_card(write(tmp_path / "old")).config
    assert type(named.config) is ModelConfig


def test_search_settings_of_a_card(tmp_path):
    assert read_card(write(tmp_path / "a")).search == SearchSettings()
    card = read_card(write(tmp_path / "b", CONFIG | {"search": {"beam": 6, "alpha": 1, "kind": "power"}}))
    assert card.search == SearchSettings(beam=6, penalty=LengthPenalty(1.0, "power"))


def test_name_of_a_folder_given_as_a_dot(tmp_path, monkeypatch):
    monkeypatch.chdir(write(tmp_path / "toy"))
    assert read_card(Path()).name == "toy"


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (CONFIG | {"format": 2}, ["config.json", "format 2", "1 is expected"]),
        ({key: CONFIG[key] for key in ("languages", "model")}, ["format None"]),
        (CONFIG | {"languages": "en-de"}, ["languages", "'en-de'", "two language codes"]),
        (CONFIG | {"languages": ["en"]}, ["languages", "['en']"]),
        (CONFIG | {"languages": ["en", 5]}, ["languages", "5"]),
        (CONFIG | {"model": None}, ["'model'"]),
        (CONFIG | {"model": CONFIG["model"] | {"d_model": 0}}, ["config.json", "d_model = 0"]),
        (CONFIG | {"model": CONFIG["model"] | {"depth": 6}}, ["config.json", "no key 'depth'"]),
        (CONFIG | {"architecture": "rnn"}, ["config.json", "architecture = 'rnn'", "knows transformer"]),
        (CONFIG | {"search": {"beam": 0}}, ["config.json", "beam = 0"]),
        (CONFIG | {"search": {"kind": "other"}}, ["config.json", "kind = 'other'", "gnmt"]),
        (CONFIG | {"search": {"width": 4}}, ["config.json", "no key 'width'"]),
        (CONFIG | {"search": [4]}, ["config.json", "search settings"]),
        ([1, 2], ["config.json", "list", "not an object"]),
        ('{"format": 1,', ["config.json", "not JSON"]),
        ("", ["config.json", "not JSON"]),
        ("[" * 100_000, ["config.json", "not JSON"]),
    ],
)
def test_bad_configuration(tmp_path, config, words):
    message = problem(write(tmp_path, config))
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    "positions",
    [{"source": 5}, {"source": ["many"]}, {"middle": [1]}, {"target": None}, [3], "{"],
    ids=str,
)
def test_bad_position_counts(tmp_path, positions):
    assert "positions.json" in problem(write(tmp_path, positions=positions))


@pytest.mark.parametrize("name", ["training", "scores"])
def test_bad_records(tmp_path, name):
    assert f"{name}.json is not JSON" in problem(write(tmp_path, **{name: "oops"}))


def test_checkpoints_by_name(tmp_path):
    assert available(tmp_path / "nowhere") == []
    write(tmp_path / "b")
    write(tmp_path / "a")
    (tmp_path / "empty").mkdir()
    assert available(tmp_path) == ["a", "b"]
    write(tmp_path / FIRST)
    assert available(tmp_path) == [FIRST, "a", "b"]
    assert resolve("a", tmp_path) == tmp_path / "a"
    assert resolve(tmp_path / "b", tmp_path / "nowhere") == tmp_path / "b"


def test_folder_comes_before_name(tmp_path, monkeypatch):
    write(tmp_path / "shipped" / "toy")
    write(tmp_path / "here" / "toy")
    monkeypatch.chdir(tmp_path / "here")
    assert resolve("toy", tmp_path / "shipped") == Path("toy")


def test_checkpoint_that_is_not_there(tmp_path):
    write(tmp_path / "a")
    with pytest.raises(HeadscopeError, match=r"no checkpoint 'b': .* a name \(a\)"):
        resolve("b", tmp_path)
    with pytest.raises(HeadscopeError, match=r"no checkpoint 'b': .* \(none\)"):
        resolve("b", tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(HeadscopeError, match=r"empty' is a folder without config\.json"):
        resolve(tmp_path / "empty")


def test_languages():
    assert language_pair(None) is None
    assert language_pair("en, de") == ("en", "de")
    for wrong in ("en", "en,de,fr", "en,"):
        with pytest.raises(HeadscopeError, match="languages '"):
            language_pair(wrong)
