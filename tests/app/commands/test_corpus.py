"""A checkpoint, and the corpus that it is measured over."""

import pytest

from headscope.app.commands.corpus import load_both
from headscope.model.errors import HeadscopeError
from tests.app.commands.measuring import saved, write_data
from tests.toys import SENTENCES


def load(checkpoint, *data, parts=None, most=None, skip_bad_lines=False):
    return load_both(str(checkpoint), data, "cpu", parts=parts, most=most, skip_bad_lines=skip_bad_lines)


def test_the_parts_that_no_training_learns_from(checkpoint, translator, tmp_path):
    one = write_data(tmp_path / "one", SENTENCES[:2], "test", licence="cc0")
    other = write_data(tmp_path / "other", SENTENCES[2:], "test", licence="cc-by")
    found, texts = load(checkpoint, one, other, parts=["test"])
    assert found.weights_digest == translator.weights_digest
    assert [tuple(pair) for pair in texts.pairs] == list(SENTENCES)
    assert texts.licence == "cc0; cc-by"
    unseen = load(checkpoint, one)[1]
    assert {tuple(pair) for pair in unseen.pairs} >= set(SENTENCES[:2])
    assert len(load(checkpoint, one, other, parts=["test"], most=3)[1].pairs) == 3


def test_bad_lines_are_refused_or_left_out(checkpoint, tmp_path):
    data = write_data(tmp_path / "data", [*SENTENCES, ("", "no source")], "test")
    with pytest.raises(HeadscopeError, match="empty side"):
        load(checkpoint, data, parts=["test"])
    assert len(load(checkpoint, data, parts=["test"], skip_bad_lines=True)[1].pairs) == len(SENTENCES)


def test_what_the_model_cannot_read(reverser, tmp_path):
    own, data = saved(reverser, tmp_path / "own"), write_data(tmp_path / "data", SENTENCES, "test")
    with pytest.raises(HeadscopeError, match="cannot read the source text"):
        load(own, data, parts=["test"])
    with pytest.raises(HeadscopeError, match="no checkpoint"):
        load(tmp_path / "none", data)
