import math

import pytest

from headscope.analysis.experiments.grids import (
    BASE,
    BIG,
    GRIDS,
    LEARNED,
    ROWS,
    AblationBudget,
    AblationJob,
    ablation_jobs,
    grid,
)
from headscope.model.config import ModelConfig
from headscope.model.errors import HeadscopeError

BUDGET = AblationBudget()


def config(row: str, budget: AblationBudget = BUDGET) -> ModelConfig:
    return AblationJob(row, 1).recipe(budget).model_for(500)


def test_the_grids_asked_for_are_there_and_no_two_rows_share_a_name():
    assert list(GRIDS) == [
        *("heads", "key-size", "depth", "width", "dropout", "label-smoothing", "positions", "attention")
    ]
    assert len(ROWS) == 1 + sum(len(each.rows) for each in GRIDS.values())
    with pytest.raises(HeadscopeError, match="no grid 'hats': choose one of heads, key-size"):
        grid("hats")


@pytest.mark.parametrize("row", [name for name in ROWS if name != BASE])
def test_a_row_differs_from_the_base_in_its_changes_alone(row):
    base, changed = (AblationJob(name, 1).recipe(BUDGET).model_dump() for name in (BASE, row))
    model = config(BASE).model_dump(), config(row).model_dump()
    assert changed.pop("model") != base.pop("model") or changed != base
    tops = {key.split(".")[0] for key in ROWS[row].changes}
    assert {key for key in base if base[key] != changed[key]} == tops - {"model"}
    fields = {key.split(".")[1] for key in ROWS[row].changes if key.startswith("model.")}
    assert {key for key in model[0] if model[0][key] != model[1][key]} == fields


def test_what_some_rows_are():
    assert (config("heads-16").encoder.heads, config("heads-16").key_width(16)) == (16, 8)
    assert config("heads-1").key_width(1) == 128
    assert config("key-8").key_width(4) == 8
    assert config("key-8").value_width(4) == 32
    assert (config("layers-6").encoder.layers, config("layers-6").encoder.feed_forward) == (6, 256)
    assert (config("big").d_model, config("big").encoder.heads, config("big").dropout) == (256, 8, 0.3)
    assert AblationJob("smoothing-0", 1).recipe(BUDGET).label_smoothing == 0
    attention = config("self-positional").attention
    assert (attention.encoder.offsets, attention.decoder.offsets) == ((-1, 0, 1), (-1, 0))
    assert attention.cross.plain
    assert not config("no-causal-mask").attention.causal
    assert "a cheat" in ROWS["no-causal-mask"].warning
    assert {config("additive").attention.of(kind).score for kind in ("encoder", "decoder", "cross")} == {"additive"}


def test_the_papers_differences():
    assert ROWS["positions-learned"].paper is LEARNED
    assert (round(LEARNED.bleu_difference, 9), LEARNED.nats) == (-0.1, 0.0)
    assert round(BIG.bleu_difference, 9) == 0.6
    assert BIG.nats == pytest.approx(math.log(4.33 / 4.92))
    assert {row.name: round(row.paper.bleu_difference, 9) for row in GRIDS["heads"].rows if row.paper} == {
        "heads-1": -0.9,
        "heads-2": -0.3,
        "heads-8": 0.0,
        "heads-16": -0.4,
    }


def test_all_trainings_have_the_same_budget_and_peak():
    recipes = [AblationJob(row, 2).recipe(AblationBudget(updates=600, threads=2)) for row in ROWS]
    assert {(r.steps, r.batch_tokens, r.seed, r.threads, r.patience, r.dev_lines) for r in recipes} == {
        (600, 4096, 2, 2, 0, 0)
    }
    schedule, whole = recipes[0].schedule, AblationJob(BASE, 1).recipe(AblationBudget(updates=20_000)).schedule
    assert (schedule.warmup, whole.warmup) == (150, 2000)
    assert schedule.kind == whole.kind == "noam"
    assert schedule.factor * 150**-0.5 == pytest.approx(whole.factor * 2000**-0.5)


def test_every_beginning_of_the_list_is_of_use():
    jobs = ablation_jobs("key-size", 2)
    assert [job.name for job in jobs] == [
        *("base-seed1", "key-8-seed1", "key-16-seed1", "base-seed2", "key-8-seed2", "key-16-seed2")
    ]


def test_another_base_recipe():
    job = AblationJob("heads-2", 1)
    recipe = job.recipe(AblationBudget(recipe="multi30k-tiny", updates=100, changes=("batch_tokens=512",)))
    assert (recipe.batch_tokens, recipe.model["dropout"], recipe.schedule.warmup) == (512, 0.3, 25)
    assert recipe.model_for(500).encoder.heads == 2
    with pytest.raises(HeadscopeError, match="size tiny, which the recipe small is not"):
        job.recipe(AblationBudget(recipe="small"))
