"""M2M-100 and NLLB, against `transformers`."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

from headscope.model.errors import HeadscopeError
from headscope.model.interop.m2m_import import M2M_LANGUAGES, read_m2m
from headscope.model.network.positions import sinusoid_table
from headscope.model.translator import load_translator
from tests.model.interop.toys import (
    SHAPE,
    SOURCES,
    TEXTS,
    assert_same_inside,
    assert_same_translations,
    learn,
    mixtures,
    randomise,
    translator_of,
)
from tests.toys import SENTENCES

NLLB_LANGUAGES = ["ace_Arab", "deu_Latn", "eng_Latn", "zul_Latn"]
PAIR = ("en", "de")


@pytest.fixture(scope="module")
def sentencepiece() -> tuple[bytes, list[str]]:
    """A SentencePiece model as fairseq has it, and the pieces in fairseq's order."""
    model = io.BytesIO()
    SentencePieceTrainer.train(  # pyright: ignore[reportAttributeAccessIssue]
        sentence_iterator=iter(TEXTS), model_writer=model, vocab_size=120, model_type="bpe", minloglevel=2
    )
    processor = SentencePieceProcessor(model_proto=model.getvalue())
    pieces = [processor.id_to_piece(index) for index in range(3, 120)]
    return model.getvalue(), ["<s>", "<pad>", "</s>", "<unk>", *pieces]


def write_model(folder: Path, size: int, noise: float = 0.3, **changes: Any) -> Any:
    """A model with random weights as `transformers` writes it, and the model."""
    from transformers import M2M100Config, M2M100ForConditionalGeneration

    torch.manual_seed(0)
    config = M2M100Config(vocab_size=size, **SHAPE | changes)
    model = M2M100ForConditionalGeneration(config)
    randomise(model, noise)
    model.save_pretrained(folder)
    return M2M100ForConditionalGeneration.from_pretrained(folder, dtype=torch.get_default_dtype()).eval()


def m2m(folder: Path, sentencepiece: tuple[bytes, list[str]], **options: Any) -> tuple[Any, Any]:
    """A folder with a small M2M-100; the model and its tokenizer."""
    from transformers import M2M100Tokenizer

    folder.mkdir(parents=True, exist_ok=True)
    model, pieces = sentencepiece
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    (folder / "vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(pieces)}))
    tokenizer = M2M100Tokenizer.from_pretrained(folder, src_lang="en", tgt_lang="de")
    return write_model(folder, len(pieces) + len(M2M_LANGUAGES) + 8, **options), tokenizer


def nllb(folder: Path, sentencepiece: tuple[bytes, list[str]]) -> tuple[Any, Any]:
    """A folder with a small NLLB; the model and its tokenizer."""
    from transformers import NllbTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sentencepiece.bpe.model").write_bytes(sentencepiece[0])
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "NllbTokenizer"}))
    tokenizer = NllbTokenizer.from_pretrained(
        folder, src_lang="eng_Latn", tgt_lang="deu_Latn", additional_special_tokens=NLLB_LANGUAGES
    )
    tokenizer.save_pretrained(folder)
    return write_model(folder, len(tokenizer) + 2), tokenizer


def sharpen_positions(theirs: Any) -> None:
    """Their table is computed in float32, which shifts distant angles by more than is compared here."""
    for side in (theirs.get_encoder(), theirs.get_decoder()):
        table = side.embed_positions.weights
        exact = sinusoid_table(len(table) - 2, table.shape[1], "halves_fairseq")
        assert torch.allclose(table[2:], exact, rtol=0, atol=1e-4)
        table[2:] = exact


def test_same_inside(tmp_path, float64, sentencepiece):
    theirs, _ = m2m(tmp_path, sentencepiece)
    translator = translator_of(read_m2m(tmp_path, languages=PAIR))
    config = translator.model.config
    assert (config.norm, config.sinusoid_layout, config.share_output) == ("pre", "halves_fairseq", True)
    sharpen_positions(theirs)
    assert_same_inside(translator, theirs, SOURCES)


def test_nllb_inside(tmp_path, float64, sentencepiece):
    theirs, tokenizer = nllb(tmp_path, sentencepiece)
    translator = translator_of(read_m2m(tmp_path, languages=("eng_Latn", "deu_Latn")))
    assert translator.vocabulary.prefix == (tokenizer.convert_tokens_to_ids("deu_Latn"),)
    for text in SOURCES:
        ids = translator.vocabulary.encode(text, "source").ids
        assert [*ids, translator.vocabulary.end] == tokenizer(text)["input_ids"]
    sharpen_positions(theirs)
    assert_same_inside(translator, theirs, SOURCES)


def test_same_tokens(tmp_path, sentencepiece):
    _, tokenizer = m2m(tmp_path, sentencepiece)
    vocabulary = read_m2m(tmp_path, languages=PAIR).vocabulary
    for text in [*SOURCES, "Käse 日"]:
        found = vocabulary.encode(text, "source")
        assert [*found.ids, vocabulary.end] == tokenizer(text)["input_ids"]
        assert found.pieces[0] == "__en__"
        target = vocabulary.encode(text, "target").ids
        assert [*target, vocabulary.end] == tokenizer(text_target=text)["input_ids"]
        assert target[0] == vocabulary.prefix[0] == tokenizer.get_lang_id("de")
    written = tokenizer(text_target=SOURCES[0])["input_ids"]
    assert vocabulary.decode(written[:-1]) == tokenizer.decode(written[1:], skip_special_tokens=True) == SOURCES[0]


@pytest.fixture(scope="module")
def trained(tmp_path_factory, sentencepiece):
    """A folder with a model that writes something else for each sentence, and the model."""
    folder = tmp_path_factory.mktemp("m2m")
    still = dict.fromkeys(("dropout", "attention_dropout", "encoder_layerdrop", "decoder_layerdrop", "noise"), 0.0)
    theirs, tokenizer = m2m(folder, sentencepiece, d_model=32, init_std=0.18, **still)
    vocabulary = read_m2m(folder, languages=PAIR).vocabulary
    rows = [(vocabulary.encode(s, "source").ids, vocabulary.encode(t, "target").ids[1:]) for s, t in SENTENCES]
    learn(theirs, rows, steps=100, before=[vocabulary.start, *vocabulary.prefix])
    theirs.save_pretrained(folder)
    return folder, theirs, tokenizer.get_lang_id("de")


@pytest.mark.parametrize("beam", [1, 4])
def test_same_translations(trained, beam):
    folder, theirs, german = trained
    translator = translator_of(read_m2m(folder, languages=PAIR))
    options = {"forced_bos_token_id": german, "bad_words_ids": [[translator.vocabulary.pad]]}
    assert_same_translations(translator, theirs, mixtures(24), beam=beam, **options)


def test_the_language_is_prescribed_and_no_text(trained):
    folder, _, german = trained
    translator = translator_of(read_m2m(folder, languages=PAIR))
    for translation in translator.translate(SOURCES):
        best = translation.hypotheses[0]
        assert (best.pieces[0], best.log_probs[0]) == (german, 0.0)
        assert translation.targets[0].spans[0] == (0, 0)
        assert "__de__" not in translation.text
    assert translator.translate(["", " "])[1].hypotheses == ()


def test_saved_and_loaded(trained, tmp_path):
    folder, _, _ = trained
    imported = read_m2m(folder, languages=PAIR)
    imported.save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.card.languages == PAIR
    before, after = translator_of(imported).translate(SOURCES), loaded.translate(SOURCES)
    assert [translation.text for translation in before] == [translation.text for translation in after]


def problem(folder: Path, languages: tuple[str, str] | None = PAIR) -> str:
    """The one line that refuses a folder."""
    with pytest.raises(HeadscopeError) as caught:
        read_m2m(folder, languages=languages)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_languages(tmp_path, sentencepiece):
    m2m(tmp_path, sentencepiece)
    assert "name two, as en,de" in problem(tmp_path, None)
    assert "does not know the language 'xx'; it knows af, am, ar" in problem(tmp_path, ("en", "xx"))
    assert "does not know the language '../x'" in problem(tmp_path, ("../x", "de"))


def test_languages_that_the_files_name(tmp_path, sentencepiece):
    m2m(tmp_path, sentencepiece)
    (tmp_path / "special_tokens_map.json").write_text(json.dumps({"additional_special_tokens": ["__xx__", "__en__"]}))
    vocabulary = read_m2m(tmp_path, languages=("en", "xx")).vocabulary
    assert vocabulary.prefix == (len(sentencepiece[1]),)


def test_vocabulary_of_another_model(tmp_path, sentencepiece):
    m2m(tmp_path, sentencepiece)
    pieces = [*sentencepiece[1], *(f"more{index}" for index in range(9))]
    (tmp_path / "vocab.json").write_text(json.dumps({piece: index for index, piece in enumerate(pieces)}))
    assert "has 230 pieces, the model 229" in problem(tmp_path)
    (tmp_path / "vocab.json").unlink()
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": []}}))
    assert "holds no vocabulary of pieces" in problem(tmp_path)
    (tmp_path / "tokenizer.json").write_text(json.dumps({"model": {"vocab": {"a": 0, "b": 0}}}))
    assert "are not 0 to 1, each once" in problem(tmp_path)


def test_position_tables_in_the_file(tmp_path, sentencepiece):
    m2m(tmp_path, sentencepiece)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    table = torch.cat([torch.zeros(2, 16), sinusoid_table(30, 16, "halves_fairseq")])
    save_file(tensors | {"model.encoder.embed_positions.weights": table}, path)
    assert read_m2m(tmp_path, languages=PAIR).config.sinusoid_layout == "halves_fairseq"
    save_file(tensors | {"model.encoder.embed_positions.weights": table + 0.1}, path)
    assert "no sinusoids that are known" in problem(tmp_path)


def test_another_kind_of_model(tmp_path, sentencepiece):
    m2m(tmp_path, sentencepiece)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"model_type": "mbart"}))
    assert "model_type = 'mbart'" in problem(tmp_path)
