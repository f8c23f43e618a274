"""Our models in the MarianMT format, against `transformers`."""

import dataclasses
from pathlib import Path

import pytest
import torch

from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.interop.marian_export import export_marian
from headscope.model.interop.marian_import import read_marian
from headscope.model.translator import Translator
from tests.model.interop.toys import (
    SOURCES,
    assert_same_inside,
    assert_same_translations,
    mixtures,
    small_marian,
    translator_of,
)
from tests.toys import letters, random_letters, tiny_model


def opened(folder: Path):
    """The model, as `transformers` opens it; nothing may be missing or left over."""
    from transformers import MarianMTModel

    model, report = MarianMTModel.from_pretrained(folder, dtype=torch.get_default_dtype(), output_loading_info=True)
    assert not any(report.values())
    return model


def toy(**changes) -> Translator:
    """An untrained model over letters, in which encoder and decoder differ in everything."""
    size = letters().size("source")
    model = tiny_model(source_vocabulary=size, target_vocabulary=size, **changes)
    return Translator(model, letters(), Card(Path("toy"), "toy", model.config, ("ab", "ba")))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"sinusoid_layout": "halves", "logits_bias": True, "activation": "silu"},
        {"share_source_target": False, "attention_bias": False, "feed_forward_bias": False},
        {"share_output": False, "scale_embedding": False},
        {"share_source_target": False, "share_output": False, "activation": "gelu"},
    ],
    ids=lambda changes: " ".join(changes) or "ours",
)
def test_same_inside(tmp_path, float64, changes):
    translator = toy(**changes)
    export_marian(translator, tmp_path / "m")
    width = translator.model.config.d_model
    apart = [*range(0, width, 2), *range(1, width, 2)]
    channels = apart if translator.model.config.sinusoid_layout == "interleaved" else None
    assert_same_inside(translator, opened(tmp_path / "m"), random_letters(4, 8), channels=channels)


@pytest.fixture(scope="module")
def exported(translator, tmp_path_factory):
    """A trained model of ours, exported."""
    folder = tmp_path_factory.mktemp("exported") / "m"
    export_marian(translator, folder)
    return folder


@pytest.mark.parametrize("beam", [1, 4])
def test_same_translations(translator, exported, beam):
    ours = Translator(translator.model, translator.vocabulary, translator.card)
    ours.__dict__["settings"] = dataclasses.replace(translator.settings, finish="top")
    assert_same_translations(ours, opened(exported), mixtures(48), beam=beam)


def test_same_tokenizer(translator, exported):
    from transformers import MarianTokenizer

    tokenizer, vocabulary = MarianTokenizer.from_pretrained(exported), translator.vocabulary
    for text in [*SOURCES, "Käse, 日本!"]:
        ids = vocabulary.encode(text, "source").ids
        assert tokenizer(text)["input_ids"] == [*ids, vocabulary.end]
        assert tokenizer.decode(ids) == vocabulary.decode(ids)
    assert (tokenizer.source_lang, tokenizer.target_lang) == translator.card.languages


def test_whole_pipeline(translator, exported):
    """Text to text, as a user of `transformers` would."""
    from transformers import MarianTokenizer

    tokenizer, model = MarianTokenizer.from_pretrained(exported), opened(exported)
    inputs = tokenizer(SOURCES, return_tensors="pt", padding=True)
    made = tokenizer.batch_decode(model.generate(**inputs), skip_special_tokens=True)
    assert made == [translation.text for translation in translator.translate(SOURCES)]


def test_imported_exported_and_imported(tmp_path):
    small_marian(tmp_path / "one", ">>deu<<", ">>fra<<")
    first = read_marian(tmp_path / "one")
    export_marian(translator_of(first), tmp_path / "two")
    second = read_marian(tmp_path / "two")
    assert second.config == first.config
    assert all(torch.equal(weight, second.weights[name]) for name, weight in first.weights.items())
    text = ">>fra<< The old house"
    assert second.vocabulary.encode(text, "source") == first.vocabulary.encode(text, "source")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("norm", "pre"),
        ("norm_epsilon", 1e-6),
        ("positions", "learned"),
        ("sinusoid_layout", "halves_tensor2tensor"),
        ("zero_start", True),
        ("source_end", False),
    ],
)
def test_what_marian_cannot_be(tmp_path, key, value):
    with pytest.raises(HeadscopeError, match=f"{key} = {value!r}: a Marian model has"):
        export_marian(toy(**{key: value}), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_symbols_have_no_tokenizer(tmp_path):
    notes = export_marian(toy(), tmp_path / "m")
    assert any("has no tokenizer" in note for note in notes)
    assert any("no GNMT length penalty" in note for note in notes)
    assert (tmp_path / "m" / "vocab.json").exists()


def test_nothing_is_overwritten(tmp_path):
    export_marian(toy(), tmp_path / "m")
    with pytest.raises(HeadscopeError, match="is there already"):
        export_marian(toy(), tmp_path / "m")
