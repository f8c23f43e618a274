import json

import pytest

from headscope.analysis.experiments import ablation
from headscope.analysis.experiments.ablation import ABLATIONS, PARTS, run_ablation
from headscope.analysis.experiments.grids import AblationBudget, AblationJob, ablation_jobs
from headscope.analysis.experiments.runner import RESULTS
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.training.run_directory import read_status
from headscope.model.translator import load_translator
from tests.analysis.experiments.toys import BUDGET, toy_data
from tests.toys import brief

JOBS = ablation_jobs("key-size", 1)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return toy_data(tmp_path_factory.mktemp("ablation") / "data")


@pytest.fixture(autouse=True)
def brief_translations(monkeypatch):
    """Models that have learned nothing translate until they are stopped: soon."""
    monkeypatch.setattr(ablation, "load_translator", lambda *where: brief(load_translator(*where)))


def run(data, out, jobs=JOBS, budget=BUDGET, **options):
    return run_ablation(data, out, jobs, budget, device="cpu", **options)


def test_results_of_all_jobs_and_none_made_again(data, tmp_path):
    done = []
    worked = run(data, tmp_path, done=done.append)
    assert (worked.finished, worked.failed, done) == (True, {}, list(JOBS))
    base, narrow, _ = (ABLATIONS.load(tmp_path / RESULTS, JOBS)[job] for job in JOBS)
    assert (base.row, base.seed, base.updates) == ("base", 1, BUDGET.updates)
    assert tuple(score.part for score in base.scores) == PARTS
    assert base.tokens == narrow.tokens
    # Of 4 heads in 12 attentions, queries and keys lose 24 dimensions each: weights and biases.
    assert base.parameters - narrow.parameters == 12 * 2 * 4 * 24 * (128 + 1)
    assert 0 < narrow.flops < base.flops
    assert base.dev_nll > 0
    assert base.score("test").sentences == 6
    assert 0 <= base.score("test").cut_off <= 6
    assert base.data["fingerprint"] == narrow.data["fingerprint"]
    assert narrow.recipe["model"]["key_size"] == 8
    # Results from elsewhere count, and all grids share the base.
    elsewhere = tmp_path / "elsewhere" / RESULTS
    elsewhere.mkdir(parents=True)
    (elsewhere / "base-seed1.json").write_bytes((tmp_path / RESULTS / "base-seed1.json").read_bytes())
    run(data, elsewhere.parent, [AblationJob("base", 1)], done=lambda job: pytest.fail(job.name))
    with pytest.raises(HeadscopeError, match=r"base-seed1.json was made with steps = 4, not 8: .* another --out"):
        run(data, tmp_path, budget=AblationBudget(updates=8, changes=BUDGET.changes))


def test_a_training_that_was_stopped_goes_on(data, tmp_path):
    class Stop:
        def update(self, done, total):
            if (done, total) == (3, BUDGET.updates):
                raise Cancelled

    job = AblationJob("cross-uniform", 1)
    assert not run(data, tmp_path, [job], progress=Stop()).finished
    assert (read_status(tmp_path / job.name).state, read_status(tmp_path / job.name).step) == ("stopped", 3)
    assert run(data, tmp_path, [job]).finished
    assert run(data, tmp_path / "straight", [job]).finished
    gone_on, straight = (ABLATIONS.load(out / RESULTS, [job])[job] for out in (tmp_path, tmp_path / "straight"))
    assert gone_on.weights == straight.weights
    assert gone_on.dev_nll == straight.dev_nll


def test_a_job_that_fails_does_not_end_the_others(data, tmp_path, monkeypatch):
    train = ablation.train

    def diverges(recipe, *arguments, **options):
        if "key_size" in recipe.model and recipe.model["key_size"] == 8:
            raise HeadscopeError("update 3: the training has diverged")
        return train(recipe, *arguments, **options)

    monkeypatch.setattr(ablation, "train", diverges)
    worked = run(data, tmp_path)
    assert worked.finished
    assert worked.failed == {"key-8-seed1": "update 3: the training has diverged"}
    assert sorted(file.stem for file in (tmp_path / RESULTS).iterdir()) == ["base-seed1", "key-16-seed1"]


def test_a_damaged_result_is_said_before_anything_is_trained(data, tmp_path):
    file = tmp_path / RESULTS / "base-seed1.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"format": 1, "row": "base"}), "utf-8")
    with pytest.raises(HeadscopeError, match="make it again with `headscope ablate`"):
        run(data, tmp_path)
