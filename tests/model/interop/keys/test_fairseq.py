"""Arguments of the model among those of its training."""

import pytest

from headscope.model.interop.keys.fairseq import GENERATION, MODEL, of_the_model


@pytest.mark.parametrize(
    "key", ["lr", "lr_scheduler", "adam_betas", "warmup_updates", "clip_norm", "max_tokens", "seed", "distributed_rank"]
)
def test_arguments_of_the_training_are_left_out(key: str):
    assert of_the_model({key: 1, "encoder_layers": 6}) == {"encoder_layers": 6}


def test_what_the_model_knows_stays_whatever_it_begins_with():
    values = dict.fromkeys(sorted(MODEL.known), 1)
    assert of_the_model(values) == values


def test_what_nobody_knows_stays_and_is_named():
    assert of_the_model({"invented": 3, "lra": 1}) == {"invented": 3, "lra": 1}
    (note,) = MODEL.notes(of_the_model({"invented": 3, "lr": 1}))
    assert note.startswith("invented = 3 is not obeyed: ")


def test_defaults_of_a_search_need_no_note():
    assert GENERATION.notes({"min_len": 1, "unkpen": 0, "diverse_beam_groups": -1, "beam": 5}) == []
    assert len(GENERATION.notes({"min_len": 2, "sampling": True})) == 2
