"""What follows from a history."""

import json
from dataclasses import replace

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.course import (
    curves,
    development_losses,
    head_so_far,
    last_loss,
    nearest,
    roles_taken,
    steps,
    watched_maps,
)
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from tests.histories import STEPS, toy_history, toy_run


@pytest.fixture(scope="module")
def history(translator):
    return toy_history(translator)


def test_curves_are_a_row_a_snapshot(history):
    assert steps(history) == STEPS
    found = curves(history, "relative_entropy")
    assert found.shape == (3, len(history.heads))
    np.testing.assert_allclose(found[:, 1], (0.95, 0.89, 0.9))
    table = history.to_pandas()
    first = table[(table.measure == "relative_entropy") & (table.kind == "encoder") & (table.layer == 0)]
    np.testing.assert_allclose(first[first["head"] == 1]["mean"], (0.95, 0.89, 0.9))
    with pytest.raises(HeadscopeError, match="no measure 'warmth': choose one of"):
        curves(history, "warmth")


def test_a_role_is_taken_at_the_first_snapshot_after_which_it_is_kept(history):
    from_the_start, since_the_last, no_more = (roles_taken(history, head) for head in history.heads[:3])
    assert [(each.role.name, each.step) for each in from_the_start] == [("looks everywhere", 0)]
    assert [(each.role.name, each.step) for each in since_the_last] == [("looks everywhere", 40)]
    assert no_more == ()


def test_a_watched_sentence_is_a_record_of_the_model_at_that_step(history, translator):
    source, target = history.watched[1]
    real = attention_maps(translator, source, target)
    found = watched_maps(translator, history, 1)
    assert (found.source, found.reads, found.predicts) == (real.source, real.reads, real.predicts)
    for kind in real.maps:
        assert np.array_equal(found.allowed[kind], real.allowed[kind])
        np.testing.assert_allclose(np.stack(found.layers(kind)), np.stack(real.layers(kind)), atol=1 / 510 + 1e-6)
    assert np.isnan(found.log_probs).all()
    before = watched_maps(translator, history, 1, 1)
    np.testing.assert_allclose(before.cross[0], found.cross[0] / 2, atol=1 / 255)
    assert before.fingerprint != found.fingerprint != watched_maps(translator, history, 0).fingerprint


def test_a_history_of_another_vocabulary_is_said(history, translator):
    other = replace(history, watched=tuple((f"{source} {source}", target) for source, target in history.watched))
    with pytest.raises(HeadscopeError, match="cuts text in another way"):
        watched_maps(translator, other, 0)


def test_the_last_validation_until_a_step(tmp_path):
    assert development_losses(tmp_path) == {}
    rows = [{"kind": "update", "step": 5}, {"kind": "validation", "step": 10, "nll": 3.5}]
    rows.append({"kind": "validation", "step": 20, "nll": 2.5})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "metrics.jsonl").write_text(text + '{"kind": "vali', "utf-8")
    found = development_losses(tmp_path)
    assert found == {10: 3.5, 20: 2.5}
    assert [last_loss(found, step) for step in (0, 9, 10, 19, 20, 99)] == [
        *(None, None, (10, 3.5), (10, 3.5), (20, 2.5), (20, 2.5))
    ]
    (tmp_path / "metrics.jsonl").write_text('{"kind": "validation", "step": 1}\n', "utf-8")
    with pytest.raises(HeadscopeError, match=r"metrics\.jsonl holds rows of something else"):
        development_losses(tmp_path)


def test_the_nearest_moment_until_a_step():
    assert [nearest(STEPS, step) for step in (None, 0, 1, 39, 40, 10**6)] == [2, 0, 1, 1, 2, 2]
    assert nearest((5, 6), 0) == 0


def test_a_head_of_a_run_so_far(history, translator, checkpoint, tmp_path):
    with pytest.raises(HeadscopeError, match="no snapshot was measured"):
        head_so_far(tmp_path, 0, Head("cross", 0, 0))
    toy_run(tmp_path, translator, checkpoint)
    head = Head("cross", 1, 1)
    found = head_so_far(tmp_path, 1, head)
    assert found.steps == (0, 1)
    np.testing.assert_allclose(found.weights, history.weights(1, "cross")[:2, head.layer, head.head])
    assert found.weights.shape[1:] == (len(found.last.reads), len(found.last.source))
    for sentence, other in ((99, head), (0, Head("cross", 9, 0))):
        with pytest.raises(HeadscopeError, match="watches no"):
            head_so_far(tmp_path, sentence, other)
    (tmp_path / "history" / "step-0000001.npz").write_bytes(b"PK torn")
    with pytest.raises(HeadscopeError, match=r"step-0000001\.npz is not a history"):
        head_so_far(tmp_path, 1, head)
    (tmp_path / "history" / "step-0000001.npz").unlink()
    (tmp_path / "run.json").write_text("{}", "utf-8")
    with pytest.raises(HeadscopeError, match=r"run\.json is not that of a training run"):
        head_so_far(tmp_path, 1, head)
