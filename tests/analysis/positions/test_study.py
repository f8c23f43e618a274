import numpy as np
import pytest

from headscope.analysis.capture.pairs import corpus_pairs
from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.scores import corpus_shares
from headscope.analysis.positions.study import (
    LENGTHS,
    first_layer,
    kept_shares,
    load_position_study,
    position_study,
    save_position_study,
    tables,
)
from headscope.model.errors import HeadscopeError
from tests.toys import brief, letter_translator, random_letters

ABOUT = ("made up", "CC0", "nobody")
TEXTS = Texts([(text, text[::-1]) for text in random_letters(30, 11, 1)], *ABOUT)


def test_all_parts_as_tables_and_in_a_file(tmp_path):
    translator = brief(letter_translator())
    few = {"bins": LENGTHS[:3], "most": 2, "sentences": 12, "offsets": (0, 2)}
    other = letter_translator(d_model=32)
    study = position_study(translator, TEXTS, other, **few)
    assert study.other_weights == other.weights_digest
    assert (study.sentences, study.data, study.weights) == (12, "made up", translator.weights_digest)
    assert study.unreadable is None
    assert len(study.readable) == 3 + 4
    assert len(study.heads) == 2 * 4 + 3 * 2 * 2
    assert study.changes[-1].refused
    found = tables(study)
    assert set(found) == {"length", "position", "offset", "change", "distance", "readable", "share"}
    sums = found["share"].groupby(["stack", "head"]).share.sum()
    assert len(sums) == len(study.shares)
    assert sums.tolist() == pytest.approx([1.0] * len(sums), abs=1e-4)
    pairs = corpus_pairs(translator, TEXTS.pairs)
    exact = corpus_shares(translator, pairs, "decoder")
    kept = kept_shares(first_layer(translator, pairs), "decoder", len(pairs))
    np.testing.assert_allclose(kept.share, exact.share, atol=1e-5)
    np.testing.assert_allclose(kept.deviation, exact.deviation, atol=1e-5)
    assert (study.inseparable, study.other) == (None, "letters")
    assert [score.metric for score in study.comparison.scores] == ["BLEU", "chrF"]
    assert found["offset"]["loss value"].tolist() == [each.loss.value for each in study.length.offsets]
    assert found["distance"].links.sum() == sum(sum(head.links) for head in study.heads)
    save_position_study(study, tmp_path)
    assert load_position_study(tmp_path) == study
    assert load_position_study(tmp_path / "elsewhere") is None


def test_few_tokens_and_none(translator):
    few = Texts([("We.", "Wir."), ("She reads.", "Sie liest.")], *ABOUT)
    study = position_study(brief(translator), few, bins=LENGTHS[:2], most=1)
    assert "too few" in study.unreadable
    assert study.readable == ()
    with pytest.raises(HeadscopeError, match="none of the 1 sentence pairs can be read"):
        position_study(translator, Texts([("", "")], *ABOUT))
