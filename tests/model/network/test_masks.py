import torch

from headscope.model.network.masks import Mask, causal_mask, key_mask


def test_padding_hides_keys_and_never_queries():
    mask = key_mask(torch.tensor([[True, True, False, False], [True, True, True, True]]))
    assert mask.allowed.shape == (2, 1, 1, 4)
    assert mask.allowed[:, 0, 0].tolist() == [[True, True, False, False], [True] * 4]
    assert mask.live is None


def test_sentence_without_keys_is_not_live():
    mask = key_mask(torch.tensor([[True, False], [False, False]]))
    assert mask.live is not None
    assert mask.live.flatten().tolist() == [True, False]


def test_causal():
    mask = causal_mask(3, 3, torch.device("cpu"))
    assert mask.allowed[0, 0].tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert mask.live is None


def test_causal_mask_of_the_last_queries():
    whole, last = (causal_mask(queries, 5, torch.device("cpu")).allowed for queries in (5, 2))
    assert torch.equal(last, whole[:, :, 3:])


def test_rows_of_a_mask():
    present = torch.tensor([[True, False], [False, False], [True, True]])
    taken = key_mask(present).rows(torch.tensor([2, 1, 1]))
    expected = Mask.of(present[[2, 1, 1]][:, None, None])
    assert torch.equal(taken.allowed, expected.allowed)
    assert taken.live is not None
    assert expected.live is not None
    assert torch.equal(taken.live, expected.live)
