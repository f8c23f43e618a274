import copy
from collections.abc import Callable

import pytest
import torch

from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import SentencePair, sentence_pair
from headscope.analysis.interventions.heads import (
    HeadProbe,
    MeanReplaced,
    Resampled,
    UniformAttention,
    Zeroed,
    contexts,
    mean_contexts,
)
from headscope.analysis.records.heads import Head, site_of
from headscope.model.errors import HeadscopeError
from headscope.model.network.attention import MultiHeadAttention
from headscope.model.network.probe import Probe, Probes
from headscope.model.progress import Cancelled
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator

HEADS = (Head("encoder", 0, 3), Head("encoder", 1, 0), Head("decoder", 1, 1), Head("cross", 0, 0), Head("cross", 2, 1))


def attention_of(translator: Translator, head: Head) -> MultiHeadAttention:
    layer = (translator.model.encoder if head.kind == "encoder" else translator.model.decoder)[head.layer]
    return layer.cross if head.kind == "cross" else layer.attention


def part(attention: MultiHeadAttention, head: Head) -> slice:
    width = attention.output.weight.shape[0] // attention.heads
    return slice(head.head * width, (head.head + 1) * width)


def forced(translator: Translator, pairs: list[SentencePair], probe: Probe | None = None) -> torch.Tensor:
    with torch.inference_mode():
        return log_probs(translator.model, forced_batch(translator, pairs), probe=probe)


def changed(translator: Translator, change: Callable[[MultiHeadAttention, Head, slice], None]) -> Translator:
    """A copy of which the weights of all HEADS are changed."""
    other = Translator(copy.deepcopy(translator.model), translator.vocabulary, translator.card)
    with torch.no_grad():
        for head in HEADS:
            attention = attention_of(other, head)
            change(attention, head, part(attention, head))
    return other


@pytest.fixture(params=["post", "pre"])
def translator(exact, request) -> Translator:
    return exact(norm=request.param)


@pytest.fixture
def pairs(translator: Translator) -> list[SentencePair]:
    return [sentence_pair(translator, "a b c d", "e f"), sentence_pair(translator, "g h", "i j k l m")]


def test_zeroed_heads_are_heads_without_output_weights(translator: Translator, pairs):
    def cut(attention: MultiHeadAttention, head: Head, columns: slice) -> None:
        attention.output.weight[:, columns] = 0

    found = forced(translator, pairs, Zeroed(translator.model.config, HEADS))
    torch.testing.assert_close(found, forced(changed(translator, cut), pairs), atol=1e-9, rtol=0)
    assert not torch.allclose(found, forced(translator, pairs))


def test_mean_is_a_constant_that_the_bias_could_hold(translator: Translator, pairs):
    means = mean_contexts(translator, pairs)

    def constant(attention: MultiHeadAttention, head: Head, columns: slice) -> None:
        attention.output.bias += attention.output.weight[:, columns] @ means[site_of(translator.model, head)][head.head]
        attention.output.weight[:, columns] = 0

    found = forced(translator, pairs, MeanReplaced(translator.model.config, HEADS, means))
    torch.testing.assert_close(found, forced(changed(translator, constant), pairs), atol=1e-9, rtol=0)


def test_uniform_attention_is_attention_without_queries(translator: Translator, pairs):
    def blind(attention: MultiHeadAttention, head: Head, rows: slice) -> None:
        attention.query.weight[rows] = 0
        attention.query.bias[rows] = 0

    found = forced(translator, pairs, UniformAttention(translator.model.config, HEADS))
    torch.testing.assert_close(found, forced(changed(translator, blind), pairs), atol=1e-9, rtol=0)


def test_resampled_heads_say_what_they_said_elsewhere(translator: Translator, pairs):
    class Updates(Probe):
        """What a site adds to the stream."""

        def __init__(self) -> None:
            self.seen = {}

        def wants(self, site):
            return True

        def residual(self, site, stream, update, normed):
            self.seen[site] = update[0]
            return normed

    config, (here, there) = translator.model.config, pairs
    other = contexts(translator, there)
    for head in (Head("encoder", 0, 2), Head("decoder", 0, 1), Head("cross", 2, 0)):
        site, attention = site_of(translator.model, head), attention_of(translator, head)
        zeroed, resampled = Updates(), Updates()
        forced(translator, [here], Probes(Zeroed(config, [head]), zeroed))
        forced(translator, [here], Probes(Resampled(config, [head], other), resampled))
        said = (resampled.seen[site] - zeroed.seen[site]).detach()
        rows = [row % other[site].shape[1] for row in range(len(said))]
        expected = other[site][head.head, rows] @ attention.output.weight[:, part(attention, head)].T
        torch.testing.assert_close(said, expected.detach(), atol=1e-9, rtol=0)


def test_resampling_from_the_sentence_itself_changes_nothing(translator: Translator, pairs):
    for pair in pairs:
        probe = Resampled(translator.model.config, HEADS, contexts(translator, pair))
        torch.testing.assert_close(forced(translator, [pair], probe), forced(translator, [pair]), atol=1e-9, rtol=0)


def test_means_count_every_row_once_and_no_padding(translator: Translator, pairs):
    means = mean_contexts(translator, pairs)
    alone = [contexts(translator, pair) for pair in pairs]
    for site, mean in means.items():
        rows = torch.cat([seen[site] for seen in alone], dim=1)
        torch.testing.assert_close(mean, rows.mean(1), atol=1e-9, rtol=0)
    for site, mean in mean_contexts(translator, pairs, batch_tokens=1).items():
        torch.testing.assert_close(mean, means[site], atol=1e-9, rtol=0)


def test_means_can_be_cancelled(exact):
    class Stop:
        def update(self, done: int, total: int | None) -> None:
            if done:
                raise Cancelled

    translator = exact()
    pairs = [sentence_pair(translator, "a", "b")] * 2
    with pytest.raises(Cancelled):
        mean_contexts(translator, pairs, batch_tokens=1, progress=Stop())


def test_a_head_that_is_not_there_is_refused(exact):
    with pytest.raises(HeadscopeError, match=r"no head cross 4\.1"):
        Zeroed(exact().model.config, [Head("cross", 3, 0)])


def probes(translator: Translator, other: SentencePair) -> list[HeadProbe]:
    config = translator.model.config
    return [
        Zeroed(config, HEADS),
        MeanReplaced(config, HEADS, mean_contexts(translator, [other])),
        Resampled(config, HEADS, contexts(translator, other)),
        UniformAttention(config, HEADS),
    ]


def test_a_search_with_a_probe_finds_what_a_teacher_forced_pass_confirms(translator: Translator, pairs):
    settings = SearchSettings(beam=3, n_best=3, extra_length=3, penalty=LengthPenalty(1.0))
    text = "b c a"
    (plain,) = translator.translate([text], settings=settings)
    for probe in probes(translator, pairs[1]):
        (found,) = translator.translate([text], settings=settings, probe=probe)
        assert [h.score for h in found.hypotheses] != [h.score for h in plain.hypotheses]
        for hypothesis, target in zip(found.hypotheses, found.targets, strict=True):
            (row,) = forced(translator, [SentencePair(found.source, target, hypothesis.finished)], probe).tolist()
            assert row == pytest.approx(hypothesis.log_probs, abs=1e-9)


def test_a_trace_is_of_the_search_with_the_probe(exact):
    translator = exact()
    settings = SearchSettings(beam=2, extra_length=1)
    probe = Zeroed(translator.model.config, HEADS)
    (found,) = translator.translate(["a b"], settings=settings, probe=probe)
    trace, plain = (translator.search("a b", settings=settings, probe=given) for given in (probe, None))
    assert trace.hypotheses == found.hypotheses != plain.hypotheses


def test_a_search_of_several_sentences_with_a_probe(exact):
    translator = exact()
    settings = SearchSettings(beam=2, n_best=2, extra_length=2)
    texts = ["a b c d", "e", "f g h"]
    probe = Resampled(translator.model.config, HEADS, contexts(translator, sentence_pair(translator, "i j", "k")))
    together = translator.translate(texts, settings=settings, probe=probe)
    for text, found in zip(texts, together, strict=True):
        (alone,) = translator.translate([text], settings=settings, probe=probe)
        assert [h.pieces for h in found.hypotheses] == [h.pieces for h in alone.hypotheses]
        assert [h.total for h in found.hypotheses] == pytest.approx([h.total for h in alone.hypotheses], abs=1e-9)
