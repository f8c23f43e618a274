"""What is compared, as translators."""

import pytest

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.comparison.naming import read_side
from headscope.analysis.comparison.sides import load_side, with_change
from headscope.analysis.interventions.heads import UniformAttention, Zeroed
from headscope.analysis.interventions.positions import Positionless, Shifted
from headscope.model.errors import HeadscopeError
from headscope.model.network.probe import Probes


def test_a_checkpoint_with_and_without_a_change(checkpoint):
    plain = load_side(read_side(str(checkpoint)), "cpu")
    side = read_side(f"{checkpoint}:without=cross.1.2:uniform=encoder.1.1:offset=4")
    other = load_side(side, "cpu")
    config = plain.model.config
    probe = Probes(Zeroed(config, side.without), UniformAttention(config, side.uniform), Shifted(4))
    pair = sentence_pair(plain, "How much does a ticket cost?", "Wie viel kostet eine Fahrkarte?")
    assert record(other, pair).log_probs.tolist() == record(plain, pair, probe=probe).log_probs.tolist()
    assert other.card.name == side.title
    bare = with_change(plain, read_side("x:positionless"))
    assert record(bare, pair).log_probs.tolist() == record(plain, pair, probe=Positionless()).log_probs.tolist()
    assert with_change(plain, read_side("x")) is plain


def test_what_is_not_there_is_refused(checkpoint, tmp_path):
    with pytest.raises(HeadscopeError, match=r"there is no head cross 9\.1"):
        load_side(read_side(f"{checkpoint}:without=cross.9.1"), "cpu")
    with pytest.raises(HeadscopeError, match="keeps no weights of update 7"):
        load_side(read_side(f"{checkpoint}@7"), "cpu")
    with pytest.raises(HeadscopeError, match="there is no checkpoint"):
        load_side(read_side(str(tmp_path / "none")), "cpu")
