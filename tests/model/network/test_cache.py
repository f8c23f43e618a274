from typing import get_args

import pytest
import torch
from torch import Tensor

from headscope.model.config import Positions
from headscope.model.network.cache import DecoderCache, SelfCache
from headscope.model.network.transformer import Memory, Transformer
from tests.toys import random_batch, tiny_model

pytestmark = pytest.mark.usefixtures("float64")


def start(model: Transformer, **batch) -> tuple[Memory, DecoderCache, Tensor]:
    source, present, target = random_batch(**batch)
    memory = model.encode(model.embed("source", source), present)
    return memory, model.start(memory), target


def step(model: Transformer, cache: DecoderCache, pieces: Tensor) -> Tensor:
    """Logits after one more piece a row."""
    return model.step(pieces, cache)


def whole(model: Transformer, memory: Memory, rows: Tensor, sentences: list[int]) -> Tensor:
    """Logits after the last piece of each row, from a pass over all its pieces."""
    index = torch.tensor(sentences)
    beside = Memory(memory.states[index], memory.mask.rows(index))
    return model.project(model.decode(model.embed("target", rows), beside))[:, -1]


@pytest.mark.parametrize(
    "changes",
    [{}, {"norm": "pre"}, {"zero_start": True}, {"sinusoid_layout": "halves_fairseq"}]
    + [{"positions": positions} for positions in get_args(Positions)],
    ids=str,
)
def test_every_step_equals_the_whole_pass(changes):
    model = tiny_model(**changes)
    with torch.no_grad():
        for parameter in model.positions.parameters():
            parameter.normal_()
    memory, cache, target = start(model, targets=(6, 6, 6))
    full = model.project(model.decode(model.embed("target", target), memory))
    for t in range(6):
        assert cache.length == t
        torch.testing.assert_close(step(model, cache, target[:, t]), full[:, t], rtol=0, atol=1e-9)


def test_several_pieces_at_once_equal_the_whole_pass():
    model = tiny_model()
    memory, cache, target = start(model, targets=(6, 6, 6))
    full = model.decode(model.embed("target", target), memory)
    parts = [
        model.decode(model.embed("target", target[:, first:last], first=first), cache=cache)
        for first, last in ((0, 2), (2, 3), (3, 6))
    ]
    torch.testing.assert_close(torch.cat(parts, dim=1), full, rtol=0, atol=1e-9)


def test_beams_that_are_reordered_and_sentences_that_leave():
    """Three sentences of two rows each; after each step some rows change places and a sentence may leave."""
    model = tiny_model()
    memory, cache, _ = start(model)
    generator = torch.Generator().manual_seed(1)

    def pieces(count: int) -> Tensor:
        return torch.randint(3, 12, (count,), generator=generator)

    rows, sentences = pieces(3)[:, None], [0, 1, 2]  # what each row has read, and which sentence it belongs to
    script = [
        ([0, 0, 1, 1, 2, 2], None),  # the first step has one row a sentence: double it
        ([1, 0, 3, 2, 4, 4], None),
        ([0, 1, 5, 4], [0, 2]),  # sentence 1 leaves
        ([1, 1, 2, 3], None),
        ([3, 2], [1]),  # sentence 0 leaves; 2 stays alone
        ([0, 0], None),
    ]
    last = rows[:, 0]
    for order, staying in script:
        torch.testing.assert_close(step(model, cache, last), whole(model, memory, rows, sentences), rtol=0, atol=1e-9)
        cache.select(torch.tensor(order))
        if staying is not None:
            cache.keep_sentences(torch.tensor(staying))
        last = pieces(len(order))
        rows = torch.cat([rows[order], last[:, None]], dim=1)
        sentences = [sentences[row] for row in order]
        assert len(cache.cross[0][0]) == len(set(sentences))
    torch.testing.assert_close(step(model, cache, last), whole(model, memory, rows, sentences), rtol=0, atol=1e-9)


@pytest.mark.parametrize("sources", [(4,), (4, 4), (4, 2)], ids=str)
def test_mask_that_hides_nothing_can_be_dropped(sources):
    model = tiny_model()
    memory, cache, target = start(model, sources=sources, targets=(3,) * len(sources))
    cache.drop_idle_mask()
    assert (cache.mask is None) == (len(set(sources)) == 1)
    full = model.project(model.decode(model.embed("target", target), memory))
    for t in range(2):
        torch.testing.assert_close(step(model, cache, target[:, t]), full[:, t], rtol=0, atol=1e-9)
    cache.select(torch.tensor([0]))
    cache.keep_sentences(torch.tensor([0]))
    torch.testing.assert_close(step(model, cache, target[:1, 2]), full[:1, 2], rtol=0, atol=1e-9)


def test_branches_do_not_touch_each_other():
    model = tiny_model()
    memory, cache, target = start(model, sources=(4,), targets=(3,))
    step(model, cache, target[:, 0])
    branches = []
    for order in ([0], [0, 0]):
        branch = cache.branch()
        branch.select(torch.tensor(order))
        branches.append((branch, torch.full((len(order),), 5 + len(order))))
    for _ in range(2):
        for branch, piece in branches:
            read = torch.cat([target[:, :1].expand(len(piece), 1), piece[:, None].expand(-1, branch.length)], dim=1)
            expected = whole(model, memory, read, [0] * len(piece))
            torch.testing.assert_close(step(model, branch, piece), expected, rtol=0, atol=1e-9)
    read = torch.cat([target[:, :1], torch.tensor([[9]])], dim=1)
    torch.testing.assert_close(step(model, cache, read[:, 1]), whole(model, memory, read, [0]), rtol=0, atol=1e-9)


def test_batches_of_one_size_do_not_meet():
    """What a cache keeps belongs to its memory, even if another batch has as many elements."""
    model = tiny_model()
    for seed in (0, 1):
        memory, cache, target = start(model, sources=(4, 4), targets=(3, 3), seed=seed)
        full = model.project(model.decode(model.embed("target", target), memory))
        for t in range(3):
            torch.testing.assert_close(step(model, cache, target[:, t]), full[:, t], rtol=0, atol=1e-9)


def test_source_keys_are_computed_once_a_sentence():
    model = tiny_model()
    read: list[tuple[int, ...]] = []
    for layer in model.decoder:
        layer.cross.key.register_forward_hook(lambda module, inputs, output: read.append(tuple(inputs[0].shape)))
    _, cache, _ = start(model)
    for order in ([0, 0, 1, 1, 2, 2], [1, 0, 2, 2, 4, 5], [0, 1, 2, 3, 4, 5]):
        step(model, cache, torch.full((3 if cache.length == 0 else 6,), 5))
        cache.select(torch.tensor(order))
    assert read == [(3, 7, 16)] * 3  # three layers, three sentences, seven pieces


def test_self_cache_grows_and_selects():
    cache = SelfCache()
    cache.select(torch.tensor([0]))  # nothing is kept yet
    first = torch.arange(4.0).view(2, 1, 1, 2)
    key, value = cache.extend(first, -first)
    assert torch.equal(key, first)
    cache.select(torch.tensor([1, 1, 0]))
    key, value = cache.extend(torch.zeros(3, 1, 1, 2), torch.ones(3, 1, 1, 2))
    assert key.flatten(1).tolist() == [[2, 3, 0, 0], [2, 3, 0, 0], [0, 1, 0, 0]]
    assert value.flatten(1).tolist() == [[-2, -3, 1, 1], [-2, -3, 1, 1], [0, -1, 1, 1]]
