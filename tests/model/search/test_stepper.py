from itertools import product
from math import inf, nan

import pytest
import torch
from torch import Tensor

from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probe
from headscope.model.network.transformer import Transformer
from headscope.model.search.beam import beam_search
from headscope.model.search.penalty import LengthPenalty
from headscope.model.search.settings import SearchSettings
from headscope.model.search.stepper import ModelStepper
from headscope.model.search.trace import SearchTrace
from headscope.model.sites import Site
from tests.toys import random_batch, tiny_model

PAD, UNKNOWN, START, END = range(4)


def search(model: Transformer, source: Tensor, present: Tensor, longest: list[int], **settings) -> list[SearchTrace]:
    memory = model.encode(model.embed("source", source), present)
    stepper = ModelStepper(model, memory, never=(PAD, START))
    results = beam_search(stepper, start=START, end=END, longest=longest, settings=SearchSettings(**settings))
    return [result.trace() for result in results]


@pytest.mark.usefixtures("float64")
@torch.inference_mode()
@pytest.mark.parametrize("changes", [{}, {"norm": "pre", "positions": "learned"}, {"zero_start": True}], ids=str)
def test_greedy_equals_argmax_over_whole_passes(changes):
    model = tiny_model(share_output=False, **changes)
    source, present, _ = random_batch((5, 3, 7, 1), (1,))
    traces = search(model, source, present, [9, 12, 6, 10], beam=1)
    for index, (trace, longest) in enumerate(zip(traces, [9, 12, 6, 10], strict=True)):
        pieces = [START]
        log_probs = []
        while len(pieces) <= longest and END not in pieces:
            logits = model(source[[index]], present[[index]], torch.tensor([pieces]))[0, -1]
            values = logits.log_softmax(-1)
            values[[PAD, START]] = -torch.inf
            pieces.append(int(values.argmax()))
            log_probs.append(float(values.max()))
        (hypothesis,) = trace.hypotheses
        assert [START, *hypothesis.pieces, *[END] * hypothesis.finished] == pieces
        assert hypothesis.log_probs == pytest.approx(log_probs, abs=1e-6)


@pytest.mark.usefixtures("float64")
@torch.inference_mode()
def test_beam_equals_brute_force():
    """Three words, at most four pieces: every sentence there is, scored in whole passes."""
    model = tiny_model(source_vocabulary=6, target_vocabulary=6, share_output=False)
    source, present, _ = random_batch((4, 2), (1,), vocabulary=6)
    totals: list[dict[tuple[int, ...], float]] = [{}, {}]
    for length in range(4):
        texts = list(product([UNKNOWN, 4, 5], repeat=length))
        for n, found in enumerate(totals):
            read = torch.tensor([[START, *text] for text in texts])
            values = model(source[[n] * len(texts)], present[[n] * len(texts)], read).log_softmax(-1)
            following = torch.tensor([[*text, END] for text in texts])
            found |= zip(texts, values.gather(2, following[:, :, None]).sum((1, 2)).tolist(), strict=True)

    for alpha in (-0.5, 0.0, 0.6, 1.5):
        penalty = LengthPenalty(alpha)
        traces = search(model, source, present, [4, 4], beam=27, n_best=5, penalty=penalty)
        for trace, found in zip(traces, totals, strict=True):
            scores = {text: penalty.score(total, len(text) + 1) for text, total in found.items()}
            best = sorted(scores, key=scores.__getitem__, reverse=True)[:5]
            assert [hypothesis.pieces for hypothesis in trace.hypotheses] == best
            assert [h.score for h in trace.hypotheses] == pytest.approx([scores[text] for text in best], abs=1e-9)


@torch.inference_mode()
def test_forbidden_pieces_get_nothing_and_the_others_keep_theirs():
    model = tiny_model()
    source, present, _ = random_batch((5, 3), (1,))
    memory = model.encode(model.embed("source", source), present)
    first = torch.full((2,), START)
    plain = ModelStepper(model, memory).step(first)
    limited = ModelStepper(model, memory, never=(PAD, START)).step(first)
    torch.testing.assert_close(plain.exp().sum(-1), torch.ones(2))
    assert (limited[:, [PAD, START]] == -torch.inf).all()
    others = [UNKNOWN, END, *range(4, 12)]
    assert torch.equal(limited[:, others], plain[:, others])


@pytest.mark.usefixtures("float64")
@torch.inference_mode()
def test_prefix_is_certain_and_read():
    model = tiny_model(share_output=False)
    source, present, _ = random_batch((5, 3), (1,))
    stepper = ModelStepper(model, model.encode(model.embed("source", source), present), prefix=(7, START))
    for piece, following in ((START, 7), (7, START)):
        certain = stepper.step(torch.full((2,), piece))
        assert (certain[:, following] == 0).all()
        assert (certain.exp().sum(-1) == 1).all()
    third = stepper.step(torch.full((2,), START))
    expected = model(source, present, torch.tensor([[START, 7, START]] * 2))[:, -1].log_softmax(-1)
    torch.testing.assert_close(third, expected, rtol=0, atol=1e-9)


class Kept(Probe):
    """Decoder and cross weights, by site."""

    def __init__(self) -> None:
        self.seen: dict[Site, Tensor] = {}

    def wants(self, site: Site) -> bool:
        return site.kind in ("decoder", "cross")

    def weights(self, site: Site, weights: Tensor) -> Tensor:
        self.seen[site] = weights
        return weights


class Checked:
    """A stepper that compares each row, at each step, with a teacher-forced pass over what the row has read."""

    def __init__(self, model: Transformer, source: Tensor, present: Tensor) -> None:
        self.model, self.source, self.present, self.probe = model, source, present, Kept()
        memory = model.encode(model.embed("source", source), present)
        self.inner = ModelStepper(model, memory, probe=self.probe)
        self.rows: list[tuple[int, list[int], list[dict[Site, Tensor]]]] = [(n, [], []) for n in range(len(source))]
        self.moved = False

    def step(self, pieces: Tensor) -> Tensor:
        log_probs = self.inner.step(pieces)
        for row, (sentence, read, looked) in enumerate(self.rows):
            read.append(int(pieces[row]))
            looked.append({site: weights[row, :, 0] for site, weights in self.probe.seen.items()})
            whole, n = Kept(), [sentence]
            logits = self.model(self.source[n], self.present[n], torch.tensor([read]), probe=whole)
            torch.testing.assert_close(log_probs[row], logits[0, -1].log_softmax(-1), rtol=0, atol=1e-9)
            for t, sites in enumerate(looked):
                for site, weights in sites.items():
                    expected = whole.seen[site][0, :, t, : weights.shape[-1]]
                    torch.testing.assert_close(weights, expected, rtol=0, atol=1e-9)
        return log_probs

    def select(self, rows: Tensor, sentences: Tensor | None) -> None:
        self.moved |= len(rows) == len(self.rows) and rows.tolist() != list(range(len(rows)))
        self.rows = [(n, [*read], [*looked]) for n, read, looked in (self.rows[row] for row in rows.tolist())]
        self.inner.select(rows, sentences)


@pytest.mark.usefixtures("float64")
@torch.inference_mode()
def test_attention_and_logits_of_cached_steps_follow_the_hypotheses():
    model = tiny_model(share_output=False, logits_bias=True)
    model.projection.bias[END] = -2
    source, present, _ = random_batch((6, 4), (1,))
    checked = Checked(model, source, present)
    beam_search(checked, start=START, end=END, longest=[4, 6], settings=SearchSettings(beam=3, n_best=3))
    assert checked.moved
    assert {sentence for sentence, _, _ in checked.rows} == {1}  # the other one has left
    assert all(len(looked) == 6 for _, _, looked in checked.rows)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@torch.inference_mode()
def test_search_on_cuda_equals_cpu():
    model = tiny_model(share_output=False)
    source, present, _ = random_batch((5, 3, 7), (1,))
    on_cpu = search(model, source, present, [9, 9, 9], beam=4, n_best=2)
    on_cuda = search(model.cuda(), source.cuda(), present.cuda(), [9, 9, 9], beam=4, n_best=2)
    for expected, trace in zip(on_cpu, on_cuda, strict=True):
        assert [h.pieces for h in trace.hypotheses] == [h.pieces for h in expected.hypotheses]
        assert [h.score for h in trace.hypotheses] == pytest.approx([h.score for h in expected.hypotheses], abs=1e-4)


class Logits(Probe):
    """Puts others in their place."""

    def __init__(self, **values: float) -> None:
        self.values = values

    def logits(self, logits: Tensor) -> Tensor:
        changed = logits.clone()
        changed[-1, ..., PAD] = self.values["pad"]
        changed[-1, ..., PAD + 1 :] = self.values["others"]
        return changed


@pytest.mark.parametrize(
    "values", [{"pad": 0, "others": inf}, {"pad": nan, "others": 0}, {"pad": 3e38, "others": -3e38}], ids=str
)
def test_a_row_without_a_finite_log_probability_is_refused(values: dict[str, float]):
    """The last case is finite before the softmax, and leaves nothing but padding, which is never written."""
    model = tiny_model()
    source, present, _ = random_batch((3, 5), (1,))
    memory = model.encode(model.embed("source", source), present)
    stepper = ModelStepper(model, memory, never=(PAD, START), probe=Logits(**values))
    with pytest.raises(HeadscopeError, match="log-probabilities of piece 1 of a translation are not finite"):
        stepper.step(torch.tensor([START, START]))


def test_what_a_probe_makes_impossible_is_no_fault():
    model = tiny_model()
    source, present, _ = random_batch((3, 5), (1,))
    memory = model.encode(model.embed("source", source), present)

    class Forbids(Probe):
        def logits(self, logits: Tensor) -> Tensor:
            return logits.index_fill(-1, torch.tensor([UNKNOWN]), -inf)

    found = ModelStepper(model, memory, never=(PAD, START), probe=Forbids()).step(torch.tensor([START, START]))
    assert torch.isneginf(found[:, [PAD, UNKNOWN, START]]).all()
    assert found[:, END:].isfinite().all()
