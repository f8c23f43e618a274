"""Recipes that ship are sound, and mistakes are told with key, value and what is allowed."""

from pathlib import Path

import pytest

from headscope.model.config import PRESETS
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer
from headscope.model.training.recipe import NAMES, change_fields, explained, load_recipe, parse_recipe, recipe_toml
from headscope.model.training.schedule import InverseSquareRoot, Noam


@pytest.mark.parametrize("name", NAMES)
def test_what_ships_is_sound(name: str):
    recipe = load_recipe(name)
    assert recipe.batch_tokens // recipe.accumulate >= recipe.max_pieces


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_has_a_recipe(name: str):
    assert load_recipe(name).model["preset"] == name


def test_base_is_the_papers():
    recipe = load_recipe("base")
    assert isinstance(recipe.schedule, Noam)
    assert (recipe.schedule.warmup, recipe.steps, recipe.label_smoothing, recipe.clip) == (4000, 100_000, 0.1, 0)
    import torch

    with torch.device("meta"):
        model = Transformer(recipe.model_for(37_000))
    assert sum(p.numel() for p in model.parameters()) == 63_082_496


def test_set_changes_single_values():
    changes = ["steps=6", "model.dropout=0.2", "precision=fp32", "schedule.warmup=10", "model.positions=learned"]
    recipe = load_recipe("small", changes)
    assert recipe.steps == 6
    assert recipe.precision == "fp32"
    assert recipe.schedule.warmup == 10
    config = recipe.model_for(500)
    assert (config.dropout, config.positions, config.target_vocabulary) == (0.2, "learned", 500)


def test_a_file_is_read(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text('steps = 3\n[model]\npreset = "tiny"\n[schedule]\nkind = "inverse-square-root"\npeak = 1e-3\n')
    recipe = load_recipe(str(file))
    assert recipe.schedule == InverseSquareRoot(kind="inverse-square-root", peak=1e-3)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ("step=6", ["'step'", "steps"]),
        ("model.droput=1", ["'droput'", "dropout"]),
        ("schedule.warmpu=3", ["'warmpu'", "warmup"]),
        ("model.dropout=2", ["dropout = 2", "less than 1"]),
        ("model.preset=huge", ["'huge'", "tiny, small, base, big"]),
        ("model.source_vocabulary=9", ["'source_vocabulary'", "preset"]),
        ("precision=fp8", ["precision = 'fp8'", "'fp32' or 'bf16'"]),
        ("schedule.kind=cosine", ["'cosine'", "noam, inverse-square-root"]),
        ("schedule.kind=inverse-square-root", ["schedule.peak", "missing"]),
        ("steps=many", ["steps = 'many'", "integer"]),
        ("clip=-1", ["clip = -1", "greater than or equal to 0"]),
        ("vocabulary=32", ["vocabulary = 32", "300"]),
        ("schedule=noam", ["schedule = 'noam'", "dictionary"]),
        ("steps", ["steps: write", "key=value"]),
        ("steps.first=1", ["steps.first=1", "single value"]),
    ],
)
def test_mistakes_name_key_value_and_what_is_allowed(change: str, parts: list[str]):
    with pytest.raises(HeadscopeError) as raised:
        load_recipe("small", [change])
    for part in parts:
        assert part in str(raised.value)
    assert "\n" not in str(raised.value)


def test_what_is_no_recipe(tmp_path: Path):
    with pytest.raises(HeadscopeError, match=r"no recipe 'smal': choose one of base, big, .*small, tiny"):
        load_recipe("smal")
    with pytest.raises(HeadscopeError, match=r"none\.toml cannot be read"):
        load_recipe(str(tmp_path / "none.toml"))
    broken = tmp_path / "broken.toml"
    broken.write_text("steps = = 3")
    with pytest.raises(HeadscopeError, match=r"broken\.toml is not TOML"):
        load_recipe(str(broken))
    with pytest.raises(HeadscopeError, match="'model' is missing"):
        parse_recipe({"steps": 3})


@pytest.mark.parametrize("name", NAMES)
def test_a_recipe_is_read_as_it_was_written(name: str, tmp_path: Path):
    changes = [
        "model.encoder={layers=2, heads=4, feed_forward=8}",
        "clip=1e-3",
        "model.positions=alibi",
        "compile=true",
    ]
    recipe = load_recipe(name, changes)
    (tmp_path / "again.toml").write_text(recipe_toml(recipe), "utf-8")
    assert load_recipe(str(tmp_path / "again.toml")) == recipe


def test_changes_leave_what_they_change_alone():
    fields = {"model": {"preset": "tiny"}, "steps": 3}
    assert change_fields(fields, ["model.dropout=0.2"])["model"] == {"preset": "tiny", "dropout": 0.2}
    assert fields == {"model": {"preset": "tiny"}, "steps": 3}


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_explained_and_can_be_given_as_a_change(name: str):
    recipe = load_recipe(name)
    rows = explained(recipe)
    assert all(what for _, _, what in rows)
    assert load_recipe(name, [f"{key}={value}" for key, value, _ in rows]) == recipe
