"""What is asked of why a sentence was translated so."""

import numpy as np
import pytest
import torch

from headscope.analysis.attribution.attribute import attribute
from headscope.analysis.attribution.registry import explained
from headscope.analysis.attribution.values.contrast import contrast
from headscope.analysis.capture.forced import forced_batch
from headscope.analysis.capture.pairs import sentence_pair
from headscope.app.workbench import attributions
from headscope.app.workbench.attributions import MOST_ALTERNATIVES, Instead
from headscope.app.workbench.sentences import Sentence
from headscope.app.workbench.workbench import Workbench
from headscope.model.errors import HeadscopeError

TEXT = "How much does a ticket cost?"
METHOD = "input x gradient"


@pytest.fixture(scope="module")
def bench(checkpoint) -> Workbench:
    return Workbench({"toy": checkpoint})


@pytest.fixture
def sentence() -> Sentence:
    return Sentence("toy", TEXT, 4, 0.6)


def test_it_is_computed_once(bench, sentence, translator):
    assert not attributions.at_hand(bench, sentence, METHOD, "entropy")
    found = attributions.attribution(bench, sentence, METHOD, "entropy")
    assert attributions.at_hand(bench, sentence, METHOD, "entropy")
    assert not attributions.at_hand(bench, sentence, METHOD, "logit")
    assert attributions.attribution(bench, sentence, METHOD, "entropy") is found


def test_a_contrast_with_a_piece_of_the_visitors_choice(bench, sentence, translator):
    pair = sentence_pair(translator, TEXT)
    row, piece = 1, 3
    found = attributions.attribution(bench, sentence, METHOD, "contrast", instead=Instead(row, piece))
    others = torch.full((len(pair.target.ids) + 1,), piece)
    expected = attribute(translator, pair, METHOD, explained=contrast(others))
    np.testing.assert_allclose(found.from_source[row], expected.from_source[row], atol=1e-4)


def test_alternatives_are_the_most_probable_pieces_but_its_own(bench, sentence, translator):
    batch = forced_batch(translator, [sentence_pair(translator, TEXT)])
    with torch.no_grad():
        logits = translator.model.forward(batch.source, batch.present, batch.reads)[0, 2].double()
    shares = (logits - logits.logsumexp(-1)).exp()
    order = [piece for piece in shares.argsort(descending=True).tolist() if piece != int(batch.predicts[0, 2])]
    found = attributions.alternatives(bench, sentence, 2)
    assert [each.piece for each in found] == order[:MOST_ALTERNATIVES]
    assert [each.probability for each in found] == pytest.approx(shares[order[:MOST_ALTERNATIVES]].tolist(), rel=1e-4)
    assert [each.spelt for each in found] == [translator.vocabulary.piece(each.piece, "target") for each in found]


def test_what_is_typed_is_its_first_piece(bench, sentence, translator):
    assert attributions.piece_of(bench, sentence, "Fahrkarte") == translator.vocabulary.encode("Fahrkarte").ids[0]
    assert attributions.piece_of(bench, sentence, "  ") is None


def test_another_translation_is_contrasted_with(bench, sentence, translator):
    pair, other = sentence_pair(translator, TEXT), "Was kostet das?"
    found = attributions.attribution(bench, sentence, METHOD, "phrase contrast", rival=other)
    value = explained(translator, pair, "phrase contrast", text=other)
    expected = attribute(translator, pair, METHOD, explained=value)
    np.testing.assert_allclose(found.from_source, expected.from_source, atol=1e-4)
    assert attributions.at_hand(bench, sentence, METHOD, "phrase contrast", rival=other)
    assert not attributions.at_hand(bench, sentence, METHOD, "phrase contrast", rival="Wie viel?")


def test_rivals_are_what_else_the_search_found(bench, sentence, translator):
    settings = sentence.settings(translator.settings).override(n_best=4)
    ours, *others = (each.text for each in translator.translate([TEXT], settings=settings)[0].targets)
    assert others
    assert attributions.rivals(bench, sentence) == tuple(dict.fromkeys(text for text in others if text != ours))


def test_another_checkpoint_is_subtracted(checkpoint, sentence):
    bench = Workbench({"toy": checkpoint, "same": checkpoint})
    assert attributions.other_checkpoints(bench, "toy") == ("same",)
    assert not attributions.at_hand(bench, sentence, METHOD, "checkpoint difference", rival="same")
    found = attributions.attribution(bench, sentence, METHOD, "checkpoint difference", rival="same")
    assert attributions.at_hand(bench, sentence, METHOD, "checkpoint difference", rival="same")
    assert not np.abs(found.from_source).max()
    assert not np.abs(found.values).max()


def test_without_another_checkpoint_there_is_no_difference(bench, sentence):
    assert attributions.other_checkpoints(bench, "toy") == ()
    with pytest.raises(HeadscopeError, match="no other checkpoint"):
        attributions.attribution(bench, sentence, METHOD, "checkpoint difference")
