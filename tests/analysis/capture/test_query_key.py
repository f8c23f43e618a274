import copy
import math

import numpy as np
import pytest
import torch

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.capture.query_key import query_key
from headscope.analysis.records.heads import Head, all_heads
from headscope.model.errors import HeadscopeError
from headscope.model.translator import Translator


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_every_step_of_every_head(exact, norm: str):
    translator = exact(norm=norm)
    pair, maps = sentence_pair(translator, "a b c d", "e f"), attention_maps(translator, "a b c d", "e f")
    for head in all_heads(translator.model.config):
        found = query_key(translator, pair, head)
        width = found.query.shape[1]
        assert found.queries == maps.queries(head.kind)
        assert found.keys == maps.keys(head.kind)
        np.testing.assert_allclose(found.scaled, found.scores / math.sqrt(width), atol=1e-9)
        for row in range(len(found.query)):
            np.testing.assert_allclose(found.products(row).sum(-1), found.scores[row], atol=1e-9)
        exponents = np.exp(found.masked)
        np.testing.assert_allclose(exponents / exponents.sum(-1, keepdims=True), found.weights, atol=1e-9)
        np.testing.assert_allclose(found.weights, maps.layers(head.kind)[head.layer][head.head], atol=1e-12)
        forbidden = np.triu(np.ones(found.scores.shape, dtype=bool), 1) & (head.kind == "decoder")
        np.testing.assert_array_equal(np.isinf(found.masked), forbidden)
        assert np.isfinite(found.scaled).all()


def test_queries_and_keys_by_hand(exact):
    translator = exact()
    pair = sentence_pair(translator, "a b c", "d")
    found = query_key(translator, pair, Head("encoder", 0, 2))
    attention = translator.model.encoder[0].attention
    x = translator.model.embed("source", translator.batch([pair.source.ids])[0])[0]
    part = slice(8, 12)
    for vectors, linear in ((found.query, attention.query), (found.key, attention.key)):
        expected = x @ linear.weight[part].T + linear.bias[part]
        np.testing.assert_allclose(vectors, expected.detach().numpy(), atol=1e-9)


@pytest.mark.parametrize("head", [Head("encoder", 1, 2), Head("decoder", 2, 0), Head("cross", 2, 1)])
def test_a_map_is_from_exactly_that_head(exact, head: Head):
    translator = exact()
    before = attention_maps(translator, "a b c", "d e")
    other = Translator(copy.deepcopy(translator.model), translator.vocabulary, translator.card)
    layer = (other.model.encoder if head.kind == "encoder" else other.model.decoder)[head.layer]
    attention = layer.cross if head.kind == "cross" else layer.attention
    width = 16 // attention.heads
    with torch.no_grad():
        attention.query.weight[head.head * width : (head.head + 1) * width] *= 1.5
    after = attention_maps(other, "a b c", "d e")

    def changed(candidate: Head) -> bool:
        one, two = (maps.layers(candidate.kind)[candidate.layer][candidate.head] for maps in (before, after))
        return not np.allclose(one, two, atol=1e-12)

    order = {"encoder": 0, "decoder": 1, "cross": 2}
    same_site = [h for h in all_heads(other.model.config) if h[:2] == head[:2]]
    earlier = [h for h in all_heads(other.model.config) if (order[h.kind], h.layer) < (order[head.kind], head.layer)]
    earlier = [h for h in earlier if h.kind == head.kind or h.kind == "encoder"]
    assert [h for h in same_site if changed(h)] == [head]
    assert not any(changed(h) for h in earlier)


def test_a_head_that_is_not_there(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match=r"no head decoder 1\.3"):
        query_key(translator, sentence_pair(translator, "a", "b"), Head("decoder", 0, 2))


@pytest.mark.parametrize("fields", [{"score": "unscaled"}, {"score": "additive"}, {"pattern": "uniform"}], ids=str)
def test_a_head_whose_weights_are_no_softmax_of_products_is_refused(exact, fields):
    translator = exact(attention={"cross": fields})
    pair = sentence_pair(translator, "a", "b")
    assert query_key(translator, pair, Head("decoder", 0, 0)).weights.shape == (2, 2)
    with pytest.raises(HeadscopeError, match="no queries and keys to look at"):
        query_key(translator, pair, Head("cross", 0, 0))
