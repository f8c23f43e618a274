"""That the figures are of what they say; how high they are is nobody's business here."""

from functools import partial

import pytest
import torch

from headscope.analysis import benchmarks
from headscope.analysis.benchmarks import (
    END,
    WRITTEN,
    Figure,
    attribution_time,
    capture_cost,
    decoding_speed,
    matrix_rate,
    sentences,
    trace_cost,
    training_speed,
)

CPU = torch.device("cpu")


def test_sentences_are_the_same_at_every_call():
    first, again = (sentences(200, 1000, seed=3) for _ in range(2))
    assert first == again
    assert first != sentences(200, 1000, seed=4)
    lengths = [len(ids) for ids in first]
    assert min(lengths) >= 4
    assert max(lengths) <= 40
    assert sum(lengths) / len(lengths) == pytest.approx(13, abs=1)
    assert min(min(ids) for ids in first) >= 4


def test_matrix_rate_is_operations_over_time(monkeypatch):
    monkeypatch.setattr(benchmarks, "_seconds", lambda work, device: 0.5)
    assert matrix_rate(CPU, "fp32").value == pytest.approx(2 * 2048**3 / 0.5 / 1e9)


def test_decoding_writes_as_many_pieces_of_every_sentence(monkeypatch):
    found = []
    plain = benchmarks.beam_search

    def watched(stepper, **options):
        found.extend(plain(stepper, **options))
        return found

    monkeypatch.setattr(benchmarks, "beam_search", watched)
    monkeypatch.setattr(benchmarks, "_seconds", lambda work, device: (work(), 2.0)[1])
    figure = decoding_speed("tiny", CPU, "fp32", batch=32, beam=2, rounds=1)
    assert figure.value == pytest.approx(32 / 2.0)
    assert len(found) == 2 * 32  # the first pass warms up
    assert {len(search.hypotheses()[0].pieces) for search in found} == {WRITTEN}
    assert not any(END in search.hypotheses()[0].pieces for search in found)


def test_training_counts_real_target_pieces(monkeypatch):
    seen = []

    def timed(work, device):
        work()
        seen.append(1)
        return 4.0

    monkeypatch.setattr(benchmarks, "_seconds", timed)
    figure = training_speed("tiny", CPU, "fp32", tokens=128, updates=1)
    (_, _, batch) = benchmarks._batches(benchmarks.model_of("tiny").config, 128, 3)
    assert len(seen) == 3
    assert figure.value == pytest.approx(batch.target_tokens / 4.0)
    assert batch.target_out.numel() <= 128


def test_capture_is_a_ratio_of_the_two_passes(monkeypatch):
    def timed(work, device):
        work()
        return 3.0 if work.__name__ == "recording" else 2.0

    monkeypatch.setattr(benchmarks, "_seconds", timed)
    figure = capture_cost("tiny", CPU, tokens=6, pairs=2)
    assert figure.value == pytest.approx(1.5)


def test_trace_is_a_ratio_of_two_searches(monkeypatch):
    def timed(work, device):
        work()
        return 2.1 if work.__name__ == "recording" else 2.0

    monkeypatch.setattr(benchmarks, "_seconds", timed)
    figure = trace_cost("tiny", CPU, beam=2, pieces=5, pairs=2)
    assert figure.value == pytest.approx(1.05)
    assert (figure.task, figure.unit, figure.settings["beam"]) == ("trace", "× search", 2)


def test_attribution_is_timed_over_whole_sentences(monkeypatch):
    times = iter([5.0, 1.0, 3.0])

    def timed(work, device):
        work()
        return next(times)

    monkeypatch.setattr(benchmarks, "_seconds", timed)
    figure = attribution_time("integrated gradients", "tiny", CPU, steps=2, pieces=4)
    assert (figure.task, figure.value, figure.unit) == ("attribute, integrated gradients", 3.0, "s/sentence")
    assert figure.settings == {"pieces": 4, "steps": 2, "rounds": 3}


def test_what_is_measured_and_where(monkeypatch):
    asked, threads = [], []

    def measured(name, *_, **options):
        asked.append((name, options))
        return Figure(name, "tiny", 1.0, "s", {"of": name})

    names = ("matrix_rate", "training_speed", "decoding_speed", "capture_cost", "trace_cost", "attribution_time")
    for name in names:
        monkeypatch.setattr(benchmarks, name, partial(measured, name))
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    figures = list(benchmarks.measure(CPU, batch=7))
    assert [figure.task for figure in figures] == [name for name, _ in asked]
    options = dict(asked)
    assert tuple(options) == names
    assert (options["training_speed"]["tokens"], options["decoding_speed"]["batch"]) == (4096, 7)
    where = {"device": "cpu", "threads": torch.get_num_threads(), "torch": torch.__version__}
    assert [figure.settings for figure in figures] == [{"of": name} | where for name, _ in asked]
    assert threads == [], "threads are left as they are"
    asked.clear()
    assert [figure.task for figure in benchmarks.measure(CPU, task="train", batch=7, threads=5)] == [
        "matrix_rate",
        "training_speed",
    ]
    assert asked[1][1]["tokens"] == 7
    assert threads == [5]
