"""A model of another toolkit as one of our checkpoints."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from headscope.model.card import UNKNOWN_LANGUAGES
from headscope.model.errors import HeadscopeError
from headscope.model.interop.imported import Imported, named_languages
from headscope.model.search.settings import SearchSettings
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.translator import load_translator
from tests.toys import letters, tiny_model


def imported(**changes: object) -> Imported:
    """A small model over letters."""
    size = letters().size("source")
    model = tiny_model(source_vocabulary=size, target_vocabulary=size)
    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    origin = {"toolkit": "a toy", "name": "letters", "licence": None}
    found = Imported(model.config, weights, letters(), ("ab", "ba"), origin, SearchSettings(beam=3))
    return replace(found, **changes)


def test_the_model_has_the_weights_and_learns_no_more():
    found = imported()
    model = found.model()
    assert not model.training
    for name, parameter in model.named_parameters():
        assert torch.equal(parameter, found.weights[name])
        assert not parameter.requires_grad


def test_a_vocabulary_of_another_model():
    small = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", "a"]])
    with pytest.raises(HeadscopeError, match="the source vocabulary has 5 pieces, the model's table 30 rows"):
        imported(vocabulary=small).model()


def test_what_is_saved_is_what_was_imported(tmp_path: Path):
    imported().save(tmp_path / "m")
    card = load_translator(tmp_path / "m", "cpu").card
    assert (card.languages, card.search) == (("ab", "ba"), SearchSettings(beam=3))
    assert card.training["imported"] == {"toolkit": "a toy", "name": "letters", "licence": None}


def test_half_precision_where_it_loses_nothing(tmp_path: Path):
    whole = imported()
    half = imported(weights={name: tensor.half().float() for name, tensor in whole.weights.items()})
    for found, dtype in ((whole, torch.float32), (half, torch.float16)):
        found.save(tmp_path / str(dtype))
        assert {tensor.dtype for tensor in load_file(tmp_path / str(dtype) / "model.safetensors").values()} == {dtype}


def test_what_is_known_of_it(translator):
    assert imported().languages_known
    assert not imported(languages=UNKNOWN_LANGUAGES).languages_known
    assert imported().kind_of_text == "pieces with blanks between them"
    assert imported(vocabulary=translator.vocabulary).kind_of_text == "text, cut by SentencePiece"


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("opus-mt-en-de", ("en", "de")),
        ("opus-mt-tc-big-fr-en", ("fr", "en")),
        ("somebody/zh_Hans-deu", ("zh_Hans", "deu")),
        ("en-de", ("en", "de")),
        ("opus-mt-en-de-2", None),
        ("m2m100_418M", None),
        ("en-German", None),
    ],
)
def test_languages_that_a_name_ends_with(name: str, languages: tuple[str, str] | None):
    assert named_languages(name) == languages
