"""Text in, translations out: whatever stands beside a line, and however long it is."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from headscope.model.card import Card
from headscope.model.errors import HeadscopeError
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translation, Translator, load_translator
from tests.toys import SENTENCES, letter_translator, letters, random_letters, tiny_model

TEXTS = random_letters(64, 10)
BRIEF = SearchSettings(extra_length=4)


@pytest.fixture(scope="module")
def together(reverser) -> list[Translation]:
    """All texts, translated side by side."""
    return reverser.translate(TEXTS, settings=SearchSettings(extra_length=4, n_best=2), batch_tokens=9999)


def test_translations_are_those_that_were_learned(translator):
    sources = [source for source, _ in SENTENCES]
    for translation, source, (_, target) in zip(translator.translate(sources), sources, SENTENCES, strict=True):
        assert translation.text == translation.targets[0].text == target
        assert translation.source.text == source
        assert translation.problem is None
        (hypothesis,) = translation.hypotheses
        assert hypothesis.finished
        assert hypothesis.pieces == translation.targets[0].ids


def test_the_letters_are_worth_comparing(together):
    """The tests below say nothing if all translations are alike."""
    assert len({t.text for t in together}) > 45
    assert len({len(t.hypotheses[0].pieces) for t in together}) > 8


ORDERS = {
    "as given": list(range(64)),
    "sorted": sorted(range(64), key=lambda i: len(TEXTS[i])),
    "reversed": list(range(64))[::-1],
}


@pytest.mark.parametrize(
    ("batch_tokens", "order"), [(1, "as given"), (70, "sorted"), (70, "reversed"), (9999, "reversed")]
)
def test_neighbours_make_no_difference(reverser, together, batch_tokens, order):
    """Alone, about seven or all 64 at once, in any order."""
    settings = SearchSettings(extra_length=4, n_best=2)
    places = ORDERS[order]
    found = reverser.translate([TEXTS[i] for i in places], settings=settings, batch_tokens=batch_tokens)
    for place, translation in zip(places, found, strict=True):
        ours, theirs = translation.hypotheses, together[place].hypotheses
        assert [h.pieces for h in ours] == [h.pieces for h in theirs]
        for h, other in zip(ours, theirs, strict=True):
            assert abs(h.score - other.score) <= 1e-5 + 1e-6 * abs(other.score)
        assert translation.targets == together[place].targets


def test_easy_sentence_beside_a_hard_one(reverser, together):
    by_steps = sorted(together, key=lambda t: len(t.hypotheses[0].pieces))
    easy, hard = by_steps[0], by_steps[-1]
    assert len(easy.hypotheses[0].pieces) + 5 < len(hard.hypotheses[0].pieces)
    pair = reverser.translate([easy.source.text, hard.source.text], settings=BRIEF)
    assert [t.text for t in pair] == [easy.text, hard.text]


def test_nothing_stays_from_the_batch_before(reverser):
    """Two batches with as many pieces and other content, in turn."""
    one, other = ["a b c", "d e f"], ["x y z", "u v w"]
    first = reverser.translate(one, settings=BRIEF)
    second = reverser.translate(other, settings=BRIEF)
    assert [t.text for t in first] != [t.text for t in second]
    assert reverser.translate(one, settings=BRIEF) == first
    assert reverser.translate(other, settings=BRIEF) == second


def test_threads_share_a_translator(reverser):
    parts = [TEXTS[i:32:4] for i in range(4)]
    expected = [reverser.translate(part, settings=BRIEF) for part in parts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda part: reverser.translate(part, settings=BRIEF), parts)) == expected


def test_blank_lines_need_no_model(reverser, monkeypatch):
    calls = []
    encode = reverser.model.encode

    def seen(embedded, present, **options):
        calls.append(embedded)
        return encode(embedded, present, **options)

    monkeypatch.setattr(reverser.model, "encode", seen)
    translations = reverser.translate(["", "  ", "h a l l o"])
    assert [t.text for t in translations[:2]] == ["", ""]
    assert [t.source.text for t in translations] == ["", "  ", "h a l l o"]
    assert all(t.hypotheses == t.targets == () and t.problem is None for t in translations[:2])
    assert translations[2].text
    assert [len(embedded) for embedded in calls] == [1]
    assert reverser.translate([]) == []


def test_line_that_is_too_long_has_a_problem_and_loses_nothing(reverser):
    texts = ["a b", "a b c d e f", "", "b a"]
    translations = reverser.translate(texts, max_source_pieces=6)
    assert [t.source.text for t in translations] == texts
    assert "7 pieces" in translations[1].problem
    assert "6 are the most" in translations[1].problem
    assert translations[1].text == ""
    assert [t.problem for i, t in enumerate(translations) if i != 1] == [None] * 3
    alone = reverser.translate(["a b", "b a"])
    assert [translations[0].text, translations[3].text] == [t.text for t in alone]


def test_long_lines_are_translated_beyond_the_table(reverser):
    """Sinusoidal positions have no end; the 1,024 pieces are for memory's sake."""
    text = " ".join("ab" * 600)
    (refused,) = reverser.translate([text], settings=BRIEF)
    assert "1,201 pieces" in refused.problem
    assert "1,024 are the most" in refused.problem
    greedy = SearchSettings(beam=1, extra_length=0)
    (done,) = reverser.translate([" ".join("ab" * 10)], settings=greedy, max_source_pieces=21)
    assert done.problem is None


def test_learned_positions_limit_both_sides():
    translator = letter_translator(positions="learned", position_table=8)
    fits, refused = translator.translate(["a b c d e f g", "a b c d e f g h"])
    assert fits.problem is None
    assert "9 pieces" in refused.problem
    assert "8 are the most" in refused.problem
    endless = translator.translate(["a b c d e f g"], settings=SearchSettings(n_best=4))[0].hypotheses
    assert max(len(h.pieces) + h.finished for h in endless) <= 8

    within, source, target = translator.score(
        [("a", "a b c d e f g"), ("a b c d e f g h", "a"), ("a", "a b c d e f g h")]
    )
    assert within.problem is None
    assert len(within.log_probs) == 8
    for scored in (source, target):
        assert scored.log_probs == ()
        assert "9 pieces" in scored.problem


@pytest.mark.parametrize(("extra", "text"), [(0, "a"), (0, "a b c"), (5, "a b c")])
def test_greatest_length_counts_the_end_of_sentence(reverser, extra, text):
    longest = len(text.split()) + extra
    settings = SearchSettings(beam=3, n_best=3, extra_length=extra)
    for hypothesis in reverser.translate([text], settings=settings)[0].hypotheses:
        assert len(hypothesis.log_probs) <= longest
        assert len(hypothesis.log_probs) == len(hypothesis.pieces) + hypothesis.finished
        assert hypothesis.finished or len(hypothesis.pieces) == longest


def test_each_sentence_has_its_own_greatest_length():
    """Whatever stands beside it: here nothing ever ends."""
    translator = letter_translator(logits_bias=True)
    with torch.no_grad():
        translator.model.projection.bias[translator.vocabulary.end] = -1e3
    texts = ["a", "a b c d e f", "a b c"]
    for options, lengths in (({"extra_length": 2}, [3, 8, 5]), ({"extra_length": 2, "longest": 4}, [3, 4, 4])):
        found = translator.translate(texts, settings=SearchSettings(**options))
        assert [len(t.hypotheses[0].pieces) for t in found] == lengths


def test_checkpoint_says_how_it_is_searched(reverser):
    search = SearchSettings(beam=2, penalty=LengthPenalty(1.0, "power"), finish="top", longest=3)
    card = dataclasses.replace(reverser.card, search=search)
    translator = Translator(reverser.model, reverser.vocabulary, card)
    expected = SearchSettings(beam=2, penalty=LengthPenalty(1.0, "power"), finish="top", longest=3)
    assert translator.settings == expected
    assert translator.translate(TEXTS[:6]) == reverser.translate(TEXTS[:6], settings=expected)
    assert translator.search(TEXTS[0]).hypotheses == reverser.search(TEXTS[0], settings=expected).hypotheses
    assert reverser.settings == SearchSettings()


def test_source_that_the_model_reads_without_an_end():
    closed, open_ = letter_translator(), letter_translator(source_end=False)
    assert closed.batch([[5, 6], [7]])[0].tolist() == [[5, 6, 3], [7, 3, 0]]
    assert open_.batch([[5, 6], [7]])[0].tolist() == [[5, 6], [7, 0]]
    blank, real = open_.score([("", "a"), ("a b", "a")])
    assert "blank" in blank.problem
    assert len(real.log_probs) == 2
    assert [t.problem for t in open_.translate(["", "a b"], settings=BRIEF)] == [None, None]


def test_start_and_padding_are_never_written(reverser):
    settings = SearchSettings(n_best=4, extra_length=4)
    pieces = {p for t in reverser.translate(TEXTS, settings=settings) for h in t.hypotheses for p in h.pieces}
    assert not pieces & {reverser.vocabulary.pad, reverser.vocabulary.start, reverser.vocabulary.end}


def test_bf16_translates(reverser):
    translations = reverser.translate(["a b c", "x y"], settings=BRIEF, precision="bf16")
    assert all(t.hypotheses for t in translations)


# Loading


def test_vocabulary_of_another_model_is_refused():
    model = tiny_model(share_source_target=False, source_vocabulary=30, target_vocabulary=31)
    with pytest.raises(HeadscopeError, match=r"here: the target vocabulary has 30 pieces, the model's table 31 rows"):
        Translator(model, letters(), Card(Path("here"), "here", model.config, ("ab", "ba")))


def test_device_that_is_not_there(checkpoint):
    with pytest.raises(HeadscopeError, match="no device 'cuda:99'"):
        load_translator(checkpoint, "cuda:99")


def test_digest_tells_weights_apart():
    one, same, other = (letter_translator() for _ in range(3))
    with torch.no_grad():
        other.model.encoder[1].feed_forward.outer.bias[3] += 1e-6
    assert one.weights_digest == same.weights_digest
    assert one.weights_digest != other.weights_digest


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_translates_as_the_cpu_does(checkpoint):
    sources = [source for source, _ in SENTENCES]
    on_cpu, on_cuda = (load_translator(checkpoint, device).translate(sources) for device in ("cpu", "cuda"))
    for ours, theirs in zip(on_cuda, on_cpu, strict=True):
        assert ours.text == theirs.text
        assert ours.hypotheses[0].score == pytest.approx(theirs.hypotheses[0].score, abs=1e-4)
