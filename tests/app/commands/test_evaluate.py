"""`headscope evaluate`."""

import json

import pytest

from headscope.analysis.corpus.evaluation import evaluate
from headscope.model.errors import HeadscopeError
from tests.toys import SENTENCES


@pytest.fixture
def files(tmp_path):
    paths = tmp_path / "source", tmp_path / "reference"
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in SENTENCES))
    return paths


def test_the_numbers_of_the_function(command, checkpoint, translator, files):
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    expected = evaluate(translator, SENTENCES)
    found = json.loads(command(*arguments, "--json").out)
    for name, score in (("bleu", expected.bleu), ("chrf", expected.chrf)):
        assert found[name] == {"score": score.value, "interval": score.interval, "signature": score.signature}
    assert found["length_ratio"] == expected.length_ratio
    assert found["sentences"] == len(SENTENCES)
    assert found["untranslated"] == 0
    assert found["sentences_per_second"] == pytest.approx(len(SENTENCES) / found["seconds"])

    rows = dict(line.split("  ", 1) for line in command(*arguments).lines)
    assert rows["BLEU"].split() == [
        f"{expected.bleu.value:.2f}",
        "±",
        f"{expected.bleu.interval:.2f}",
        expected.bleu.signature,
    ]
    assert rows["sentences"].strip() == str(len(SENTENCES))


def test_options_of_the_search_are_used(command, checkpoint, translator, files):
    from headscope.model.search.penalty import LengthPenalty
    from headscope.model.search.settings import SearchSettings

    settings = SearchSettings(beam=2, penalty=LengthPenalty(-2.0))
    expected = evaluate(translator, SENTENCES, settings=settings, max_source_pieces=20)
    assert expected.untranslated > 0
    found = command(
        *("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1], "--json"),
        *("--beam", 2, "--length-penalty", -2, "--max-source-pieces", 20),
    )
    assert json.loads(found.out)["chrf"]["score"] == expected.chrf.value
    assert f"{expected.untranslated} sentences were not translated and count as empty" in found.err
    numbers = [n for n, translation in enumerate(expected.translations, 1) if translation.problem]
    assert [line.split(":")[1].strip() for line in found.err.splitlines()[:-1]] == [f"line {n}" for n in numbers]
    assert "20 are the most" in found.err
    assert [problem["line"] for problem in json.loads(found.out)["problems"]] == numbers


def test_what_is_wrong_is_told_with_the_line_of_the_file(command, checkpoint, files, monkeypatch):
    """Here a sentence that begins with no language is not too long; and the line that is left out counts."""
    from headscope.model.text.sentencepiece_vocabulary import SentencePieceVocabulary

    encode = SentencePieceVocabulary.encode

    def strict(self, text, side="source"):
        if text == SENTENCES[2][0]:
            raise HeadscopeError("this model writes several languages: begin the text with one of >>deu<<")
        return encode(self, text, side)

    monkeypatch.setattr(SentencePieceVocabulary, "encode", strict)
    for side, file in enumerate(files):
        file.write_text("".join(f"{pair[side]}\n" for pair in (("x", " "), *SENTENCES)))
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    found = command(*arguments, "--skip-bad-lines", "--json")
    assert found.err.splitlines() == [
        "headscope: lines left out, empty side: 1",
        "headscope: line 4: this model writes several languages: begin the text with one of >>deu<<",
        "headscope: 1 sentences were not translated and count as empty",
    ]
    (problem,) = json.loads(found.out)["problems"]
    assert (problem["line"], problem["problem"][:10]) == (4, "this model")


def test_what_is_warned_of(command, files):
    for side, file in enumerate(files):
        file.write_text(
            "".join(f"{pair[side]}\n" for pair in (("Tom cried.", "Tom weinte."), ("Mid-Summer CNN", "CNN")))
        )
    arguments = ("evaluate", "--checkpoint", "tatoeba-en-de-learned", "--device", "cpu", "--source", files[0])
    found = command(*arguments, "--reference", files[1], "--json")
    assert found.code == 0
    assert found.err.splitlines() == [
        "headscope: translations cut off at the greatest length, before their end: 1 (line 2)",
        "headscope: translations that repeat themselves: 1 (line 2)",
    ]
    assert json.loads(found.out)["warnings"] == [{"line": 2, "warnings": ["cut off", "repeats itself"]}]


def test_several_references_and_another_tokeniser(command, checkpoint, translator, files, tmp_path):
    other = [f"Oder: {target}" for _, target in SENTENCES]
    (tmp_path / "other").write_text("".join(f"{text}\n" for text in other))
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--json")
    references = ("--reference", tmp_path / "other", "--reference", files[1])
    found = json.loads(command(*arguments, *references, "--tokenizer", "char").out)
    pairs = [(source, text) for (source, _), text in zip(SENTENCES, other, strict=True)]
    expected = evaluate(translator, pairs, more_references=[[t for _, t in SENTENCES]], tokeniser="char")
    assert found["bleu"]["score"] == expected.bleu.value
    assert "nrefs:2" in found["bleu"]["signature"]
    assert "tok:char" in found["bleu"]["signature"]
    assert command(*arguments, *references, "--tokenizer", "moses").refuses("no tokeniser 'moses'", "13a")
    # A line that is missing in one file is left out of all.
    (tmp_path / "other").write_text("".join(f"{text}\n" for text in other[:-1]))
    assert command(*arguments, *references).refuses("other", f"line {len(other)}")
    found = json.loads(command(*arguments, *references, "--skip-bad-lines").out)
    assert found["sentences"] == len(other) - 1


@pytest.fixture
def asked(monkeypatch) -> list[dict[str, object]]:
    """What is asked of `analysis.corpus.evaluation.evaluate`, which is not computed here."""
    calls: list[dict[str, object]] = []

    def refuse(translator, pairs, **options):
        calls.append(options | {"pairs": pairs})
        raise HeadscopeError("asked")

    monkeypatch.setattr("headscope.analysis.corpus.evaluation.evaluate", refuse)
    return calls


def test_options_for_published_results(command, checkpoint, files, asked):
    from headscope.model.search.penalty import LengthPenalty

    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    assert command(*arguments).refuses("asked")
    assert command(*arguments, "--tokenised", "--length-penalty", 1, "--length-penalty-kind", "power").refuses("asked")
    assert [call["tokenised"] for call in asked] == [False, True]
    assert [call["settings"].penalty for call in asked] == [LengthPenalty(0.6, "gnmt"), LengthPenalty(1.0, "power")]


def test_pairs_in_one_file(command, checkpoint, tmp_path, asked):
    variants = [{"de": target, "en-US": source, "fr": "x"} for source, target in SENTENCES]
    units = "".join(
        f"<tu>{''.join(f'<tuv lang=@{code}@><seg>{text}</seg></tuv>' for code, text in unit.items())}</tu>"
        for unit in variants
    )
    (tmp_path / "pairs.tmx").write_text(f"<tmx><body>{units}</body></tmx>".replace("@", '"'), "utf-8")
    (tmp_path / "pairs.tsv").write_text("".join(f"{source}\t{target}\n" for source, target in SENTENCES), "utf-8")
    for file in ("pairs.tmx", "pairs.tsv"):  # the languages of the checkpoint are en and de
        assert command("evaluate", "--checkpoint", checkpoint, "--source", tmp_path / file).refuses("asked")
        assert asked.pop()["pairs"] == SENTENCES
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", tmp_path / "pairs.tmx", "--languages")
    assert command(*arguments, "fr,de").refuses("asked")
    assert asked.pop()["pairs"][0] == ("x", SENTENCES[0][1])
    assert command(*arguments, "es,de").refuses("pairs.tmx, unit 1", "no 'es'")
    assert command(*arguments, "de").refuses("languages 'de'", "en,de")


def test_both_figures_of_tokenised_text_are_told(command, checkpoint, translator, files):
    expected = evaluate(translator, SENTENCES, tokenised=True)
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1], "--tokenised")
    found = json.loads(command(*arguments, "--json").out)
    assert found["bleu"]["score"] == expected.bleu.value
    assert found["detokenised"]["score"] == expected.detokenised.value
    assert any(line.startswith("BLEU, detokenised  ") for line in command(*arguments).lines)


def test_unequal_files(command, checkpoint, files):
    with files[0].open("a") as source:
        source.write("One more.\n")
    arguments = ("evaluate", "--checkpoint", checkpoint, "--source", files[0], "--reference", files[1])
    assert command(*arguments).refuses(f"line {len(SENTENCES) + 1}")
    found = command(*arguments, "--skip-bad-lines")
    assert found.code == 0
    assert "headscope: lines left out, no partner: 1\n" in found.err


def test_empty_files(command, checkpoint, tmp_path):
    (tmp_path / "empty").touch()
    found = command(
        "evaluate", "--checkpoint", checkpoint, "--source", tmp_path / "empty", "--reference", tmp_path / "empty"
    )
    assert found.refuses("nothing to evaluate")
