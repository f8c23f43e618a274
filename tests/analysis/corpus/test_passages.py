import numpy as np
import pytest
import torch

from headscope.analysis.attribution.alti import alti
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.corpus import passages as module
from headscope.analysis.corpus.passages import Support, passage_support
from headscope.analysis.interventions.heads import Zeroed
from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.heads import all_heads
from headscope.model.network.probe import Probe


class Closed(Probe):
    """One source piece closed to cross-attention before the softmax."""

    def __init__(self, piece: int) -> None:
        self.piece = piece

    def wants(self, site):
        return site.kind == "cross"

    def scores(self, site, scores):
        scores = scores.clone()
        scores[..., self.piece] = -torch.inf
        return scores


def forced(translator, pair, probe=None) -> np.ndarray:
    with torch.no_grad():
        return log_probs(translator.model, forced_batch(translator, [pair]), probe=probe)[0].numpy()


def test_numbers_against_a_pass_of_their_own(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f g")
    found, whole, shares = passage_support(translator, pair), forced(translator, pair), alti(translator, pair).shares
    cut = forced(
        translator, pair, Zeroed(translator.model, [h for h in all_heads(translator.model) if h.kind == "cross"])
    )
    np.testing.assert_allclose(found.log_probs, whole[:3], atol=1e-9)
    np.testing.assert_allclose(found.of_target["probability"], np.exp(whole[:3]), atol=1e-9)
    np.testing.assert_allclose(found.of_target["source share"], shares.from_source.sum(-1)[:3], atol=1e-9)
    lost = np.maximum(0, 1 - np.exp(cut - whole))[:3]
    np.testing.assert_allclose(found.of_target["lost with source"], lost, atol=1e-9)
    np.testing.assert_allclose(found.of_source["coverage"], np.minimum(1, shares.from_source.sum(0)[:4]), atol=1e-9)
    for piece in range(4):
        without = forced(translator, pair, Closed(piece)).sum()
        lost = max(0, 1 - np.exp(without - whole.sum()))
        assert found.of_source["lost with piece"][piece] == pytest.approx(lost, abs=1e-9)
    assert found.of_target["lost with source"].max() > 0
    assert found.of_source["lost with piece"].max() > 0
    np.testing.assert_allclose(
        found.suspicion("omitted"), 1 - (found.of_source["coverage"] + found.of_source["lost with piece"]) / 2
    )
    assert found.total("invented") == pytest.approx(1 - np.mean(list(found.of_target.values())))


def test_the_only_piece_hidden_is_the_source_cut_off(exact):
    translator = exact(source_end=False)
    pair = sentence_pair(translator, "a", "e f")
    whole = forced(translator, pair)
    cut = forced(
        translator, pair, Zeroed(translator.model, [h for h in all_heads(translator.model) if h.kind == "cross"])
    )
    lost = max(0, 1 - np.exp(cut.sum() - whole.sum()))
    assert passage_support(translator, pair).of_source["lost with piece"] == pytest.approx([lost], abs=1e-9)


def test_few_rows_at_a_time_give_the_same(exact, monkeypatch):
    translator = exact()
    pair = sentence_pair(translator, "a b c d", "e f g")
    whole = passage_support(translator, pair)
    monkeypatch.setattr(module, "BATCH_TOKENS", 4)
    apart = passage_support(translator, pair)
    for fault in ("invented", "omitted"):
        np.testing.assert_allclose(apart.suspicion(fault), whole.suspicion(fault), atol=1e-9)


def tokens(*words: str) -> Tokens:
    placed, start = [], 0
    for word in words:
        placed.append(Token(word, 0, (start, start + len(word))))
        start += len(word) + 1
    return Tokens(" ".join(words), tuple(placed))


def made(suspicion: list[float]) -> Support:
    target = np.array(suspicion)
    return Support(
        tokens("x"), tokens("aa", "b", "cc", "d", "e", "f"), {"one": 1 - target}, {"two": np.ones(1)}, target
    )


def test_passages_are_runs_of_suspicious_words():
    found = made([0.9, 0.7, 0.8, 0.5, 0.9, 0.9])
    (passage,) = found.passages("invented", threshold=0.6, least=3)
    assert (passage.text, passage.span, passage.suspicion) == ("aa b cc", (0, 7), pytest.approx(0.8))
    assert [each.text for each in found.passages("invented", threshold=0.6, least=2)] == ["aa b cc", "e f"]
    assert found.passages("invented", threshold=0.95, least=1) == []
    assert found.passages("omitted", threshold=0.6, least=1) == []
    # not more suspicious than the threshold
    assert [each.text for each in found.passages("invented", threshold=0.7, least=2)] == ["e f"]


def test_a_word_has_the_mean_of_its_pieces():
    word = Tokens("abcd e", (Token("ab", 0, (0, 2)), Token("cd", 1, (2, 4)), Token(" e", 2, (4, 6))))
    found = Support(word, word, {"one": np.array([0.0, 0.5, 1.0])}, {"two": np.ones(3)}, np.zeros(3))
    words, suspicion = found.words("invented")
    assert [each.piece for each in words.tokens] == ["abcd", "e"]
    np.testing.assert_allclose(suspicion, [0.75, 0])


def test_a_translation_of_nothing(exact):
    translator = exact()
    found = passage_support(translator, sentence_pair(translator, "a b", ""))
    assert found.total("invented") == 0
    assert found.passages("invented", least=1) == []
    assert len(found.suspicion("omitted")) == 2


def test_table(exact):
    translator = exact()
    found = passage_support(translator, sentence_pair(translator, "a b", "e f g"))
    table = found.to_pandas()
    assert table.side.tolist() == ["source"] * 2 + ["target"] * 3
    assert table.suspicion[0] == found.suspicion("omitted")[0]
    assert table.probability[4] == pytest.approx(np.exp(found.log_probs[2]))
