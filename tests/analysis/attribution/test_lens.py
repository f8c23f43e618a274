import copy

import numpy as np
import pytest
from torch import nn

from headscope.analysis.attribution.lens import logit_lens
from headscope.analysis.capture.pairs import sentence_pair
from headscope.model.errors import HeadscopeError


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_a_layer_predicts_what_a_decoder_cut_off_behind_it_does(exact, norm: str):
    translator = exact(norm=norm)
    found = logit_lens(translator, sentence_pair(translator, "a b c d", "e f g"), top=4)
    source, present = translator.batch([translator.vocabulary.encode("a b c d").ids])
    reads, predicts, _ = translator.targets([[*translator.vocabulary.encode("e f g").ids, translator.vocabulary.end]])
    assert found.ids.shape == (3, 4, 4)
    for layer in range(3):
        model = copy.deepcopy(translator.model)
        model.decoder = nn.ModuleList(model.decoder[: layer + 1])
        probabilities = model(source, present, reads)[0].softmax(-1).detach().numpy()
        order = np.argsort(-probabilities, axis=-1)
        np.testing.assert_array_equal(found.ids[layer], order[:, :4])
        np.testing.assert_allclose(found.probabilities[layer], -np.sort(-probabilities, axis=-1)[:, :4], atol=1e-9)
        for row, piece in enumerate(predicts[0].tolist()):
            assert found.actual[layer, row] == pytest.approx(probabilities[row, piece], abs=1e-9)
            assert order[row, found.rank[layer, row] - 1] == piece


def test_the_last_layer_is_the_model(exact):
    translator = exact()
    found = logit_lens(translator, sentence_pair(translator, "a b", "c d"))
    (scored,) = translator.score([("a b", "c d")])
    assert np.log(found.actual[-1]).tolist() == pytest.approx(scored.log_probs, abs=1e-9)


def test_table_names_the_pieces(exact):
    translator = exact()
    found = logit_lens(translator, sentence_pair(translator, "a b", "c"), top=2)
    table = found.to_pandas()
    assert len(table) == 3 * 2 * 2
    first = table.query("layer == 1 and row == 1 and place == 1").iloc[0]
    assert (first.reads, first.predicts) == ("c", "</s>")
    assert first.piece == translator.vocabulary.piece(int(found.ids[1, 1, 0]), "target")
    assert first.probability == found.probabilities[1, 1].max()
    assert first["rank"] == found.rank[1, 1]


def test_more_pieces_than_there_are_and_fewer_than_one(exact):
    translator = exact()
    pair = sentence_pair(translator, "a", "b")
    assert logit_lens(translator, pair, top=99).probabilities.sum(-1) == pytest.approx(np.ones((3, 2)))
    with pytest.raises(HeadscopeError, match=r"^0 pieces"):
        logit_lens(translator, pair, top=0)
