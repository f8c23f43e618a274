"""The course of training, measured at snapshots."""

from pathlib import Path

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures import history as module
from headscope.analysis.measures.history import (
    HISTORY,
    SENTENCES,
    History,
    HistoryWriter,
    join,
    load_history,
    measure_snapshots,
    run_history,
    save_history,
)
from headscope.analysis.measures.profile import head_profile
from headscope.model.card import VOCABULARY
from headscope.model.errors import HeadscopeError
from headscope.model.training.recipe import parse_recipe
from headscope.model.training.snapshots import saved_weights
from headscope.model.training.trainer import train
from headscope.model.translator import Translator, load_translator
from tests.model.training.runs import StopAt, assert_same
from tests.training_toys import toy_fields, write_copying


@pytest.fixture(scope="module")
def watched_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, History, object]:
    """A run of six updates that was watched, the history in its checkpoint, and its data."""
    folder = tmp_path_factory.mktemp("history")
    data = write_copying(folder / "data", train=60, dev=15, longest=6)
    writer = HistoryWriter(folder / "run", data)
    recipe = parse_recipe(toy_fields(steps=6, snapshots=3))
    outcome = train(recipe, data, folder / "run", observers=[writer])
    assert outcome.checkpoint
    writer.finish(outcome.checkpoint)
    return folder / "run", load_history(outcome.checkpoint / HISTORY), data


def test_watching_leaves_the_training_alone(watched_run, tmp_path):
    run, _, data = watched_run
    plain = train(parse_recipe(toy_fields(steps=6, snapshots=3)), data, tmp_path / "run")
    assert plain.checkpoint
    name = "model.safetensors"
    assert (plain.checkpoint / name).read_bytes() == (run / "checkpoint" / name).read_bytes()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_run_on_cuda_is_watched_there(watched_run, tmp_path):
    run, history, data = watched_run
    (tmp_path / VOCABULARY).symlink_to(run / VOCABULARY)
    model = load_translator(run / "checkpoint", "cuda").model
    writer = HistoryWriter(tmp_path, data)
    writer.on_snapshot(6, model, saved_weights(run / "snapshots")[-1][1])
    found = load_history(tmp_path / "history" / "step-0000006.npz").moments[0]
    for name, values in history.moments[-1].measures.items():
        np.testing.assert_allclose(found.measures[name], values, atol=1e-4)


def test_so_many_sentences_are_measured_that_it_costs_little(watched_run, tmp_path):
    run, _, _ = watched_run
    data = write_copying(tmp_path / "data", train=1, dev=SENTENCES + 20, longest=6)
    assert SENTENCES == 100
    (tmp_path / VOCABULARY).symlink_to(run / VOCABULARY)
    model = load_translator(run / "checkpoint", "cpu").model
    HistoryWriter(tmp_path, data).on_snapshot(0, model, saved_weights(run / "snapshots")[0][1])
    assert run_history(tmp_path).sentences == SENTENCES


def test_a_watched_run_goes_on_bit_by_bit(watched_run, tmp_path):
    whole, history, data = watched_run
    recipe, run = parse_recipe(toy_fields(steps=6, snapshots=3)), tmp_path / "run"
    for stop in (1, 3, 5):
        assert train(recipe, data, run, progress=StopAt(stop, 6), observers=[HistoryWriter(run, data)]).step == stop
    train(recipe, data, run, observers=[HistoryWriter(run, data)])
    assert_same(whole, run)
    again = join(sorted((run / "history").glob("*.npz")))
    assert [moment.step for moment in again.moments] == [moment.step for moment in history.moments]
    for one, other in zip(again.moments, history.moments, strict=True):
        assert all(np.array_equal(one.maps[key], other.maps[key]) for key in other.maps)


def test_one_moment_a_snapshot(watched_run):
    run, history, _ = watched_run
    assert [moment.step for moment in history.moments] == [step for step, _ in saved_weights(run / "snapshots")]
    assert history.moments[0].step == 0
    assert len(history.watched) == 12
    assert history.digest == load_translator(run / "checkpoint", "cpu").weights_digest
    assert history.sentences == 15


def test_a_moment_holds_what_the_snapshot_does(watched_run):
    run, history, data = watched_run
    model = load_translator(run / "checkpoint", "cpu")
    step, file = saved_weights(run / "snapshots")[-1]
    again = measure_snapshots(model, data.read("dev").pairs, [(step, file)]).moments[0]
    profile = head_profile(model, data.read("dev").pairs)  # the model now has the snapshot's weights
    last = history.moments[-1]
    for name, values in last.measures.items():
        np.testing.assert_allclose(values, profile.mean[name], atol=1e-6)
        np.testing.assert_allclose(again.measures[name], profile.mean[name], atol=1e-6)
    source, target = history.watched[3]
    maps = attention_maps(model, source, target)
    kept = history.weights(3, "cross")[-1]
    np.testing.assert_allclose(kept, np.stack(maps.cross), atol=0.5 / 255 + 1e-6)


def test_an_unwatched_run_gives_the_same(watched_run):
    run, history, data = watched_run
    translator = load_translator(run / "checkpoint", "cpu")
    later = measure_snapshots(translator, data.read("dev").pairs, saved_weights(run / "snapshots"))
    assert later.watched == history.watched
    table, watched = later.to_pandas(), history.to_pandas()
    assert (table.drop(columns="mean") == watched.drop(columns="mean")).all(axis=None)
    np.testing.assert_allclose(table["mean"], watched["mean"], atol=1e-6)


def test_what_is_no_history_is_said(tmp_path, translator: Translator):
    (tmp_path / "broken.npz").write_bytes(b"PK\x03\x04 no")
    np.savez(tmp_path / "pickled.npz", about=np.array([{"a": 1}], dtype=object))
    for name in ("broken.npz", "pickled.npz", "missing.npz"):
        with pytest.raises(HeadscopeError, match=name):
            load_history(tmp_path / name)
    for nothing in (lambda: join([]), lambda: measure_snapshots(translator, [], [])):
        with pytest.raises(HeadscopeError, match="no snapshot"):
            nothing()


def test_damage_anywhere_is_said(watched_run, tmp_path):
    _, history, _ = watched_run
    save_history(history, tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    for place in range(0, len(whole), len(whole) // 40):
        part = whole[:place] if place % 2 else whole[:place] + bytes(200) + whole[place + 200 :]
        (tmp_path / "damaged.npz").write_bytes(part)
        with pytest.raises(HeadscopeError, match=r"damaged\.npz is not a history"):
            load_history(tmp_path / "damaged.npz")


def test_another_format_is_said(watched_run, tmp_path, monkeypatch):
    _, history, _ = watched_run
    monkeypatch.setattr(module, "FORMAT", 2)
    save_history(history, tmp_path / "newer.npz")
    monkeypatch.undo()
    with pytest.raises(HeadscopeError, match=r"newer\.npz is of format 2, and this version reads format 1: update"):
        load_history(tmp_path / "newer.npz")


def test_save_and_load(watched_run, tmp_path):
    _, history, _ = watched_run
    save_history(history, tmp_path / "again.npz")
    again = load_history(tmp_path / "again.npz")
    assert (again.heads, again.digest) == (history.heads, history.digest)
    assert again.watched == history.watched
    for before, after in zip(history.moments, again.moments, strict=True):
        assert before.step == after.step
        assert before.maps.keys() == after.maps.keys()
        assert all(np.array_equal(before.maps[key], after.maps[key]) for key in before.maps)


def test_random_numbers_are_untouched(watched_run, tmp_path):
    run, _, data = watched_run
    (tmp_path / VOCABULARY).symlink_to(run / VOCABULARY)
    translator = load_translator(run / "checkpoint", "cpu")
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    HistoryWriter(tmp_path, data).on_snapshot(0, translator.model, saved_weights(run / "snapshots")[0][1])
    assert torch.equal(torch.rand(3), expected)
