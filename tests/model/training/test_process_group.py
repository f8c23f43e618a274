"""Two processes train as one does: the same losses and weights, one folder, one end.

All runs of two processes are made by one pair of them, for starting a pair takes longer than the runs.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from safetensors.torch import load_file
from torch.distributed import TCPStore

from headscope.model.data.batching import make_batch
from headscope.model.data.prepared import PreparedData, load_prepared
from headscope.model.errors import HeadscopeError
from headscope.model.network.device import choose_device
from headscope.model.network.transformer import Transformer
from headscope.model.progress import Cancelled, Silent
from headscope.model.training.loop import Outcome
from headscope.model.training.observer import TrainingObserver, UpdateMetrics
from headscope.model.training.process_group import ALONE, ProcessGroup, joined
from headscope.model.training.recipe import Recipe, parse_recipe
from headscope.model.training.run_directory import read_metrics, read_status
from headscope.model.training.trainer import train
from tests.model.training.runs import StopAt, assert_same, contents
from tests.model.training.test_step import corpus
from tests.training_toys import toy_fields, write_copying

WITHOUT_DROPOUT = {"dropout": 0.0, "attention_dropout": 0.0, "activation_dropout": 0.0}


def exact() -> Recipe:
    """Thirty updates without chance; a batch of the last ones may have fewer rows than there are processes."""
    model = toy_fields()["model"] | WITHOUT_DROPOUT
    return parse_recipe(toy_fields(model=model, steps=30, accumulate=2, batch_tokens=240, validate_every=15))


def random() -> Recipe:
    """With dropout."""
    return parse_recipe(toy_fields())


class Touch(TrainingObserver):
    """Touches `stop` after the second update."""

    def __init__(self, run: Path) -> None:
        self.run = run

    def on_update(self, step: int, model: Transformer, metrics: UpdateMetrics) -> None:
        if step == 2:
            (self.run / "stop").touch()


class Notes(TrainingObserver):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def on_note(self, text: str) -> None:
        self.texts.append(text)


@dataclass(frozen=True)
class Pair:
    """What two processes found, and where their runs are."""

    folder: Path
    data: PreparedData
    found: tuple[dict[str, Any], dict[str, Any]]


def work(rank: int, port: int, folder: Path) -> None:
    """What each of the two does."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", store=TCPStore("localhost", port), rank=rank, world_size=2)
    data = load_prepared(folder / "data")

    def run(name: str, recipe: Recipe, **options: Any) -> Outcome | str:
        try:
            return train(recipe, data, folder / name, device="cpu", **options)
        except HeadscopeError as error:
            return str(error)

    found: dict[str, Any] = {"exact": run("exact", exact())}
    found["whole"] = run("whole", random())
    # Only the second process is told to stop.
    found["stopped"] = run("parts", random(), progress=StopAt(3, 6) if rank else Silent())
    torch.manual_seed(rank)
    found["gone on"] = run("parts", random())
    found["touched"] = run("touched", random(), observers=[Touch(folder / "touched")])
    found["early"] = run("early", random(), progress=Silent() if rank else StopAt(0, 120))
    found["refused"] = run("refused", parse_recipe(toy_fields(vocabulary=5000)))
    with joined("cpu") as (group, _):
        group.seed(1, 0)
        found["draw"] = torch.rand(3).tolist()
        found["sum"] = group.sum(1.0, rank)
        found["any"] = group.any(rank == 1)
        found["first"] = group.from_first(lambda: rank)
        for method in (group.from_first, group.agreed):
            try:
                method(complain if rank == 0 else Silent)
            except Cancelled as error:
                found[method.__name__] = str(error)
    torch.save(found, folder / f"found-{rank}")
    dist.barrier()
    os._exit(0)  # taking a gloo group down can abort the process


def complain() -> None:
    raise Cancelled("enough")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("pair")
    data = write_copying(folder / "data", train=120, dev=8, longest=6)
    store = TCPStore("localhost", 0, is_master=True, wait_for_workers=False)
    mp.spawn(work, (store.port, folder), nprocs=2)
    first, second = (torch.load(folder / f"found-{rank}", weights_only=False) for rank in range(2))
    return Pair(folder, data, (first, second))


def test_two_processes_are_one(pair: Pair, tmp_path: Path):
    train(exact(), pair.data, tmp_path / "one", device="cpu")
    (one, counters, rows), (two, other_counters, other_rows) = (
        contents(tmp_path / "one"),
        contents(pair.folder / "exact"),
    )
    assert len(rows) == len(other_rows) == 32
    for row, other in zip(rows, other_rows, strict=True):
        assert other["loss"] == pytest.approx(row["loss"], abs=1e-4)
        assert other["nll"] == pytest.approx(row["nll"], abs=1e-4)
        for key in ("step", "tokens", "flops", "padding"):
            assert other.get(key) == row.get(key)
    del counters["best"], other_counters["best"]
    assert counters == other_counters
    for name in one:
        # A bias of the keys has no gradient but rounding, from which Adam makes steps of full length.
        if name.startswith("model/") and not name.endswith("key.bias"):
            torch.testing.assert_close(two[name], one[name], rtol=0, atol=1e-4)
        if name.startswith("positions/"):
            assert torch.equal(one[name], two[name])


def test_all_processes_end_alike(pair: Pair):
    first, second = pair.found
    for what in ("exact", "whole", "stopped", "gone on", "touched", "early", "refused"):
        assert first[what] == second[what]
    assert first["exact"] == Outcome("finished", 30, pair.folder / "exact" / "checkpoint")


def test_a_wish_to_stop_in_one_stops_all_and_they_go_on_exactly(pair: Pair):
    assert pair.found[0]["stopped"] == Outcome("stopped", 3, None)
    assert pair.found[0]["gone on"].state == "finished"
    assert_same(pair.folder / "whole", pair.folder / "parts")


def test_the_stop_file_stops_all(pair: Pair):
    assert pair.found[1]["touched"] == Outcome("stopped", 2, None)
    assert read_status(pair.folder / "touched").state == "stopped"


def test_stopping_while_the_text_is_read(pair: Pair):
    assert pair.found[1]["early"] == Outcome("stopped", 0, None)
    assert read_status(pair.folder / "early").state == "stopped"


def test_mistakes_are_the_same_in_all(pair: Pair):
    assert "vocabulary" in pair.found[1]["refused"]
    assert not (pair.folder / "refused").exists()


def test_dropout_differs_between_processes(pair: Pair):
    assert pair.found[0]["draw"] != pair.found[1]["draw"]
    weights = [load_file(pair.folder / name / "checkpoint" / "model.safetensors") for name in ("whole", "parts")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_what_passes_between_processes(pair: Pair):
    for found in pair.found:
        assert found["sum"] == [2, 1]
        assert found["any"] is True
        assert found["first"] == 0
        assert found["from_first"] == found["agreed"] == "enough"


def test_another_number_of_processes_goes_on_and_says_that_it_is_not_exact(pair: Pair):
    notes = Notes()
    assert train(random(), pair.data, pair.folder / "touched", device="cpu", observers=[notes]).state == "finished"
    assert notes.texts == ["processes is 1, it was 2: the run goes on, but not bit by bit as it would have"]
    rows = [row["step"] for row in read_metrics(pair.folder / "touched") if row["kind"] == "update"]
    assert rows == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_shares_are_the_batch(size: int):
    batch = make_batch(corpus(), range(5))
    shares = [ProcessGroup(rank, size).share(batch) for rank in range(size)]
    assert sum(share.target_tokens for share in shares) == batch.target_tokens
    assert sum(share.source_tokens for share in shares) == batch.source_tokens
    rows = sorted(tuple(row) for share in shares for row in share.target_out.tolist())
    assert rows == sorted(tuple(row) for row in batch.target_out.tolist())
    assert all(share.source.shape[1] == batch.source.shape[1] for share in shares)


def test_one_process_needs_no_others():
    with joined("cpu") as (group, device):
        assert (group, device) == (ALONE, choose_device("cpu"))
        before = torch.get_rng_state()
        group.seed(1, 0)
        assert torch.equal(torch.get_rng_state(), before)
