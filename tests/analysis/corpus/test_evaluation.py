"""Evaluation over a test set."""

import re

import pytest
import sacrebleu

from headscope.analysis.corpus.evaluation import corpus_score, evaluate
from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.text.symbol_vocabulary import SymbolVocabulary
from headscope.model.translator import Translation, Translator
from tests.toys import SENTENCES, tiny_config, tiny_model


def test_scores_are_those_of_sacrebleu(translator):
    pairs = [*SENTENCES, ("We could not see the honey.", "Wir konnten keinen Honig sehen.")]
    found = evaluate(translator, pairs)
    texts = [translation.text for translation in translator.translate([source for source, _ in pairs])]
    references = [[target for _, target in pairs]]
    bleu = sacrebleu.corpus_bleu(texts, references)
    assert found.bleu.value == bleu.score
    assert found.length_ratio == bleu.sys_len / bleu.ref_len
    assert found.chrf.value == sacrebleu.corpus_chrf(texts, references).score
    assert [translation.text for translation in found.translations] == texts
    assert found.bleu.interval is not None
    assert 0 < found.bleu.interval < 50
    assert "tok:13a" in found.bleu.signature
    assert "bs:1000" in found.chrf.signature


def test_intervals_are_of_distinct_sources(translator):
    texts = ["the bee is here", "a mountain is high", "no honey", "we saw it"] * 30
    references = ["the bee was here", "a mountain is very high", "no honey at all", "we saw it"] * 30
    sources = [str(index) for index in range(len(texts))]
    apart = corpus_score(sacrebleu.CHRF, sources, texts, references)
    together = corpus_score(sacrebleu.CHRF, [str(index % 4) for index in range(len(texts))], texts, references)
    plain = sacrebleu.CHRF().corpus_score(texts, [references], n_bootstrap=1000)
    assert apart.value == together.value == plain.score
    assert apart.interval == float(re.findall(r"± ([\d.]+)", plain.format(width=4))[0])
    # Four sources of which each has thirty pairs tell as much as four pairs.
    four = corpus_score(sacrebleu.CHRF, sources[:4], texts[:4], references[:4])
    assert together.interval == four.interval
    assert together.interval > 4 * apart.interval
    found = evaluate(translator, [*SENTENCES, SENTENCES[0]])
    assert (found.sentences, found.sources) == (len(SENTENCES) + 1, len({source for source, _ in SENTENCES}))


class Parrot(Translator):
    """Translates every sentence by itself."""

    def translate(self, texts, **options) -> list[Translation]:
        found = [self.vocabulary.encode(text) for text in texts]
        return [Translation(source, (), (source,)) for source in found]


def test_tokens_in_pieces(tmp_path):
    symbols = ["<pad>", "<unk>", "<s>", "</s>", "das", "h@@", "aus", "&quot;", "ist", "alt", ".", "neu"]
    parrot = Parrot(tiny_model(), SymbolVocabulary([symbols]), Card(tmp_path, "parrot", tiny_config(), ("de", "de")))
    pairs = [
        ("das h@@ aus ist alt .", "das h@@ aus ist neu ."),
        ("das h@@ aus &quot; ist &quot; alt .", "das h@@ aus &quot; ist &quot; alt ."),
    ]
    found = evaluate(parrot, pairs, tokenised=True)
    tokens = (
        ["das haus ist alt .", "das haus &quot; ist &quot; alt ."],
        ["das haus ist neu .", "das haus &quot; ist &quot; alt ."],
    )
    running = ["das haus ist alt.", 'das haus "ist" alt.'], ["das haus ist neu.", 'das haus "ist" alt.']
    # Of 12 tokens 11 are right, of the pairs, triples and quadruples 8 of 10, 6 of 8 and 4 of 6.
    assert found.bleu.value == pytest.approx(100 * (11 / 12 * 8 / 10 * 6 / 8 * 4 / 6) ** 0.25)
    assert found.bleu.value == sacrebleu.corpus_bleu(tokens[0], [tokens[1]], tokenize="none").score
    assert "tok:none" in found.bleu.signature
    assert found.detokenised is not None
    assert found.detokenised.value == sacrebleu.corpus_bleu(running[0], [running[1]]).score
    assert "tok:13a" in found.detokenised.signature
    assert found.chrf.value == sacrebleu.corpus_chrf(running[0], [running[1]]).score
    assert found.length_ratio == 1
    assert evaluate(parrot, pairs).detokenised is None


def test_perfect_and_hopeless(translator):
    known = SENTENCES[3]
    assert evaluate(translator, [known]).chrf.value == 100
    hopeless = evaluate(translator, [(known[0], "0")])
    assert (hopeless.bleu.value, hopeless.bleu.interval) == (0, None)


def test_resamples_that_score_nothing_leave_no_interval(translator):
    found = evaluate(translator, [SENTENCES[3], *[(source, "0") for source, _ in SENTENCES]])
    assert found.chrf.value > 0
    assert found.chrf.interval is None
    assert "bs:" not in found.chrf.signature


def test_too_long_sentences_count_as_empty(translator):
    found = evaluate(translator, SENTENCES, max_source_pieces=2)
    assert found.untranslated == len(SENTENCES)
    assert found.bleu.value == 0
    assert found.sentences_per_second > 0


def test_nothing_to_evaluate(translator):
    with pytest.raises(HeadscopeError, match="no sentences"):
        evaluate(translator, [])


def parrot(folder, target: str) -> Parrot:
    """What it says is what it was told."""
    symbols = SymbolVocabulary([["<pad>", "<unk>", "<s>", "</s>", *"abcdefgh"]])
    return Parrot(tiny_model(), symbols, Card(folder, "parrot", tiny_config(), ("en", target)))


@pytest.mark.parametrize("target", ["zh", "zh_CN", "zho_Hans", "target"])
def test_chinese_is_cut_into_signs(tmp_path, target):
    text, reference = "今天的天气非常好。", "今天的天气很好。"
    found = evaluate(parrot(tmp_path, target), [(text, reference)])
    assert found.bleu.value == sacrebleu.corpus_bleu([text], [[reference]], tokenize="zh").score > 30
    assert "tok:zh" in found.bleu.signature
    assert found.note is None
    # Signs; words with blanks between them would be one against one.
    assert found.length_ratio == 9 / 8
    as_words = evaluate(parrot(tmp_path, target), [(text, reference)], tokeniser="13a")
    assert as_words.bleu.value == 0
    assert "tok:13a" in as_words.bleu.signature


def test_thai_is_cut_into_characters_and_it_is_said(tmp_path):
    found = evaluate(parrot(tmp_path, "tha"), [("ab", "ac")])
    assert "tok:char" in found.bleu.signature
    assert "Thai" in found.note


def test_several_references(translator):
    pairs = [SENTENCES[0], SENTENCES[1]]
    more = [["Etwas ganz anderes.", pairs[1][1]], ["Noch etwas.", "Und noch etwas ganz anderes als das."]]
    found = evaluate(translator, pairs, more_references=more)
    texts = [translation.text for translation in found.translations]
    references = [[target for _, target in pairs], *more]
    assert found.bleu.value == sacrebleu.corpus_bleu(texts, references).score
    assert found.chrf.value == sacrebleu.corpus_chrf(texts, references).score
    assert "nrefs:3" in found.bleu.signature
    assert "nrefs:3" in found.chrf.signature
    # The reference that is needed is found in whichever list it stands.
    turned = evaluate(translator, [(source, "x") for source, _ in pairs], more_references=[references[0]])
    assert turned.chrf.value == evaluate(translator, pairs).chrf.value == 100
    with pytest.raises(HeadscopeError, match="reference 2 has 1 sentences, the source 2"):
        evaluate(translator, pairs, more_references=[["one"]])


def test_a_tokeniser_that_is_missing_is_told_before_anything_is_translated(tmp_path):
    silent = parrot(tmp_path, "zh")
    silent.translate = None  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(HeadscopeError, match="no tokeniser 'jieba'"):
        evaluate(silent, [("ab", "ab")], tokeniser="jieba")
