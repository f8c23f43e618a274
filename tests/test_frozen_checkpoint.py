"""A checkpoint of format 1 that is never written again: everything in its folder is read as it was meant."""

from pathlib import Path

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.gallery.record import load_gallery
from headscope.analysis.measures.head_measures import MEASURES, head_measures
from headscope.analysis.measures.history import HISTORY, load_history
from headscope.analysis.measures.profile import head_profile, load_profile
from headscope.analysis.records.heads import Head, all_heads
from headscope.analysis.search.study import load_study
from headscope.model.search.settings import SearchSettings
from headscope.model.training.run_directory import read_metrics
from headscope.model.translator import Translator, load_translator
from tests.toys import SENTENCES

FROZEN = Path(__file__).with_name("data") / "checkpoint_v1"
DIGEST = "d971605a44d09526e69b0e819ec8002b"
KNOWN = SENTENCES[2:5]
TOTALS = (-0.01053096, -0.01260252, -0.01052882)
"""Log-probabilities of the translations of `KNOWN`, in nats."""


@pytest.fixture(scope="module")
def frozen() -> Translator:
    return load_translator(FROZEN, "cpu")


def test_the_same_weights(frozen):
    assert frozen.weights_digest == DIGEST


def test_the_same_description(frozen):
    card = frozen.card
    assert (card.name, card.languages, card.search) == ("checkpoint_v1", ("en", "de"), SearchSettings())
    config = card.config
    assert (config.d_model, config.source_vocabulary, config.target_vocabulary) == (16, 310, 310)
    assert (config.encoder.layers, config.encoder.heads, config.encoder.feed_forward) == (1, 2, 16)
    assert (config.positions, config.sinusoid_layout, config.position_table) == ("sinusoidal", "interleaved", 256)
    assert (config.norm, config.activation, config.share_source_target, config.share_output) == (
        "post",
        "relu",
        True,
        True,
    )
    assert (card.trained_length("source"), card.trained_length("target")) == (35, 39)
    assert card.positions["source"][24:29] == (6300, 4200, 4200, 4200, 2100)
    assert (card.training["updates"], card.training["averaged_updates"]) == (700, [700])
    assert card.scores["dev"]["nll"] == 0.00030041060277393887
    assert [row["step"] for row in read_metrics(FROZEN) if row["kind"] == "validation"] == [175, 350, 525, 700]


def test_the_same_translations(frozen):
    found = frozen.translate([source for source, _ in KNOWN])
    assert [translation.text for translation in found] == [target for _, target in KNOWN]
    assert [translation.hypotheses[0].total for translation in found] == pytest.approx(TOTALS, abs=1e-4)


def test_the_same_pieces(frozen):
    found = frozen.vocabulary.encode("How much, Café?", "source")
    assert found.ids == (277, 298, 283, 303, 277, 301, 288, 261, 48, 277, 71, 285, 106, 199, 173, 296)
    assert frozen.vocabulary.decode(found.ids, "source") == "How much, Café?"


def test_the_profile(frozen):
    profile, now = load_profile(FROZEN), head_profile(frozen, KNOWN)
    assert profile
    assert profile.weights == DIGEST
    assert (profile.heads, profile.sentences, profile.left_out) == (all_heads(frozen.model.config), 3, 0)
    np.testing.assert_allclose(
        profile.mean["entropy"], [0.764946, 1.31594, 0.609242, 0.56823, 1.61195, 1.86287], rtol=1e-6
    )
    assert np.isnan(profile.mean["largest_coverage"]).all(), "the file is older than this measure"
    for name in MEASURES.keys() - {"largest_coverage"}:
        for kept, found in (
            (profile.mean, now.mean),
            (profile.deviation, now.deviation),
            (profile.quantiles, now.quantiles),
        ):
            np.testing.assert_allclose(kept[name], found[name], rtol=1e-4, atol=1e-5)


def test_the_gallery(frozen):
    gallery = load_gallery(frozen.card)
    assert gallery
    assert (gallery.weights, gallery.licence, gallery.beam, gallery.length_penalty) == (DIGEST, "MIT", 4, 0.6)
    assert [example.question for example in gallery.examples] == ["diagonality", "previous_peak", "end", "idle"]
    first = gallery.examples[0]
    assert (first.head, first.number.value, first.number.sentences) == (Head("cross", 0, 0), -0.00136601, 1)
    maps = attention_maps(frozen, first.sentence.source)
    assert first.sentence.target == maps.predicts.text
    assert first.sentence.weights == pytest.approx(maps.cross[0][0], abs=1 / 500)
    found = head_measures(maps)
    assert first.sentence.value == pytest.approx(found.values["diagonality"][found.heads.index(first.head)], abs=1e-3)


def test_the_study_of_searches(frozen):
    study = load_study(frozen.card)
    assert study
    assert (study.weights, study.sentences, study.modes.proven) == (DIGEST, 3, 3)
    assert [(point.beam, point.alpha) for point in study.points] == [
        (beam, alpha) for beam in (1, 2, 4) for alpha in (0.0, 0.6)
    ]
    assert [point.log_prob for point in study.points] == [-0.0112] * 6
    (worked,) = study.examples
    assert (worked.lesson, worked.source, worked.a.text, worked.b.beam) == ("greedy", *KNOWN[1], 4)


def test_the_history(frozen):
    history = load_history(FROZEN / HISTORY)
    assert (history.watched, history.sentences) == (KNOWN, 3)
    assert [moment.step for moment in history.moments] == [0, 1, 700]
    head = history.heads.index(Head("cross", 0, 0))
    entropies = [moment.measures["entropy"][head] for moment in history.moments]
    assert entropies == pytest.approx([3.0382495, 3.036489, 1.611948], abs=1e-6)
    kept = history.weights(1, "cross")[-1]
    np.testing.assert_allclose(kept, np.stack(attention_maps(frozen, *KNOWN[1]).cross), atol=0.5 / 255 + 1e-3)
