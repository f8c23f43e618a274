"""Runs beside each other as a table: what differs between their recipes, and what came of them. No torch."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from headscope.model.training.run_directory import read_metrics
from headscope.model.training.runs import Run


def compare_runs(runs: Sequence[Run]) -> pd.DataFrame:
    """One row a run: how it stands, its best validation, what it took, where it comes from, and every value of a recipe
    in which they differ. What a run does not record is missing there.
    """
    recipes = [_flat(run.about.get("recipe", {})) for run in runs]
    names = dict.fromkeys(name for recipe in recipes for name in recipe)
    differing = [name for name in names if len({repr(recipe.get(name)) for recipe in recipes}) > 1]
    return pd.DataFrame(
        [_row(run) | {name: recipe.get(name) for name in differing} for run, recipe in zip(runs, recipes, strict=True)]
    )


def run_table(run: Run) -> pd.DataFrame:
    """Everything that was measured of a run, a row each: its kind, the update, and the figures."""
    found = {(row.get("kind", ""), row["step"]): row for row in read_metrics(run.path)}
    return pd.DataFrame(list(found.values()))


def _row(run: Run) -> dict[str, Any]:
    rows = read_metrics(run.path)
    updates = [row for row in rows if row.get("kind") == "update"]
    validations = [row for row in rows if row.get("kind") == "validation"]
    best = min(validations, key=lambda row: row["nll"], default={})
    last = updates[-1] if updates else {}
    data, versions = run.about.get("data", {}), run.about.get("versions", {})
    return {
        "run": run.name,
        "state": run.condition,
        "updates": run.status.step,
        "best_at": best.get("step"),
        "dev_nll": best.get("nll"),
        "bleu": best.get("bleu"),
        "chrf": best.get("chrf"),
        "train_nll": last.get("nll"),
        "tokens": last.get("tokens"),
        "flops": last.get("flops"),
        "seconds": last.get("seconds"),
        "text": data.get("name"),
        "pairs": data.get("pairs"),
        "text_fingerprint": data.get("fingerprint"),
        "device": run.about.get("device"),
        "threads": run.about.get("threads"),
        "headscope": versions.get("headscope"),
        "torch": run.about.get("torch"),
    }


def _flat(recipe: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in recipe.items():
        found |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return found
