"""Models in the format of CTranslate2, against the package."""

import json
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import attention_maps
from headscope.model.interop.ctranslate2_import import read_ctranslate2
from headscope.model.network.positions import sinusoid_table
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator, load_translator
from tests.model.interop.ctranslate2_toys import OPEN, VOCABULARY, package, problem, random_model
from tests.model.interop.toys import translator_of

NAMES = ["مريم", "عبدالله", "آتزمون", "سلام", "محمد", "القاهرة", "بغداد", "ناصر", "فاطمة", "علي"]
VERSIONS = {"float32": "", "int16": "-i16", "int8": "-i8"}
POWER = LengthPenalty(1.0, "power")
TEXTS = ["a b c", "d", "p o n m l k j i h g", "e f z"]


@pytest.fixture(scope="session")
def arabic(shared) -> Path:
    """Folders with a real trained model, which writes Arabic names in Latin letters, in three precisions."""
    return shared / "data" / "ct2_aren_transliteration" / "v2"


def folder_of(arabic: Path, precision: str) -> Path:
    return arabic / f"aren-transliteration{VERSIONS[precision]}"


def words(count: int) -> list[str]:
    """Names, and letters of names in a random order, spelt with blanks."""
    chance = random.Random(0)
    letters = "".join(NAMES)
    made = ["".join(chance.choices(letters, k=chance.randint(1, 10))) for _ in range(count - len(NAMES))]
    return [" ".join(word) for word in NAMES + made]


@pytest.mark.parametrize("precision", VERSIONS)
@pytest.mark.parametrize("beam", [1, 4])
def test_same_translations_as_the_package(arabic, precision, beam):
    """Under settings that make its search exact.

    With much patience it looks for something better for as long as ours does; by default it stops at `beam` ends. And
    by default a translation may not be empty, so the probability of ending at once is shared among the other symbols.
    """
    folder = folder_of(arabic, precision)
    translator, texts = translator_of(read_ctranslate2(folder)), words(40)
    settings = SearchSettings(beam=beam, penalty=POWER, extra_length=99, longest=30, finish="top")
    ours = translator.translate(texts, settings=settings)
    options = OPEN | ({"patience": 40.0} if beam > 1 else {})
    theirs = package(folder).translate_batch(
        [text.split() for text in texts], beam_size=beam, max_decoding_length=30, return_scores=True, **options
    )
    for translation, result in zip(ours, theirs, strict=True):
        assert translation.hypotheses[0].finished
        assert translation.text.split() == result.hypotheses[0]
        assert translation.hypotheses[0].score == pytest.approx(result.scores[0], abs=5e-6)
    assert len({translation.text for translation in ours}) > 30


@pytest.mark.parametrize("precision", VERSIONS)
def test_same_attention_as_the_package(arabic, precision):
    """CTranslate2 gives that of the first head in the last layer, without the row that predicts the end."""
    folder = folder_of(arabic, precision)
    translator, theirs = translator_of(read_ctranslate2(folder)), package(folder)
    for text in words(15):
        (result,) = theirs.translate_batch([text.split()], beam_size=1, return_attention=True)
        maps = attention_maps(translator, text, " ".join(result.hypotheses[0]))
        expected = np.array(result.attention[0])
        assert maps.cross[-1][0].shape == (len(expected) + 1, len(text.split()))
        assert np.abs(maps.cross[-1][0][:-1] - expected).max() < 1e-5


def test_same_scores_as_the_package(arabic):
    folder = folder_of(arabic, "float32")
    pairs = [("س ل ا م", "s l a m"), ("م ح م د", "m o h a m e d"), ("ع ل ي", "z z z")]
    ours = translator_of(read_ctranslate2(folder)).score(pairs)
    theirs = package(folder).score_batch([s.split() for s, _ in pairs], [t.split() for _, t in pairs])
    for scored, result in zip(ours, theirs, strict=True):
        assert scored.log_probs == pytest.approx(result.log_probs, abs=1e-5)


def test_published_translation(arabic):
    (found,) = translator_of(read_ctranslate2(folder_of(arabic, "float32"))).translate([" ".join("آتزمون")])
    assert found.text == "a t z m o n"
    assert found.hypotheses[0].score == pytest.approx(-0.1517, abs=5e-5)


def test_what_is_found(arabic):
    imported = read_ctranslate2(folder_of(arabic, "float32"))
    config = imported.config
    assert (config.d_model, config.encoder.layers, config.encoder.heads, config.norm) == (32, 6, 8, "pre")
    assert (config.sinusoid_layout, config.source_end, config.logits_bias) == ("halves_opennmt", False, True)
    vocabulary = imported.vocabulary
    assert (vocabulary.size("source"), vocabulary.size("target")) == (51, 43)
    for side in ("source", "target"):
        specials = [vocabulary.pad, vocabulary.unknown, vocabulary.start, vocabulary.end]
        assert [vocabulary.piece(index, side) for index in specials] == ["<blank>", "<unk>", "<s>", "</s>"]
    assert imported.languages == ("source", "target")
    assert translator_of(imported).settings.beam == 2


def test_unknown_symbols(arabic):
    """The symbol for unknown ones stands last in their vocabularies, which are not of one length."""
    folder = folder_of(arabic, "float32")
    settings = SearchSettings(beam=1, penalty=POWER)
    (ours,) = translator_of(read_ctranslate2(folder)).translate(["س x ل ا م"], settings=settings)
    (theirs,) = package(folder).translate_batch([["س", "x", "ل", "ا", "م"]], beam_size=1, return_scores=True, **OPEN)
    assert ours.text.split() == theirs.hypotheses[0]
    assert ours.hypotheses[0].score == pytest.approx(theirs.scores[0], abs=5e-6)


def test_saved_and_loaded(arabic, tmp_path):
    imported = read_ctranslate2(folder_of(arabic, "int8"), languages=("ar", "en"))
    imported.save(tmp_path / "checkpoint")
    loaded = load_translator(tmp_path / "checkpoint", "cpu")
    assert loaded.card.languages == ("ar", "en")
    assert all(torch.equal(p, imported.weights[name]) for name, p in loaded.model.named_parameters())
    assert loaded.translate(["س ل ا م"])[0].text == "s l a m"


def test_blank_source(arabic):
    translator = translator_of(read_ctranslate2(folder_of(arabic, "float32")))
    assert translator.translate([""])[0].hypotheses == ()
    assert translator.score([("", "a")])[0].problem == "the source is blank: this model cannot read it"


# Other shapes, as the package writes them


def assert_same_as_package(folder: Path, tolerance: float = 1e-4) -> Translator:
    """Scores of given translations are the package's, in every piece."""
    translator = translator_of(read_ctranslate2(folder))
    pairs = list(zip(TEXTS, reversed(TEXTS), strict=True))
    theirs = package(folder).score_batch([s.split() for s, _ in pairs], [t.split() for _, t in pairs])
    for scored, result in zip(translator.score(pairs), theirs, strict=True):
        assert scored.log_probs == pytest.approx(result.log_probs, abs=tolerance)
    return translator


@pytest.mark.parametrize("quantization", [None, "float16", "bfloat16", "int16", "int8"])
def test_shared_tables_in_every_precision(tmp_path, quantization):
    random_model(tmp_path / "m", vocabulary=VOCABULARY, quantization=quantization)
    translator = assert_same_as_package(tmp_path / "m", 2e-4)
    config = translator.model.config
    assert (config.share_source_target, config.share_output, config.logits_bias) == (True, True, False)
    assert (config.norm, config.activation, config.encoder.layers, config.decoder.layers) == ("post", "silu", 2, 3)
    # Nothing pads in this vocabulary, so the end of sentence has to.
    assert translator.vocabulary.pad == translator.vocabulary.end


@pytest.mark.parametrize(
    "options",
    [
        {"pre_norm": True, "config": {"layer_norm_epsilon": 1e-2}},
        {"scale": False, "config": {"add_source_eos": True}},
        {"scale": 4.0, "zero_start": True, "config": {"decoder_start_token": "</s>"}},
        {"scale": 1.0, "positions": np.random.default_rng(1).normal(size=(32, 16)).astype(np.float32)},
    ],
    ids=["pre-norm", "source end", "zero start", "learned positions"],
)
def test_other_shapes(tmp_path, options):
    random_model(tmp_path / "m", vocabulary=VOCABULARY, **options)
    assert_same_as_package(tmp_path / "m")


@pytest.mark.parametrize(
    "layout", ["interleaved", "halves", "halves_tensor2tensor", "halves_fairseq", "halves_opennmt"]
)
def test_sinusoids_that_are_known_have_no_end(tmp_path, layout):
    random_model(tmp_path / "m", vocabulary=VOCABULARY, positions=sinusoid_table(64, 16, layout).numpy())
    config = assert_same_as_package(tmp_path / "m").model.config
    assert (config.positions, config.sinusoid_layout) == ("sinusoidal", layout)


def test_sentencepiece_beside_it(tmp_path):
    from tests.model.interop.toys import sentencepiece

    model, pieces = sentencepiece()
    random_model(tmp_path / "m", vocabulary=[piece for piece in reversed(pieces) if piece != "<pad>"])
    (tmp_path / "m" / "sentencepiece.model").write_bytes(model)
    vocabulary = read_ctranslate2(tmp_path / "m").vocabulary
    assert vocabulary.decode(vocabulary.encode("The old house", "source").ids) == "The old house"


# What is refused


def rewrite(folder: Path, **values) -> None:
    """Change keys of `config.json`."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("add_source_bos", True, "add_source_bos = True"),
        ("decoder_start_token", "<x>", "decoder_start_token = '<x>'"),
        ("decoder_start_token", None, "'decoder_start_token' is missing"),
        ("eos_token", "<y>", "eos_token = '<y>'"),
        ("layer_norm_epsilon", -1, "norm_epsilon = -1"),
    ],
)
def test_settings_that_cannot_be(ctranslate2, key, value, message):
    rewrite(ctranslate2, **{key: value})
    assert message in problem(ctranslate2)


def test_vocabulary_of_another_model(ctranslate2):
    path = ctranslate2 / "shared_vocabulary.json"
    path.write_text(json.dumps([*VOCABULARY, "more"]))
    assert "has 19 rows, the vocabulary 20 pieces" in problem(ctranslate2)
    path.write_text("{}")
    assert "is not a list of pieces" in problem(ctranslate2)
    path.unlink()
    assert "no source_vocabulary.json and no source_vocabulary.txt" in problem(ctranslate2)


def test_vocabulary_that_is_no_text(arabic, tmp_path):
    folder = shutil.copytree(folder_of(arabic, "int8"), tmp_path / "m")
    (folder / "target_vocabulary.txt").write_bytes(b"\xff\xfe\0")
    assert "is not text in UTF-8" in problem(folder)


def test_other_architectures_are_named(tmp_path):
    from ctranslate2.specs.common_spec import Activation

    random_model(tmp_path / "m", vocabulary=VOCABULARY, activation=Activation.GELUTanh)
    assert "encoder.activation = 1" in problem(tmp_path / "m")
    random_model(tmp_path / "n", vocabulary=VOCABULARY, scale=3.0)
    assert "encoder.scale_embeddings = 3.0" in problem(tmp_path / "n")


def test_what_is_not_obeyed_is_named(ctranslate2):
    assert read_ctranslate2(ctranslate2).notes == []
    rewrite(ctranslate2, suppress_ids=[3], invented="x")
    assert [note.partition(" is not obeyed: ")[0] for note in read_ctranslate2(ctranslate2).notes] == [
        "suppress_ids = [3]",
        "invented = 'x'",
    ]


def test_padded_tables(ctranslate2):
    (ctranslate2 / "shared_vocabulary.json").write_text(json.dumps(VOCABULARY[:-3]))
    rewrite(ctranslate2, decoder_start_token="</s>")
    imported = read_ctranslate2(ctranslate2)
    assert imported.vocabulary.size("target") == len(VOCABULARY) - 3
    assert "has 19 rows for 16 pieces: the 3 that no piece has are cut" in imported.notes[0]
    assert translator_of(imported).translate(["a b"])[0].hypotheses
