"""Runs beside each other."""

import json
from pathlib import Path

from headscope.analysis.measures.run_comparison import compare_runs, run_table
from headscope.model.training.run_directory import RunDirectory
from headscope.model.training.runs import Run, find


def made(folder: Path, name: str, seed: int, losses: list[float]) -> Run:
    directory = RunDirectory(folder / name)
    with directory.held():
        recipe = {"seed": seed, "steps": 9, "model": {"preset": "tiny", "dropout": seed / 10}}
        about = {"recipe": recipe, "data": {"name": "x", "pairs": 7, "fingerprint": "f"}, "torch": "2"}
        directory.write_json(directory.about, about)
        for number, loss in enumerate(losses, 1):
            directory.add_row({"kind": "update", "step": number, "nll": 9.0, "tokens": 10 * number})
            directory.add_row({"kind": "validation", "step": number, "nll": loss, "bleu": float(number)})
        directory.set_status("stopped", step=len(losses), steps=9)
    return find(folder, name)


def test_what_differs_and_what_was_best(tmp_path: Path):
    table = compare_runs([made(tmp_path, "a", 1, [3.0, 2.0, 2.5]), made(tmp_path, "b", 2, [4.0])])
    assert table[["run", "state", "updates", "best_at", "dev_nll", "bleu", "tokens"]].values.tolist() == [
        ["a", "stopped", 3, 2, 2.0, 2.0, 30],
        ["b", "stopped", 1, 1, 4.0, 1.0, 10],
    ]
    assert table[["seed", "model.dropout"]].values.tolist() == [[1, 0.1], [2, 0.2]]
    assert "steps" not in table
    assert "model.preset" not in table


def test_a_run_without_rows_has_gaps(tmp_path: Path):
    table = compare_runs([made(tmp_path, "a", 1, [])])
    assert table["dev_nll"].isna().all()
    assert run_table(find(tmp_path, "a")).empty


def test_of_rows_of_one_update_the_last_counts(tmp_path: Path):
    run = made(tmp_path, "a", 1, [3.0])
    RunDirectory(run.path).add_row({"kind": "validation", "step": 1, "nll": 2.0})
    with (run.path / "metrics.jsonl").open("a") as file:
        file.write(json.dumps({"kind": "validation", "step": 2})[:10])
    table = run_table(run)
    assert table[["kind", "step", "nll"]].values.tolist() == [["update", 1, 9.0], ["validation", 1, 2.0]]
