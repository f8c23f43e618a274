"""`headscope profile`."""

import numpy as np
import pytest

from headscope.analysis.measures import profile as module
from headscope.analysis.measures.profile import PROFILE, head_profile, load_profile
from tests.app.commands.measuring import LETTERS, copied, saved, write_data
from tests.files import tree
from tests.toys import SENTENCES


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data", SENTENCES, "test", "dev")


def test_what_is_kept_is_what_the_function_gives(command, checkpoint, translator, tmp_path, data):
    own = copied(checkpoint, tmp_path / "own")
    found = command("profile", "--checkpoint", own, "--data", data)
    assert found.code == 0
    assert str(own / PROFILE) in found.err
    assert "5 sentences are few" in found.err
    profile, expected = load_profile(own), head_profile(translator, SENTENCES)
    assert profile
    assert (profile.sentences, profile.weights) == (5, translator.weights_digest)
    np.testing.assert_allclose(profile.mean["entropy"], expected.mean["entropy"], rtol=1e-5)
    assert len(found.lines) == len(profile.heads)
    assert found.lines[0].startswith("encoder self-attention 1.1 ")
    changed = tree(own)
    assert changed.pop(PROFILE)
    assert changed == tree(checkpoint)


def test_the_first_pairs_of_a_part(command, checkpoint, tmp_path, data):
    own = copied(checkpoint, tmp_path / "own")
    assert command("profile", "--checkpoint", own, "--data", data, "--part", "test", "--sentences", 2).code == 0
    profile = load_profile(own)
    assert profile
    assert profile.sentences == 2
    assert command("profile", "--checkpoint", own, "--data", data, "--part", "more").refuses("has no part 'more'")


def test_a_model_of_pieces(command, reverser, tmp_path, data):
    own = saved(reverser, tmp_path / "own")
    letters = write_data(tmp_path / "letters", [(text, text[::-1]) for text in LETTERS], "dev")
    assert command("profile", "--checkpoint", own, "--data", letters).code == 0
    profile = load_profile(own)
    assert profile
    assert (profile.sentences, profile.weights) == (len(LETTERS), reverser.weights_digest)
    before = tree(own)
    found = command("profile", "--checkpoint", own, "--data", data)
    assert found.refuses("this model cannot read the source text", "not in the vocabulary")
    assert tree(own) == before


def test_an_interruption_leaves_what_was_there(command, checkpoint, tmp_path, data, monkeypatch):
    own = copied(checkpoint, tmp_path / "own")
    (own / PROFILE).write_text("old")
    before = tree(own)

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    for name in ("head_profile", "json_text"):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, interrupted)
            assert command("profile", "--checkpoint", own, "--data", data).code == 130
        assert tree(own) == before
        assert not list(own.glob(".*"))
