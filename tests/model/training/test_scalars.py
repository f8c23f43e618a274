"""TensorBoard gets the figures of `metrics.jsonl`, each once, also when a run goes on."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import read_metrics
from headscope.model.training.scalars import ScalarWriter
from headscope.model.training.trainer import train
from tests.model.training.runs import StopAt


def test_the_figures_are_those_of_the_run(toy: Callable[..., Recipe], copying: PreparedData, tmp_path: Path):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    run, folder = tmp_path / "run", tmp_path / "tensorboard"
    recipe = toy(dev_lines=2)
    train(recipe, copying, run, device="cpu", progress=StopAt(3, 6), observers=[ScalarWriter(folder)])
    train(recipe, copying, run, device="cpu", observers=[ScalarWriter(folder)])
    found = accumulator.EventAccumulator(str(folder)).Reload()
    for kind in ("update", "validation"):
        rows = [row for row in read_metrics(run) if row["kind"] == kind]
        for name in rows[0].keys() - {"kind", "step", "time"}:
            scalars = found.Scalars(f"{kind}/{name}")
            assert [scalar.step for scalar in scalars] == [row["step"] for row in rows]
            assert [scalar.value for scalar in scalars] == pytest.approx([float(row[name]) for row in rows], rel=1e-6)


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(HeadscopeError, match=r"pip install 'headscope\[tensorboard\]'"):
        ScalarWriter(tmp_path)
