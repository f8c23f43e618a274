"""Runs for tests of pages and the workbench: one that was really trained, and texts to start others on."""

import json
from pathlib import Path

from headscope.model.data.prepared import PreparedData
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.turns import Request
from tests.training_toys import toy_fields, write_copying

CHANGES = """
model.d_model=16
model.encoder={layers=1,heads=2,feed_forward=16}
model.decoder={layers=1,heads=2,feed_forward=16}
threads=1
log_every=1
dev_lines=3
precision=fp32
"""


def write_text(folder: Path, name: str = "copying") -> PreparedData:
    """A prepared text in a folder of them."""
    return write_copying(folder / name, train=120, dev=8, longest=6)


def write_run(
    folder: Path, name: str, state: str, *, message: str = "", steps: int = 60, rows: int = 30
) -> RunDirectory:
    """A run that nobody holds, as a trainer leaves it, with some rows."""
    directory = RunDirectory(folder / name)
    with directory.held():
        directory.write_json(directory.path / "request.json", {"data": str(folder / "text"), "device": "cpu"})
        data = {"name": "copying", "languages": ["source", "target"], "pairs": 120, "fingerprint": "f"}
        directory.write_json(directory.about, {"recipe": toy_fields(), "data": data, "device": "cpu", "threads": 1})
        for step in range(1, rows + 1):
            norms = {"gradient_norm": 1.0, "gradient_peak": 9.0 if step == 25 else 1.1, "gradient_peak_step": step}
            figures = {"nll": 3 - step / 30, "learning_rate": 1e-3, "tokens_per_second": 50.0, "padding": 0.1}
            directory.add_row({"kind": "update", "step": step, "time": float(step), "memory": 2**30} | figures | norms)
        for step in range(10, rows + 1, 10):
            directory.add_row({"kind": "validation", "step": step, "nll": 2.0, "bleu": float(step), "chrf": 20.0})
            directory.add_samples(step, [("<b>ab</b>", "ab"), ("cd", "cd")], [f"*x* {step}", f"y {step}"])
        directory.set_status(state, message=message, step=rows, steps=steps)  # type: ignore[arg-type]
    return directory


def status(run: Path) -> dict:
    """What a run says of itself."""
    return json.loads((run / "status.json").read_text())


__all__ = ["CHANGES", "Request", "status", "write_run", "write_text"]
