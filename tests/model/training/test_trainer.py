"""Whole runs: what they learn, what they leave, and that stopping changes nothing."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import Tensor

from headscope.model.card import read_card
from headscope.model.data.batching import TokenBatches, encode_corpus
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.network.transformer import Transformer
from headscope.model.progress import Cancelled
from headscope.model.text.vocabulary import load_vocabulary
from headscope.model.training.observer import TrainingObserver, UpdateMetrics, ValidationMetrics
from headscope.model.training.recipe import Recipe
from headscope.model.training.run_directory import RunDirectory, read_metrics, read_status
from headscope.model.training.snapshots import saved_weights
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator
from tests.training_toys import write_copying

Toy = Callable[..., Recipe]


class StopAt:
    """A `Progress` that cancels the training after an update."""

    def __init__(self, step: int, steps: int) -> None:
        self.step, self.steps = step, steps

    def update(self, done: int, total: int | None) -> None:
        if (done, total) == (self.step, self.steps):
            raise Cancelled


def contents(run: Path) -> tuple[dict[str, Tensor], dict[str, object], list[dict[str, object]]]:
    """State, counters and metrics of a run, without what clocks say."""
    with safe_open(run / "state.safetensors", "pt") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        counters = json.loads(file.metadata()["counters"])
    del counters["seconds"]
    clocks = {"time", "seconds", "tokens_per_second"}
    return tensors, counters, [{k: v for k, v in row.items() if k not in clocks} for row in read_metrics(run)]


def assert_same(a: Path, b: Path) -> None:
    """Two runs agree bit by bit: weights, moments, random generators, position counts, place in the data, rows."""
    (tensors, *rest), (others, *other_rest) = contents(a), contents(b)
    assert tensors.keys() == others.keys()
    for name, tensor in tensors.items():
        assert torch.equal(tensor, others[name]), name
    assert rest == other_rest


def test_a_small_model_learns_to_copy_and_its_checkpoint_translates(toy: Toy, tmp_path: Path):
    data = write_copying(tmp_path / "data", train=1000, dev=50, longest=5)
    stack = {"layers": 1, "heads": 2, "feed_forward": 64}
    recipe = toy(
        model={"preset": "tiny", "d_model": 32, "encoder": stack, "decoder": stack, "dropout": 0.0},
        schedule={"kind": "inverse-square-root", "warmup": 40, "peak": 1e-2},
        batch_tokens=400,
        steps=300,
        log_every=50,
        validate_every=30,
        average_last=3,
    )
    outcome = train(recipe, data, tmp_path / "run", device="cpu")
    assert outcome.state == "finished"
    assert outcome.checkpoint is not None
    translator = load_translator(outcome.checkpoint, "cpu")
    sources = [source for source, _ in data.read("dev").pairs]
    translations = [translation.text for translation in translator.translate(sources)]
    assert sum(a == b for a, b in zip(translations, sources, strict=True)) >= 40


def test_three_and_three_updates_are_six(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(patience=9)
    train(recipe, copying, tmp_path / "whole", device="cpu")
    stopped = train(recipe, copying, tmp_path / "parts", device="cpu", progress=StopAt(3, 6))
    assert (stopped.state, stopped.step, stopped.checkpoint) == ("stopped", 3, None)
    assert read_status(tmp_path / "parts").state == "stopped"
    torch.manual_seed(99)
    assert train(recipe, copying, tmp_path / "parts", device="cpu").state == "finished"
    assert_same(tmp_path / "whole", tmp_path / "parts")
    weights = [load_file(tmp_path / name / "checkpoint" / "model.safetensors") for name in ("whole", "parts")]
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def test_updates_across_epochs_and_accumulation_resume_too(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=8, accumulate=5, batch_tokens=300, validate_every=4)
    train(recipe, copying, tmp_path / "whole", device="cpu")
    train(recipe, copying, tmp_path / "parts", device="cpu", progress=StopAt(5, 8))
    train(recipe, copying, tmp_path / "parts", device="cpu")
    assert contents(tmp_path / "whole")[1]["epoch"] >= 1
    assert_same(tmp_path / "whole", tmp_path / "parts")


def test_more_steps_go_on_from_a_finished_run(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(steps=6), copying, tmp_path / "whole", device="cpu")
    train(toy(steps=3), copying, tmp_path / "parts", device="cpu")
    train(toy(steps=6), copying, tmp_path / "parts", device="cpu")
    assert torch.equal(
        contents(tmp_path / "whole")[0]["model/source_embedding.weight"],
        contents(tmp_path / "parts")[0]["model/source_embedding.weight"],
    )


def test_a_stop_file_stops(toy: Toy, copying: PreparedData, tmp_path: Path):
    class Stop(TrainingObserver):
        def on_update(self, step: int, model: Transformer, metrics: UpdateMetrics) -> None:
            if step == 2:
                (tmp_path / "run" / "stop").touch()

    outcome = train(toy(), copying, tmp_path / "run", device="cpu", observers=[Stop()])
    assert (outcome.state, outcome.step) == ("stopped", 2)


def test_what_a_run_leaves(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(dev_lines=4)
    outcome = train(recipe, copying, tmp_path / "run", device="cpu", command="headscope train …")
    run = RunDirectory(tmp_path / "run")
    assert outcome.checkpoint == run.checkpoint
    assert [step for step, _ in saved_weights(run.snapshots)] == [0, 1, 6]
    assert [step for step, _ in saved_weights(run.recent)] == [4, 6]

    rows = read_metrics(run.path)
    assert [row["step"] for row in rows if row["kind"] == "update"] == [1, 2, 3, 4, 5, 6]
    assert [row["step"] for row in rows if row["kind"] == "validation"] == [2, 4, 6]
    updates = [row for row in rows if row["kind"] == "update"]
    for row in updates:
        assert 0 <= row["padding"] < 1
        assert row["tokens_per_second"] > 0
        assert row["learning_rate"] == pytest.approx(16**-0.5 * row["step"] * 20**-1.5)
    assert updates[0]["nll"] == pytest.approx(math.log(300), abs=1)
    assert [row["flops"] for row in updates] == sorted(row["flops"] for row in updates)
    assert all(row["bleu"] is not None for row in rows if row["kind"] == "validation")

    card = read_card(run.checkpoint)
    assert card.languages == ("source", "target")
    assert card.config.target_vocabulary == 300
    # So short a run has not come to rest: its last weights are better than a mean of them with earlier ones.
    assert [mean["updates"] for mean in card.training["means_tried"]] == [[4, 6], [6]]
    assert card.training["averaged_updates"] == [6]
    assert card.training["averaged_nll"] == [next(row["nll"] for row in rows[::-1] if row["kind"] == "validation")]
    assert card.training["command"] == "headscope train …"
    assert card.training["recipe"]["steps"] == 6
    assert card.scores["dev"]["nll"] > 0
    assert str(tmp_path) not in "".join(p.read_text() for p in run.checkpoint.glob("*.json*"))


def test_positions_are_counted_exactly(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy()
    train(recipe, copying, tmp_path / "run", device="cpu")
    vocabulary = load_vocabulary(tmp_path / "run" / "vocabulary")
    corpus = encode_corpus(copying.read("train").pairs, vocabulary, max_pieces=recipe.max_pieces)
    batches = TokenBatches(corpus, tokens=recipe.batch_tokens, seed=recipe.seed)
    lengths = np.array(
        [
            (source, target)
            for index in range(6)
            for batch in [batches.batch(0, index)]
            for source, target in zip(batch.source_lengths.tolist(), batch.target_lengths.tolist(), strict=True)
        ]
    )
    card = read_card(tmp_path / "run" / "checkpoint")
    for column, side in enumerate(("source", "target")):
        expected = [int((lengths[:, column] > place).sum()) for place in range(lengths[:, column].max())]
        assert list(card.positions[side]) == expected
        assert card.trained_length(side) == lengths[:, column].max()


def test_observers_see_every_event_and_change_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    seen = []

    class Watch(TrainingObserver):
        def on_update(self, step: int, model: Transformer, metrics: UpdateMetrics) -> None:
            assert model.training
            seen.append(("update", step, round(metrics.loss, 2)))

        def on_validation(self, step: int, model: Transformer, metrics: ValidationMetrics) -> None:
            assert model.training
            seen.append(("validation", step, metrics.best))

        def on_snapshot(self, step: int, model: Transformer, file: Path) -> None:
            weights = load_file(file)["source_embedding.weight"]
            seen.append(("snapshot", step, torch.equal(weights, model.source_embedding.weight.half())))

    train(toy(), copying, tmp_path / "watched", device="cpu", observers=[Watch()])
    train(toy(), copying, tmp_path / "alone", device="cpu")
    assert [event[:2] for event in seen] == [
        ("snapshot", 0), ("update", 1), ("snapshot", 1), ("update", 2), ("validation", 2), ("update", 3),
        ("update", 4), ("validation", 4), ("update", 5), ("update", 6), ("snapshot", 6), ("validation", 6),
    ]  # fmt: skip
    assert all(event[2] is True for event in seen if event[0] == "snapshot")
    assert_same(tmp_path / "watched", tmp_path / "alone")


def test_patience_ends_a_run_that_learns_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=50, patience=2, schedule={"kind": "noam", "warmup": 20, "factor": 1e-30})
    outcome = train(recipe, copying, tmp_path / "run", device="cpu")
    assert (outcome.state, outcome.step) == ("finished", 6)
    assert [row["best"] for row in read_metrics(tmp_path / "run") if row["kind"] == "validation"] == [
        True,
        False,
        False,
    ]
    # Going on does not forget that patience has run out.
    assert train(recipe, copying, tmp_path / "run", device="cpu").step == 6


def test_a_run_past_its_best_ships_the_best(toy: Toy, tmp_path: Path):
    """Twelve sentences are soon learned by heart: the loss on others falls, and then rises."""
    data = write_copying(tmp_path / "data", train=12, dev=8, longest=6)
    recipe = toy(
        steps=200,
        patience=4,
        average_last=3,
        validate_every=5,
        schedule={"kind": "inverse-square-root", "warmup": 4, "peak": 0.03},
    )
    outcome = train(recipe, data, tmp_path / "run", device="cpu")
    losses = {row["step"]: row["nll"] for row in read_metrics(tmp_path / "run") if row["kind"] == "validation"}
    best = min(losses, key=losses.__getitem__)
    last = sorted(losses)[-3:]
    assert best not in last  # patience ran out, and the last three are all worse
    assert outcome.checkpoint is not None
    training = read_card(outcome.checkpoint).training
    tried = {tuple(mean["updates"]): mean["nll"] for mean in training["means_tried"]}
    assert list(tried) == [(best - 5, best, best + 5), tuple(last), (best,)]
    assert tried[(best,)] == pytest.approx(losses[best], abs=1e-9)
    assert tried[tuple(training["averaged_updates"])] == min(tried.values()) <= losses[best] < tried[tuple(last)]
    assert training["averaged_nll"] == [losses[step] for step in training["averaged_updates"]]

    scored = load_translator(outcome.checkpoint, "cpu").score(data.read("dev").pairs)
    shipped = -sum(each.total for each in scored) / sum(len(each.log_probs) for each in scored)
    assert shipped == pytest.approx(min(tried.values()), abs=2e-3)  # the checkpoint is fp16

    # Stopped past its best, and gone on.
    train(recipe, data, tmp_path / "parts", device="cpu", progress=StopAt(best + 7, 200))
    again = train(recipe, data, tmp_path / "parts", device="cpu")
    assert_same(tmp_path / "run", tmp_path / "parts")
    assert again.checkpoint is not None
    for name in ("model.safetensors", "scores.json"):
        assert (again.checkpoint / name).read_bytes() == (outcome.checkpoint / name).read_bytes()


def test_bf16_and_learned_positions_train(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(precision="bf16", max_pieces=20, model=toy().model | {"positions": "learned", "position_table": 20})
    train(recipe, copying, tmp_path / "run", device="cpu")
    losses = [row["loss"] for row in read_metrics(tmp_path / "run") if row["kind"] == "update"]
    assert all(map(math.isfinite, losses))


def test_joined_pairs_reach_further_positions(toy: Toy, copying: PreparedData, tmp_path: Path):
    longest = []
    for share in (0.0, 1.0):
        train(toy(steps=30, join_pairs=share, validate_every=30), copying, tmp_path / str(share), device="cpu")
        longest.append(read_card(tmp_path / str(share) / "checkpoint").trained_length("source"))
    assert longest[1] > longest[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2}, "started with seed = 1, not 2"),
        ({"schedule": {"kind": "noam", "warmup": 21}}, "schedule"),
        ({"label_smoothing": 0.2}, r"label_smoothing = 0\.1, not 0\.2"),
    ],
)
def test_another_recipe_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path, changes: dict, message: str):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    with pytest.raises(HeadscopeError, match=message):
        train(toy(**changes), copying, tmp_path / "run", device="cpu")
    assert read_status(tmp_path / "run").state == "stopped"
    assert train(toy(), copying, tmp_path / "run", device="cpu").state == "finished"


def test_another_text_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    other = write_copying(tmp_path / "data", train=119, dev=8, longest=6)
    with pytest.raises(HeadscopeError, match=r"not the one that .* 120 pairs"):
        train(toy(), other, tmp_path / "run", device="cpu")


def test_other_threads_go_on_and_say_that_it_is_not_exact(toy: Toy, copying: PreparedData, tmp_path: Path):
    notes = []

    class Notes(TrainingObserver):
        def on_note(self, text: str) -> None:
            notes.append(text)

    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    about = RunDirectory(tmp_path / "run").about
    about.write_text(json.dumps(json.loads(about.read_text()) | {"threads": 64}))
    assert train(toy(), copying, tmp_path / "run", device="cpu", observers=[Notes()]).state == "finished"
    assert notes == ["threads is 1, it was 64: the run goes on, but not bit by bit as it would have"]


def test_pairs_that_are_too_long_are_left_out_and_counted(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(max_pieces=5), copying, tmp_path / "run", device="cpu")
    assert "of 120 training pairs left out: more than 5 pieces on a side" in (tmp_path / "run" / "log.txt").read_text()
    assert read_card(tmp_path / "run" / "checkpoint").trained_length("source") == 5


def test_a_table_that_is_too_short_is_refused(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(model=toy().model | {"positions": "learned", "position_table": 16})
    with pytest.raises(HeadscopeError, match="max_pieces = 128 is more than the 16 learned positions"):
        train(recipe, copying, tmp_path / "run", device="cpu")


def test_a_broken_state_is_an_error_that_names_it(toy: Toy, copying: PreparedData, tmp_path: Path):
    train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(2, 6))
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:-100])
    with pytest.raises(HeadscopeError, match=r"state\.safetensors is not the state of this run"):
        train(toy(), copying, tmp_path / "run", device="cpu")


def test_a_start_that_fails_leaves_nothing(toy: Toy, copying: PreparedData, tmp_path: Path):
    with pytest.raises(HeadscopeError, match="allow more tokens"):
        train(toy(batch_tokens=3), copying, tmp_path / "run", device="cpu")
    assert not (tmp_path / "run").exists()
    with pytest.raises(HeadscopeError, match="no device 'tpu'"):
        train(toy(), copying, tmp_path / "run", device="tpu")
    assert not (tmp_path / "run").exists()


def test_a_launched_start_that_fails_says_so_in_its_folder(toy: Toy, copying: PreparedData, tmp_path: Path):
    run = RunDirectory(tmp_path / "run")
    run.path.mkdir()
    run.set_status("starting")
    with pytest.raises(HeadscopeError):
        train(toy(batch_tokens=3), copying, run.path, device="cpu")
    assert read_status(run.path).state == "failed"
    assert "allow more tokens" in read_status(run.path).message
    # The vocabulary that was learned then is not the one that this recipe asks for.
    train(toy(vocabulary=301), copying, run.path, device="cpu")
    assert load_vocabulary(run.vocabulary).size("target") == 301


def test_stopping_while_the_text_is_read(toy: Toy, copying: PreparedData, tmp_path: Path):
    outcome = train(toy(), copying, tmp_path / "run", device="cpu", progress=StopAt(0, 120))
    assert (outcome.state, outcome.step) == ("stopped", 0)
    assert read_status(tmp_path / "run").state == "stopped"
    assert train(toy(), copying, tmp_path / "run", device="cpu").step == 6


def test_divergence_fails_with_advice_and_keeps_the_last_state(toy: Toy, copying: PreparedData, tmp_path: Path):
    recipe = toy(steps=50, clip=0.0, schedule={"kind": "inverse-square-root", "warmup": 1, "peak": 1e30})
    with pytest.raises(HeadscopeError, match="diverged"):
        train(recipe, copying, tmp_path / "run", device="cpu")
    status = read_status(tmp_path / "run")
    assert status.state == "failed"
    assert "lower learning rate" in status.message


def test_twins_differ_in_their_positions_alone(toy: Toy, copying: PreparedData, tmp_path: Path):
    for positions in ("sinusoidal", "learned"):
        recipe = toy(steps=2, model=toy().model | {"positions": positions, "position_table": 128})
        train(recipe, copying, tmp_path / positions, device="cpu")
    first, second = (
        load_file(tmp_path / p / "snapshots" / "step-0000000.safetensors") for p in ("sinusoidal", "learned")
    )
    assert second.keys() - first.keys() == {"positions.table"}
    assert all(torch.equal(first[name], second[name]) for name in first)
    (tensors, counters, _), (others, other_counters, _) = (contents(tmp_path / p) for p in ("sinusoidal", "learned"))
    assert torch.equal(tensors["random/cpu"], others["random/cpu"])
    assert torch.equal(tensors["positions/target"], others["positions/target"])
    assert counters["batch"] == other_counters["batch"]
