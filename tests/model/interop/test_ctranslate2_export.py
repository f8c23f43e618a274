"""Our models in CTranslate2, against ourselves."""

import json
import sys
from pathlib import Path

import pytest
import torch

from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.interop.ctranslate2_export import export_ctranslate2
from headscope.model.interop.ctranslate2_import import read_ctranslate2
from headscope.model.network.linear import Linear
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator
from tests.model.interop.ctranslate2_toys import OPEN, package
from tests.model.interop.toys import LONGEST, mixtures, translator_of
from tests.toys import letters, random_letters, tiny_model


def toy(**changes) -> Translator:
    """An untrained model over letters, in which encoder and decoder differ in everything."""
    size = letters().size("source")
    model = tiny_model(source_vocabulary=size, target_vocabulary=size, **changes)
    return Translator(model, letters(), Card(Path("toy"), "toy", model.config, ("ab", "ba")))


@pytest.mark.parametrize(("beam", "alpha"), [(1, 1.0), (4, 1.0), (4, 0.0)])
def test_same_translations_of_200_sentences(reverser, tmp_path, beam, alpha):
    export_ctranslate2(reverser, tmp_path / "m")
    texts = random_letters(200, 9, seed=5)
    settings = SearchSettings(
        beam=beam, penalty=LengthPenalty(alpha, "power"), extra_length=LONGEST, longest=LONGEST, finish="top"
    )
    ours = reverser.translate(texts, settings=settings)
    options = {"length_penalty": alpha, "max_decoding_length": LONGEST} | ({"patience": 20.0} if beam > 1 else {})
    theirs = package(tmp_path / "m").translate_batch(
        [text.split() for text in texts], beam_size=beam, return_scores=True, **options, **OPEN
    )
    compared = []
    for translation, result in zip(ours, theirs, strict=True):
        # What it cuts off at the greatest length competes with what has ended, but not in ours.
        if len(result.hypotheses[0]) < LONGEST or beam == 1:
            assert translation.text.split() == result.hypotheses[0]
            assert translation.hypotheses[0].score == pytest.approx(result.scores[0], abs=1e-4)
            compared.append(translation.text)
    assert len(compared) > 150
    assert len(set(compared)) > 100


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"norm": "pre", "activation": "gelu", "norm_epsilon": 1e-3, "scale_embedding": False},
        {"positions": "learned", "position_table": 40, "activation": "silu", "share_output": False},
        {"zero_start": True, "logits_bias": True, "sinusoid_layout": "halves_opennmt", "source_end": False},
        {"share_source_target": False, "attention_bias": False, "feed_forward_bias": False},
    ],
    ids=lambda changes: " ".join(changes),
)
def test_same_scores_and_back_again(tmp_path, changes):
    translator = toy(**changes)
    export_ctranslate2(translator, tmp_path / "m")
    texts = random_letters(6, 8)
    pairs = list(zip(texts, reversed(texts), strict=True))
    ours = translator.score(pairs)
    theirs = package(tmp_path / "m").score_batch([s.split() for s, _ in pairs], [t.split() for _, t in pairs])
    again = translator_of(read_ctranslate2(tmp_path / "m"))
    for scored, result, other in zip(ours, theirs, again.score(pairs), strict=True):
        assert result.log_probs == pytest.approx(scored.log_probs, abs=1e-4)
        assert other.log_probs == pytest.approx(scored.log_probs, abs=1e-5)
    different = {key for key, value in translator.model.config if value != getattr(again.model.config, key)}
    assert different <= {"dropout", "position_table"}


def test_it_says_which_searches_differ(reverser, tmp_path):
    notes = export_ctranslate2(reverser, tmp_path / "m")
    assert any("length_penalty 0" in note and "differs in some sentences" in note for note in notes)


@pytest.mark.parametrize("quantization", ["int8", "int16", "float16"])
def test_the_model_itself_stays_as_it_is(reverser, tmp_path, quantization):
    before = {name: parameter.clone() for name, parameter in reverser.model.named_parameters()}
    export_ctranslate2(reverser, tmp_path / "m", quantization=quantization)
    assert all(torch.equal(before[name], parameter) for name, parameter in reverser.model.named_parameters())


def test_int8(reverser, tmp_path):
    export_ctranslate2(reverser, tmp_path / "m", quantization="int8")
    export_ctranslate2(reverser, tmp_path / "whole")
    size, whole = ((tmp_path / name / "model.bin").stat().st_size for name in ("m", "whole"))
    linears = [layer for layer in reverser.model.modules() if isinstance(layer, Linear)]
    assert whole - size > 2.5 * sum(layer.weight.numel() for layer in linears)
    again = translator_of(read_ctranslate2(tmp_path / "m"))
    for name, weight in reverser.model.named_parameters():
        if weight.dim() == 2 and "embedding" not in name:  # tables have another order there
            step = weight.abs().amax(1, keepdim=True) / 127
            assert ((again.model.get_parameter(name) - weight).abs() <= 0.501 * step).all()
    texts = random_letters(50, 6)
    settings = SearchSettings(beam=1, extra_length=LONGEST, longest=LONGEST)
    theirs = package(tmp_path / "m").translate_batch(
        [text.split() for text in texts], beam_size=1, max_decoding_length=LONGEST, **OPEN
    )
    ours = again.translate(texts, settings=settings)
    assert [translation.text.split() for translation in ours] == [result.hypotheses[0] for result in theirs]


def test_sentencepiece_goes_along(translator, tmp_path):
    notes = export_ctranslate2(translator, tmp_path / "m")
    assert any("NFC" in note for note in notes)
    assert any("2,048 pieces" in note for note in notes)
    vocabulary, texts = translator.vocabulary, mixtures(10)
    settings = SearchSettings(beam=1, extra_length=LONGEST, longest=LONGEST)
    cut = [list(vocabulary.encode(text, "source").pieces) for text in texts]
    theirs = package(tmp_path / "m").translate_batch(cut, beam_size=1, max_decoding_length=LONGEST, **OPEN)
    for result, ours in zip(theirs, translator.translate(texts, settings=settings), strict=True):
        assert result.hypotheses[0] == [vocabulary.piece(index, "target") for index in ours.hypotheses[0].pieces]
    again = read_ctranslate2(tmp_path / "m").vocabulary
    assert again.decode(again.encode("The old house", "source").ids) == "The old house"


def test_nothing_is_overwritten(reverser, tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "mine").write_text("kept")
    with pytest.raises(HeadscopeError, match="is there already"):
        export_ctranslate2(reverser, tmp_path / "m")
    assert [path.name for path in tmp_path.rglob("*")] == ["m", "mine"]


def test_nothing_half_written(reverser, tmp_path, monkeypatch):
    monkeypatch.setattr("headscope.model.interop.ctranslate2_export.copy_models", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        export_ctranslate2(reverser, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_package_that_is_not_installed(reverser, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ctranslate2.specs.transformer_spec", None)
    with pytest.raises(HeadscopeError, match=r"pip install 'headscope\[export\]'"):
        export_ctranslate2(reverser, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_settings_in_the_folder(reverser, tmp_path):
    export_ctranslate2(reverser, tmp_path / "m")
    config = json.loads((tmp_path / "m" / "config.json").read_text())
    assert (config["decoder_start_token"], config["add_source_eos"]) == ("<s>", True)
    assert torch.tensor(config["layer_norm_epsilon"]) == torch.tensor(1e-5)
