import json
from dataclasses import replace
from functools import partial

import pytest

from headscope.analysis.experiments.runner import RESULTS
from headscope.analysis.positions import experiment
from headscope.analysis.positions.experiment import load_results, run_experiment, short_development
from headscope.analysis.positions.jobs import CAP, Budget, Job, job_list
from headscope.analysis.positions.length import BINS, length_study
from headscope.model.data.prepared import load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.text.sentencepiece_vocabulary import train_sentencepiece
from headscope.model.training.run_directory import read_status
from headscope.model.translator import load_translator
from tests.toys import brief
from tests.training_toys import write_copying

BUDGET = Budget(updates=4, batch_tokens=64, warmup=4, validate_every=2)
JOBS = job_list(1, ["none"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("experiment") / "data"
    prepared = write_copying(folder, train=60, dev=12, longest=12)
    texts = [text for pair in prepared.read("train").pairs for text in pair]
    train_sentencepiece(texts, 300).save(folder / "vocabulary")
    for side in ("source", "target"):
        (folder / f"test.{side}").write_bytes((folder / f"dev.{side}").read_bytes())
    return load_prepared(folder)


@pytest.fixture(autouse=True)
def brief_study(monkeypatch):
    """Models that have learned nothing translate until they are stopped: soon, and of the first lengths."""
    monkeypatch.setattr(experiment, "load_translator", lambda *where: brief(load_translator(*where)))
    monkeypatch.setattr(experiment, "length_study", partial(length_study, bins=BINS[:3], offsets=(0, 8)))


def run(data, out, jobs=JOBS, **options):
    return run_experiment(data, out, jobs, budget=BUDGET, most=2, device="cpu", **options)


def test_results_of_all_jobs_and_none_made_again(data, tmp_path):
    done = []
    assert run(data, tmp_path, done=done.append)
    assert done == list(JOBS)
    results = load_results(tmp_path, JOBS)
    assert list(results) == list(JOBS)
    capped, control = results[JOBS[0]], results[JOBS[2]]
    assert (capped.positions, capped.cap, capped.seed) == ("sinusoidal", CAP, 1)
    assert capped.pairs < control.pairs
    assert capped.recipe["max_pieces"] == CAP
    assert capped.validations[-1].update == 4
    assert capped.weights == capped.study.weights != control.weights
    assert capped.data["fingerprint"] == results[JOBS[1]].data["fingerprint"] != control.data["fingerprint"]
    assert set(capped.versions) == {"headscope", "torch", "python", "device"}

    # Results from elsewhere count: the trainings are not needed any more.
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / RESULTS).mkdir(parents=True)
    for job in JOBS:
        name = f"{job.name}.json"
        (elsewhere / RESULTS / name).write_bytes((tmp_path / RESULTS / name).read_bytes())
    assert run(data, elsewhere, done=lambda job: pytest.fail(job.name))
    assert load_results(elsewhere, JOBS) == results
    assert not (elsewhere / JOBS[0].name).exists()


def test_a_training_that_was_stopped_goes_on(data, tmp_path):
    class Stop:
        def update(self, done, total):
            if (done, total) == (3, BUDGET.updates):
                raise Cancelled

    job = JOBS[:1]
    assert not run(data, tmp_path, job, progress=Stop())
    assert (read_status(tmp_path / job[0].name).state, read_status(tmp_path / job[0].name).step) == ("stopped", 3)
    assert load_results(tmp_path, job) == {}
    assert run(data, tmp_path, job)
    straight = tmp_path / "straight"
    assert run(data, straight, job)
    assert load_results(tmp_path, job)[job[0]].study == load_results(straight, job)[job[0]].study


def test_weights_are_chosen_on_short_lines(data, tmp_path):
    vocabulary_data = short_development(data, tmp_path)
    kept, all_of_them = vocabulary_data.read("dev").pairs, data.read("dev").pairs
    assert 0 < len(kept) < len(all_of_them)
    assert max(len(source.split()) for source, _ in kept) < CAP


def test_what_is_wrong_is_said_before_anything_is_trained(data, tmp_path):
    bare = load_prepared(write_copying(tmp_path / "bare", train=9, dev=3, longest=3).folder)
    with pytest.raises(HeadscopeError, match="has no vocabulary: put that of a checkpoint there"):
        run(bare, tmp_path / "out")
    with pytest.raises(HeadscopeError, match="has no part 'elsewhere'"):
        run(data, tmp_path / "out", part="elsewhere")
    long = replace(data, parts={**data.parts, "dev": data.parts["train"]})
    assert short_development(long, tmp_path / "out").read("dev").pairs
    damaged = tmp_path / RESULTS / f"{Job('none', CAP, 1).name}.json"
    damaged.parent.mkdir(parents=True)
    damaged.write_text(json.dumps({"format": 1, "name": "x"}), "utf-8")
    with pytest.raises(HeadscopeError, match="make it again with `headscope positions experiment`"):
        load_results(tmp_path, [Job("none", CAP, 1)])
