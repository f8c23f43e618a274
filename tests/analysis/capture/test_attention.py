import numpy as np
import pytest
import torch

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.attribution.lens import logit_lens
from headscope.analysis.capture.attention import attention_maps, record, records, source_tokens, target_tokens
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.capture.query_key import query_key
from headscope.analysis.interventions.effects import effect
from headscope.analysis.interventions.heads import (
    MeanReplaced,
    Resampled,
    UniformAttention,
    Zeroed,
    contexts,
    mean_contexts,
)
from headscope.analysis.measures.head_measures import head_measures
from headscope.analysis.records.heads import Head
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import KINDS
from headscope.model.translator import load_translator
from tests.torch_twin import TorchTwin
from tests.toy_seq2seq import mixing_translator
from tests.toys import SENTENCES

PAIR = ("d e a c b", "b c f")


def by_torch(translator, source: str, target: str) -> tuple[dict[str, list[torch.Tensor]], torch.Tensor]:
    """Weights and log-probabilities of one pair from a pass through `torch.nn`."""
    vocabulary, twin = translator.vocabulary, TorchTwin(translator.model)
    read = torch.tensor([[*vocabulary.encode(source, "source").ids, vocabulary.end]])
    written = list(vocabulary.encode(target, "target").ids)
    batch = (read, torch.ones_like(read, dtype=torch.bool), torch.tensor([[vocabulary.start, *written]]))
    values = twin.logits(*batch)[0].log_softmax(-1)
    chosen = values[range(len(written) + 1), [*written, vocabulary.end]].detach()
    return {kind: [maps.detach() for maps in layers] for kind, layers in twin.attention(*batch).items()}, chosen


@pytest.mark.parametrize(
    "changes", [{}, {"positions": "learned"}, {"activation": "gelu", "norm_epsilon": 1e-3}], ids=str
)
def test_equals_a_pass_through_torch(exact, changes):
    translator = exact(**changes)
    maps, expected = attention_maps(translator, *PAIR), by_torch(translator, *PAIR)
    for kind in KINDS:
        for ours, theirs in zip(maps.layers(kind), expected[0][kind], strict=True):
            np.testing.assert_allclose(ours, theirs[0].numpy(), rtol=0, atol=1e-9)
    np.testing.assert_allclose(maps.log_probs, expected[1].numpy(), rtol=0, atol=1e-9)


def test_shapes_where_sides_differ_in_depth_and_heads(exact):
    maps = attention_maps(exact(), *PAIR)
    assert [layer.shape for layer in maps.encoder] == [(4, 6, 6)] * 2
    assert [layer.shape for layer in maps.decoder] == [(2, 4, 4)] * 3
    assert [layer.shape for layer in maps.cross] == [(2, 4, 6)] * 3
    assert maps.log_probs.shape == (4,)
    assert maps.quantity == "weight"


def test_rows_are_distributions(exact):
    maps = attention_maps(exact(), *PAIR)
    for kind in KINDS:
        for layer in maps.layers(kind):
            assert (layer >= 0).all()
            np.testing.assert_allclose(layer.sum(-1), 1, rtol=0, atol=1e-9)
            if kind == "decoder":
                assert (np.triu(layer, 1) == 0).all()


def test_float32_of_a_shipped_checkpoint(translator):
    maps = attention_maps(translator, *SENTENCES[0])
    expected, log_probs = by_torch(translator, *SENTENCES[0])
    for kind in KINDS:
        for ours, theirs in zip(maps.layers(kind), expected[kind], strict=True):
            assert ours.dtype == np.float32
            np.testing.assert_allclose(ours, theirs[0].numpy(), rtol=0, atol=1e-4)
            np.testing.assert_allclose(ours.sum(-1), 1, rtol=0, atol=1e-5)
    np.testing.assert_allclose(maps.log_probs, log_probs.numpy(), rtol=0, atol=1e-4)


def test_alone_or_in_a_padded_batch(exact):
    translator = exact()
    texts = [PAIR, ("a", "b c d e f g"), ("x y z w v u t s", ""), ("b", "a")]
    together = records(translator, [sentence_pair(translator, *text) for text in texts])
    for maps, text in zip(together, texts, strict=True):
        alone = attention_maps(translator, *text)
        for kind in KINDS:
            for ours, theirs in zip(maps.layers(kind), alone.layers(kind), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)
        np.testing.assert_allclose(maps.log_probs, alone.log_probs, rtol=0, atol=1e-9)
        assert (maps.source, maps.reads, maps.predicts) == (alone.source, alone.reads, alone.predicts)
        assert maps.fingerprint == alone.fingerprint


def test_rows_read_one_token_and_predict_the_next(exact):
    maps = attention_maps(exact(), *PAIR)
    assert [token.piece for token in maps.source.tokens] == ["d", "e", "a", "c", "b", "</s>"]
    assert [token.piece for token in maps.reads.tokens] == ["<s>", "b", "c", "f"]
    assert [token.piece for token in maps.predicts.tokens] == ["b", "c", "f", "</s>"]
    assert maps.reads.tokens[1:] == maps.predicts.tokens[:-1]
    assert maps.source.special.tolist() == [False] * 5 + [True]
    assert maps.reads.special.tolist() == [True] + [False] * 3
    assert maps.predicts.special.tolist() == [False] * 3 + [True]


def test_spans_stand_in_the_texts(translator):
    source, target = SENTENCES[3]
    maps = attention_maps(translator, source, target)
    for side, text in ((maps.source, source), (maps.reads, target), (maps.predicts, target)):
        assert side.text == text
        for token in side.tokens:
            start, end = token.span
            assert token.special == (start == end)
            assert token.special or text[start:end].strip() in token.piece.replace("▁", " ")
        joined = "".join(text[slice(*token.span)] for token in side.tokens)
        assert joined == text
    assert maps.source.tokens[-1].span == (len(source), len(source))
    assert maps.reads.tokens[0].span == (0, 0)


def test_log_probs_are_the_scores(translator):
    maps = attention_maps(translator, *SENTENCES[1])
    (scored,) = translator.score([SENTENCES[1]])
    assert maps.log_probs.tolist() == pytest.approx(list(scored.log_probs), abs=1e-5)


def test_translation_is_the_best_that_search_finds(reverser):
    settings = SearchSettings(beam=3, extra_length=4)
    (translation,) = reverser.translate(["a b c d"], settings=settings)
    hypothesis = translation.hypotheses[0]
    maps = attention_maps(reverser, "a b c d", settings=settings)
    assert tuple(token.id for token in maps.predicts.tokens[:-1]) == hypothesis.pieces
    assert maps.predicts.text == translation.text
    assert maps.log_probs.tolist()[: len(hypothesis.log_probs)] == pytest.approx(list(hypothesis.log_probs), abs=1e-5)


def test_blank_translation_has_one_row(exact):
    maps = attention_maps(exact(), "a b", "")
    assert [token.piece for token in maps.reads.tokens] == ["<s>"]
    assert [token.piece for token in maps.predicts.tokens] == ["</s>"]
    assert maps.cross[0].shape == (2, 1, 3)
    assert (maps.decoder[0] == 1).all()


def test_source_that_the_model_reads_without_an_end(exact):
    maps = attention_maps(exact(source_end=False), *PAIR)
    assert [token.piece for token in maps.source.tokens] == ["d", "e", "a", "c", "b"]
    assert [token.piece for token in maps.predicts.tokens] == ["b", "c", "f", "</s>"]
    assert maps.encoder[0].shape == (4, 5, 5)
    assert maps.cross[0].shape == (2, 4, 5)
    np.testing.assert_allclose(maps.cross[0].sum(-1), 1, rtol=0, atol=1e-9)


def test_roles_of_a_sentence(translator):
    written = translator.vocabulary.encode("Wie viel", "target")
    ids = list(written.ids)
    start, end = translator.vocabulary.start, translator.vocabulary.end

    def roles(finished: bool) -> list[list[int]]:
        pair = SentencePair(written, written, finished)
        found = (source_tokens(translator, written), *target_tokens(translator, pair))
        return [[token.id for token in tokens.tokens] for tokens in found]

    assert roles(finished=True) == [[*ids, end], [start, *ids], [*ids, end]]
    assert roles(finished=False) == [[*ids, end], [start, *ids[:-1]], ids]


@pytest.mark.parametrize("changes", [{}, {"positions": "learned", "position_table": 6}], ids=["limit", "table"])
def test_a_translation_that_was_cut_off_has_no_end(exact, changes):
    """Its record has a row for each piece that was searched; where positions end, there is none for another one."""
    translator = exact(**changes)
    settings = SearchSettings(beam=2, longest=6)
    (found,) = translator.translate(["a b c"], settings=settings)
    best = found.hypotheses[0]
    assert (best.finished, len(best.pieces)) == (False, 6)
    maps = attention_maps(translator, "a b c", settings=settings)
    assert not maps.finished
    assert "cut off" in repr(maps)
    assert [token.id for token in maps.predicts.tokens] == list(best.pieces)
    assert maps.log_probs.tolist() == pytest.approx(best.log_probs, abs=1e-9)
    source, present = translator.batch([found.source.ids])
    reads = torch.tensor([[translator.vocabulary.start, *best.pieces[:-1]]])
    expected = translator.model(source, present, reads)[0].log_softmax(-1)
    assert maps.log_probs.tolist() == pytest.approx([expected[i, piece].item() for i, piece in enumerate(best.pieces)])
    assert {kind: layer.shape for kind in KINDS for layer in maps.layers(kind)} == {
        "encoder": (4, 4, 4),
        "decoder": (2, 6, 6),
        "cross": (2, 6, 4),
    }


def test_what_was_cut_off_beside_what_has_ended(exact):
    """In one batch each is what it would be alone; read as a translation that was given, it does end."""
    translator = exact()
    pairs = [
        sentence_pair(translator, "a b c", settings=SearchSettings(beam=2, longest=5)),
        sentence_pair(translator, "d e", "f g h i j k"),
    ]
    for pair, maps in zip(pairs, records(translator, pairs), strict=True):
        alone = record(translator, pair)
        assert maps.fingerprint == alone.fingerprint
        assert maps.log_probs.tolist() == pytest.approx(alone.log_probs, abs=1e-9)
    cut = record(translator, pairs[0])
    typed = attention_maps(translator, "a b c", pairs[0].target.text)
    assert typed.finished
    assert typed.fingerprint != cut.fingerprint
    assert typed.log_probs[:-1].tolist() == pytest.approx(cut.log_probs, abs=1e-9)


def test_a_shipped_translation_that_was_cut_off():
    """The search gives 58 pieces and log p −52.41; an end of sentence behind them would cost another 11.12."""
    maps = attention_maps(load_translator("tatoeba-en-de-learned", "cpu"), "Mid-Summer CNN")
    assert (len(maps.predicts), maps.finished) == (58, False)
    assert maps.log_probs.sum() == pytest.approx(-52.41, abs=0.005)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (" ", "a", "blank: type something"),
        ("a b c d e f g h", "a", "9 pieces.*8 are the most"),
        ("a", "a b c d e f g h", "9 pieces.*positions end at 8"),
    ],
)
def test_sentence_that_has_no_record(exact, source, target, message):
    with pytest.raises(HeadscopeError, match=message):
        attention_maps(exact(positions="learned", position_table=8), source, target)


def test_fingerprint_tells_records_apart(exact):
    one, same, other = exact(), exact(), exact()
    with torch.no_grad():
        other.model.encoder[0].attention.query.weight[0, 0] += 1
    prints = [
        attention_maps(one, *PAIR).fingerprint,
        attention_maps(other, *PAIR).fingerprint,
        attention_maps(one, PAIR[0], "b c").fingerprint,
        attention_maps(one, "d e a c", PAIR[1]).fingerprint,
    ]
    assert len(set(prints)) == 4
    assert attention_maps(same, *PAIR).fingerprint == prints[0]


def test_records_do_not_share_memory(exact):
    translator = exact()
    pairs = [sentence_pair(translator, *PAIR), sentence_pair(translator, "a b", "c")]
    first, second = records(translator, pairs)
    before = second.cross[0].copy()
    first.cross[0][:] = 7
    np.testing.assert_array_equal(second.cross[0], before)


def test_what_the_pass_allowed_is_kept(exact):
    translator = exact()
    pairs = [sentence_pair(translator, *PAIR), sentence_pair(translator, "a", "b c d e")]
    for maps in records(translator, pairs):  # padded, both sides
        for kind in KINDS:
            shape = maps.layers(kind)[0].shape[1:]
            expected = np.tri(*shape, dtype=bool) if kind == "decoder" else np.ones(shape, dtype=bool)
            np.testing.assert_array_equal(maps.allowed[kind], expected)
            for layer in maps.layers(kind):
                assert ((layer > 0) == maps.allowed[kind]).all()


def test_a_record_under_a_probe(exact):
    """Attention before the heads that are taken away stays; that behind them is as in a pass with the probe."""
    translator = exact()
    plain = attention_maps(translator, *PAIR)
    probe = UniformAttention(translator.model, [Head("cross", 0, 1)])
    found = attention_maps(translator, *PAIR, probe=probe)
    for before, after in zip(plain.encoder, found.encoder, strict=True):
        np.testing.assert_allclose(after, before, atol=1e-9)
    np.testing.assert_allclose(found.cross[0][1], 1 / 6, atol=1e-9)
    np.testing.assert_allclose(found.cross[0][0], plain.cross[0][0], atol=1e-9)
    assert not np.allclose(found.cross[1], plain.cross[1])
    assert found.log_probs.tolist() == pytest.approx(effect(translator, sentence_pair(translator, *PAIR), probe).after)
    nothing = attention_maps(translator, *PAIR, probe=Probe())
    for kind in KINDS:
        for before, after in zip(plain.layers(kind), nothing.layers(kind), strict=True):
            np.testing.assert_array_equal(after, before)


def test_records_under_different_probes_are_not_confused(exact):
    translator = exact()
    pairs = [sentence_pair(translator, *PAIR), sentence_pair(translator, "a b", "c d e f")]
    heads, model = [Head("cross", 0, 1), Head("encoder", 1, 2)], translator.model
    other = [contexts(translator, pair) for pair in pairs]
    means = [mean_contexts(translator, pairs[:count]) for count in (1, 2)]
    different = [
        None,
        Zeroed(model, heads),
        Zeroed(model, heads[:1]),
        UniformAttention(model, heads),
        *(Resampled(model, heads, said) for said in other),
        *(MeanReplaced(model, heads, mean) for mean in means),
        Probe(),
        Probe(),
    ]
    prints = [record(translator, pairs[0], probe=probe).fingerprint for probe in different]
    assert len(set(prints)) == len(different)
    again = Zeroed(model.config, reversed(heads))
    assert record(translator, pairs[0], probe=again).fingerprint == prints[1]


def test_another_architecture():
    """It has one kind of attention, and the record holds that one."""
    translator = mixing_translator()
    maps = attention_maps(translator, *PAIR)
    assert [layer.shape for layer in maps.encoder] == [(2, 6, 6)] * 2
    assert maps.cross == maps.decoder == ()
    assert set(maps.maps) == set(maps.allowed) == {"encoder"}
    (scored,) = translator.score([PAIR])
    assert maps.log_probs.tolist() == pytest.approx(scored.log_probs, abs=1e-5)
    assert set(maps.to_pandas()["kind"]) == {"encoder"}
    assert {head.kind for head in head_measures(maps).heads} == {"encoder"}
    with pytest.raises(HeadscopeError, match="no heads of cross-attention that could be shown: choose encoder self"):
        query_key(translator, sentence_pair(translator, *PAIR), Head("cross", 0, 0))
    with pytest.raises(HeadscopeError, match="no residual stream, so it has no contributions"):
        head_contributions(translator, sentence_pair(translator, *PAIR))
    with pytest.raises(HeadscopeError, match="no residual stream"):
        logit_lens(translator, sentence_pair(translator, *PAIR))
