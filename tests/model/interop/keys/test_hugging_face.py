"""Every key that `transformers` writes is accounted for."""

import json
from pathlib import Path

import pytest

from headscope.model.interop.keys.hugging_face import MODEL, TOKENIZER


def test_all_keys_of_its_configurations():
    from transformers import GenerationConfig, M2M100Config, MarianConfig

    for made in (MarianConfig(), M2M100Config(), GenerationConfig()):
        assert set(made.to_dict()) - MODEL.known == set()


def test_defaults_of_the_package_need_no_note():
    from transformers import GenerationConfig, MarianConfig

    assert MODEL.notes(MarianConfig().to_dict() | GenerationConfig().to_dict()) == []


@pytest.mark.parametrize("pair", ["fr-en", "zh-en"])
def test_published_models_need_no_note(shared: Path, pair: str):
    folder = shared / "data" / "opus_mt_shapes" / pair
    assert MODEL.notes(json.loads((folder / "config.json").read_text())) == []
    assert TOKENIZER.notes(json.loads((folder / "tokenizer_config.json").read_text())) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("early_stopping", True),
        ("min_length", 5),
        ("suppress_tokens", [3]),
        ("begin_suppress_tokens", [3]),
        ("no_repeat_ngram_size", 3),
        ("repetition_penalty", 1.2),
        ("do_sample", True),
        ("forced_decoder_ids", [[1, 4]]),
        ("invented", 1),
    ],
)
def test_what_changes_translations_is_named(key, value):
    (note,) = MODEL.notes({key: value})
    assert note.startswith(f"{key} = {value!r} is not obeyed: ")


def test_lower_case_is_named():
    for key in ("lowercase", "do_lower_case"):
        assert TOKENIZER.notes({key: True}) == [f"{key} = True is not obeyed: give texts in lower case"]
