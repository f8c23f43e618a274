"""MarianMT models, against `transformers`."""

import json
import shutil

import pytest
import torch
from safetensors.torch import load_file

from headscope.model.errors import HeadscopeError
from headscope.model.interop.marian_import import read_marian
from headscope.model.translator import load_translator
from tests.model.interop.toys import (
    SOURCES,
    assert_same_inside,
    assert_same_translations,
    change_json,
    learn,
    marian_pieces,
    mixtures,
    real_marian,
    sentencepiece,
    small_marian,
    translator_of,
    write_marian,
)
from tests.toys import SENTENCES

FRENCH = ["Le vieux château a été vendu l'été dernier.", "Combien coûte un billet ?", "Bonjour", "Il neige… 5 °C !"]
CHINESE = ["你好，世界！", "昨天我在河边看到一座老房子。", "多少钱？"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a model that writes something else for each sentence, and the model."""
    folder = tmp_path_factory.mktemp("trained")
    theirs = small_marian(folder, d_model=32, dropout=0.0, noise=0.0, init_std=0.18)
    vocabulary = read_marian(folder).vocabulary
    rows = [(vocabulary.encode(s, "source").ids, vocabulary.encode(t, "target").ids) for s, t in SENTENCES]
    learn(theirs, rows, steps=80, before=[vocabulary.start])
    theirs.final_logits_bias[0, vocabulary.end] += 2  # so that most of what it writes comes to an end
    theirs.save_pretrained(folder)
    return folder, theirs


@pytest.mark.parametrize(
    "changes", [{}, {"activation_function": "relu"}, {"activation_function": "gelu", "scale_embedding": False}], ids=str
)
def test_same_inside(tmp_path, float64, changes):
    theirs = small_marian(tmp_path, **changes)
    assert_same_inside(translator_of(read_marian(tmp_path)), theirs, SOURCES)


@pytest.mark.parametrize("tied", [True, False])
def test_separate_vocabularies(tmp_path, float64, tied):
    model, pieces = sentencepiece()
    target_model, target = sentencepiece(340)
    (tmp_path / "source.spm").write_bytes(model)
    (tmp_path / "target.spm").write_bytes(target_model)
    padded = marian_pieces(target, *(f"more{i}" for i in range(20)))
    theirs = write_marian(tmp_path, marian_pieces(pieces), [*padded, "beyond"], tie_word_embeddings=tied)
    translator = translator_of(read_marian(tmp_path))
    assert (translator.vocabulary.size("source"), translator.vocabulary.size("target")) == (359, 360)
    assert not translator.model.config.share_source_target
    assert translator.model.config.share_output == tied
    assert_same_inside(translator, theirs, SOURCES)


@pytest.mark.parametrize(("beam", "alpha"), [(1, 1.0), (2, 1.0), (4, 1.0), (4, 0.6), (4, 0.0)])
def test_same_translations(trained, beam, alpha):
    folder, theirs = trained
    assert_same_translations(translator_of(read_marian(folder)), theirs, mixtures(24), beam=beam, alpha=alpha)


def test_same_translations_when_padding_shares_no_probability(trained, tmp_path):
    folder, theirs = trained
    shutil.copytree(folder, tmp_path / "m")
    change_json(tmp_path / "m", "generation_config.json", renormalize_logits=True)
    translator = translator_of(read_marian(tmp_path / "m"))
    assert_same_translations(translator, theirs, mixtures(24), beam=4, renormalize_logits=True)
    scored = translator.score([(SOURCES[0], SOURCES[1])])[0].total
    assert scored > translator_of(read_marian(folder)).score([(SOURCES[0], SOURCES[1])])[0].total + 1e-3


@pytest.mark.parametrize(("files", "texts"), [("fr-en", FRENCH), ("zh-en", CHINESE)])
def test_real_tokenizer_files(tmp_path, shared, float64, files, texts):
    from transformers import MarianTokenizer

    theirs = real_marian(tmp_path, shared / "data" / "opus_mt_shapes" / files)
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    translator = translator_of(read_marian(tmp_path))
    vocabulary = translator.vocabulary
    for text in texts:
        ids = vocabulary.encode(text, "source").ids
        assert [*ids, vocabulary.end] == tokenizer(text)["input_ids"]
        assert ids
    english = tokenizer(text_target="The old castle was sold last summer (5 times)!")["input_ids"]
    # Its default decodes with the source's SentencePiece model, which gives the same text for plain pieces.
    assert vocabulary.decode(english[:-1]) == tokenizer.decode(
        english, skip_special_tokens=True, use_source_tokenizer=False
    )
    assert vocabulary.piece(vocabulary.unknown, "source") == "<unk>"
    assert_same_inside(translator, theirs, texts)


def test_pieces_that_the_vocabulary_lacks_are_unknown(tmp_path, shared):
    from transformers import MarianTokenizer

    real_marian(tmp_path, shared / "data" / "opus_mt_shapes" / "zh-en")
    vocabulary = read_marian(tmp_path).vocabulary
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    missing = [
        piece for piece in (tokenizer.spm_source.id_to_piece(i) for i in range(32000)) if piece not in tokenizer.encoder
    ]
    assert len(missing) == 39
    ids = vocabulary.encode(missing[-1], "source").ids
    assert [*ids, vocabulary.end] == tokenizer(missing[-1])["input_ids"]
    assert vocabulary.unknown in ids


def test_languages_and_licence(marian, tmp_path):
    folder = shutil.copytree(marian, tmp_path / "opus-mt-tc-big-xx-yy")
    assert read_marian(folder).languages == ("xx", "yy")
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "fr", "target_lang": "en"}))
    assert read_marian(folder).languages == ("fr", "en")
    assert read_marian(folder, languages=("a", "b")).languages == ("a", "b")
    assert read_marian(folder).origin["licence"] is None
    (folder / "README.md").write_text("---\nlanguage:\n- fr\nlicense: cc-by-4.0\n---\n# A model\nlicense: none\n")
    assert read_marian(folder).origin["licence"] == "cc-by-4.0"


def test_unknown_languages(marian):
    assert read_marian(marian).languages == ("source", "target")


def test_language_tags(tmp_path):
    from transformers import MarianTokenizer

    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    vocabulary = read_marian(tmp_path).vocabulary
    tokenizer = MarianTokenizer.from_pretrained(tmp_path)
    for text in (">>deu<< The old house", ">>fra<<The >>deu<< house", ">>deu<<  a << b"):
        found = vocabulary.encode(text, "source")
        assert [*found.ids, vocabulary.end] == tokenizer(text)["input_ids"]
        assert found.pieces[0] == text[found.spans[0][0] : found.spans[0][1]] == text[:7]
        assert vocabulary.encode_ids([text], "source") == [list(found.ids)]
    assert vocabulary.encode("Das >>deu<< Haus", "target").pieces[0] != ">>deu<<"


def test_a_language_has_to_be_named(tmp_path):
    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    translator = translator_of(read_marian(tmp_path))
    found = translator.translate(["The house", ">>eng<< The house", ">>deu<< The house", ">>deu<< ", "  "])
    assert found[0].problem == "this model writes several languages: begin the text with one of >>deu<<, >>fra<<"
    assert found[1].problem == "'>>eng<<' is no language of this model: begin the text with one of >>deu<<, >>fra<<"
    assert [translation.problem for translation in found[2:]] == [None] * 3
    assert [bool(translation.hypotheses) for translation in found] == [False, False, True, False, False]
    with pytest.raises(HeadscopeError, match="several languages"):
        translator.source("The house")


def test_half_precision(tmp_path, float64):
    theirs = small_marian(tmp_path / "fp16", dtype=torch.float16)
    imported = read_marian(tmp_path / "fp16")
    assert_same_inside(translator_of(imported), theirs, SOURCES)
    imported.save(tmp_path / "checkpoint")
    assert load_file(tmp_path / "checkpoint" / "model.safetensors")["source_embedding.weight"].dtype == torch.float16


def test_saved_and_loaded(marian, tmp_path):
    imported = read_marian(marian)
    imported.save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    for name, parameter in loaded.model.named_parameters():
        assert torch.equal(parameter, imported.weights[name])
    assert loaded.card.languages == ("source", "target")
    assert loaded.card.training["imported"]["toolkit"] == "Marian (Hugging Face)"
    before, after = translator_of(imported).translate(SOURCES), loaded.translate(SOURCES)
    for one, other in zip(before, after, strict=True):
        assert one.hypotheses[0].pieces == other.hypotheses[0].pieces
        assert one.hypotheses[0].score == pytest.approx(other.hypotheses[0].score, abs=1e-5)


def test_saved_with_language_tags(tmp_path):
    small_marian(tmp_path, ">>deu<<", ">>fra<<")
    read_marian(tmp_path).save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.vocabulary.encode(">>fra<< a house", "source").pieces[0] == ">>fra<<"


def test_padding_is_never_written(marian):
    translator = translator_of(read_marian(marian))
    with torch.no_grad():
        translator.model.projection.bias[translator.vocabulary.pad] = 1e3
    for translation in translator.translate(SOURCES):
        assert translator.vocabulary.pad not in translation.hypotheses[0].pieces


@pytest.mark.parametrize("shared", [True, False])
def test_padded_tables(tmp_path, float64, shared):
    """Rows that no piece has are cut: theirs, without these logits, gives the same."""
    model, pieces = sentencepiece()
    for name in ("source.spm", "target.spm"):
        (tmp_path / name).write_bytes(model)
    table = marian_pieces(pieces)
    rows = [*table, *(f"filler {index}" for index in range(5))]
    special = {"pad_token_id": len(table) - 1, "decoder_start_token_id": len(table) - 1}
    theirs = write_marian(tmp_path, rows, rows if shared else [*rows], **special)
    for name in ("vocab.json", *([] if shared else ["target_vocab.json"])):
        (tmp_path / name).write_text(json.dumps({piece: index for index, piece in enumerate(table)}))
    change_json(tmp_path, "generation_config.json", bad_words_ids=[[len(table) - 1]])
    imported = read_marian(tmp_path)
    assert imported.config.target_vocabulary == len(table)
    assert any(f"has {len(rows)} rows for {len(table)} pieces" in note for note in imported.notes)
    translator = translator_of(imported)
    text = SOURCES[0]
    source = torch.tensor([[*translator.vocabulary.encode(text, "source").ids, translator.vocabulary.end]])
    target = translator.vocabulary.encode(SOURCES[1], "target").ids
    reads = torch.tensor([[translator.vocabulary.start, *target]])
    with torch.inference_mode():
        logits = theirs(source, attention_mask=torch.ones_like(source), decoder_input_ids=reads).logits[0]
    expected = logits[:, : len(table)].log_softmax(-1).gather(1, torch.tensor([[*target, translator.vocabulary.end]]).T)
    scored = translator.score([(text, SOURCES[1])])[0]
    assert scored.log_probs == pytest.approx(expected.flatten().tolist(), abs=1e-6)
