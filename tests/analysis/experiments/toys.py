"""A grid that is trained in seconds."""

from pathlib import Path

from headscope.analysis.experiments.grids import AblationBudget
from headscope.model.data.prepared import PreparedData, load_prepared
from tests.training_toys import write_copying

BUDGET = AblationBudget(updates=4, changes=("batch_tokens=64", "vocabulary=300", "precision=fp32"))


def toy_data(folder: Path) -> PreparedData:
    """Words to copy, with a test set."""
    write_copying(folder, train=60, dev=6, longest=4)
    for side in ("source", "target"):
        (folder / f"test.{side}").write_bytes((folder / f"dev.{side}").read_bytes())
    return load_prepared(folder)
