"""torch.compile as a choice of the recipe: the same loss, and a run that begins to use it says so."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headscope.model.data.prepared import PreparedData
from headscope.model.training.observer import TrainingObserver
from headscope.model.training.recipe import Recipe
from headscope.model.training.step import Objective
from headscope.model.training.trainer import train
from tests.model.training.runs import StopAt

ROOT = Path(__file__).parents[3]
COMPILED = """
import torch
from headscope.model.data.batching import make_batch
from headscope.model.training.step import Objective
from tests.model.training.test_step import corpus
from tests.toys import tiny_model
stack = {"layers": 1, "heads": 2, "feed_forward": 16}
objective = Objective(tiny_model(encoder=stack, decoder=stack), smoothing=0.1).eval()
batch = make_batch(corpus(), range(8))
with torch.inference_mode():
    plain = objective(batch).smoothed.item()
    objective.compile(dynamic=True)
    print(plain, objective(batch).smoothed.item())
"""


@pytest.mark.skipif(not shutil.which(os.environ.get("CXX", "g++")), reason="torch.compile needs a C++ compiler")
def test_a_compiled_objective_is_the_same():
    # In a process of its own: the checks of types that tests put around functions cannot be compiled.
    ended = subprocess.run([sys.executable, "-c", COMPILED], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    plain, compiled = map(float, ended.stdout.split())
    assert compiled == pytest.approx(plain, rel=1e-5)


def test_a_run_may_begin_to_compile_and_says_that_it_is_not_exact(
    toy: Callable[..., Recipe], copying: PreparedData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    calls: list[dict[str, bool]] = []
    notes: list[str] = []

    class Notes(TrainingObserver):
        def on_note(self, text: str) -> None:
            notes.append(text)

    monkeypatch.setattr(Objective, "compile", lambda self, **options: calls.append(options))
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    assert not calls
    train(toy(compile=True), copying, tmp_path / "run", device="cpu", observers=[Notes()])
    assert calls == [{"dynamic": True}]
    assert notes == ["compile is True, it was False: the run goes on, but not bit by bit as it would have"]
