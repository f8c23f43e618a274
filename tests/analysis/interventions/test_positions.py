import copy

import pytest
import torch

from headscope.analysis.capture.attention import record
from headscope.analysis.capture.forced import forced_batch, log_probs
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.interventions.effects import effect, what_if
from headscope.analysis.interventions.positions import (
    Interpolated,
    Positionless,
    Rearranged,
    Shifted,
    Shuffled,
    Swapped,
    exchanged,
    moved,
    repeated,
    within,
)
from headscope.model.errors import HeadscopeError
from headscope.model.network.positions import PositionScheme
from headscope.model.network.probe import Probe, Probes
from headscope.model.search.settings import SearchSettings
from headscope.model.translator import Translator
from tests.toy_seq2seq import mixing_translator
from tests.toys import letter_translator

SCHEMES = ("sinusoidal", "learned", "rotary", "alibi", "shaw", "t5", "none")


def passed(translator: Translator, source: str, target: str, probe: Probe | None = None) -> torch.Tensor:
    with torch.inference_mode():
        return log_probs(
            translator.model, forced_batch(translator, [sentence_pair(translator, source, target)]), probe=probe
        )


@pytest.fixture
def exact(exact):
    """T5's numbers begin at zero, where no change of positions could be seen."""

    def make(**changes):
        translator = exact(**changes)
        if changes.get("positions") == "t5":
            with torch.no_grad():
                for biases in translator.model.positions.parameters():
                    biases.normal_()
        return translator

    return make


class States(Probe):
    """What the encoder's last layer leaves."""

    def wants(self, site):
        return site.kind == "encoder feed-forward"

    def residual(self, site, stream, update, normed):
        self.seen = normed
        return normed


def encoded(translator: Translator, text: str, probe: Probe | None = None) -> torch.Tensor:
    states = States()
    passed(translator, text, "a", states if probe is None else Probes(probe, states))
    return states.seen[0]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_exchanging_positions_is_exchanging_words_where_the_encoder_has_nothing_else_to_go_by(exact, scheme):
    """Self-attention without positions is permutation-equivariant: states follow their positions."""
    translator = exact(positions=scheme)
    found = encoded(translator, "a b c d e", exchanged(1, 3, "source"))
    permuted = encoded(translator, "a d c b e")
    torch.testing.assert_close(found[[0, 3, 2, 1, 4, 5]], permuted, atol=1e-9, rtol=0)
    told = passed(translator, "a b c d e", "f g", exchanged(1, 3, "source"))
    torch.testing.assert_close(told, passed(translator, "a d c b e", "f g"), atol=1e-9, rtol=0)


@pytest.mark.parametrize("scheme", ["sinusoidal", "learned"])
def test_a_shift_is_the_embedding_of_later_positions(exact, scheme):
    translator = exact(positions=scheme)
    model, pieces = translator.model, torch.tensor([[5, 6, 7]])
    for side, other in (("source", "target"), ("target", "source")):
        shifted = model.embed(side, pieces, probe=Shifted(7, [side]))
        assert torch.equal(shifted, model.embed(side, pieces, first=7))
        assert torch.equal(model.embed(other, pieces, probe=Shifted(7, [side])), model.embed(other, pieces))
    assert torch.equal(model.embed("source", pieces, first=2, probe=Shifted(7)), model.embed("source", pieces, first=9))


@pytest.mark.parametrize("scheme", ["rotary", "alibi", "shaw", "t5", "none"])
def test_relative_positions_do_not_notice_a_shift_of_the_whole_sentence(exact, scheme):
    translator = exact(positions=scheme)
    plain = passed(translator, "a b c", "d e")
    torch.testing.assert_close(passed(translator, "a b c", "d e", Shifted(40)), plain, atol=1e-9, rtol=0)
    if scheme != "none":
        assert abs(passed(translator, "a b c", "d e", Shifted(40, first=1)) - plain).max() > 1e-6


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_search_steps_through_the_same_positions_as_a_whole_pass(exact, scheme):
    translator = exact(positions=scheme)
    settings = SearchSettings(beam=3, longest=9)
    for probe in (Shifted(3), exchanged(1, 4, "target"), moved(4, 1, "target"), Shuffled(6, 1), Positionless()):
        (found,) = translator.translate(["a b c d"], settings=settings, probe=probe)
        best = found.hypotheses[0]
        written = [*best.pieces, *[translator.vocabulary.end] * best.finished]
        reads, predicts, _ = translator.targets([written])
        with torch.inference_mode():
            logits = translator.model.forward(*translator.batch([found.source.ids]), reads, probe=probe)
        chosen = logits.log_softmax(-1).gather(-1, predicts[..., None])[0, :, 0]
        assert float(chosen.sum()) == pytest.approx(best.total, abs=1e-9)


def test_places():
    places = torch.arange(6)
    assert exchanged(1, 4, "source").place(places).tolist() == [0, 4, 2, 3, 1, 5]
    assert moved(4, 1, "source").place(places).tolist() == [0, 2, 3, 4, 1, 5]
    assert moved(1, 4, "source").place(places).tolist() == [0, 4, 1, 2, 3, 5]
    assert repeated(3, 2, "source").place(places).tolist() == [0, 1, 2, 2, 4, 5]
    assert Shifted(5, first=2).place(places).tolist() == [0, 1, 7, 8, 9, 10]
    assert Interpolated(2.0).place(places).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]
    shuffled = Shuffled(4, 0).place(places).tolist()
    assert sorted(shuffled[:4]) == [0, 1, 2, 3]
    assert shuffled[:4] != [0, 1, 2, 3]
    assert shuffled[4:] == [4, 5]


def test_between_two_rows_is_their_mean(exact):
    translator = exact(positions="learned")
    table, pieces = translator.model.positions.table, torch.tensor([[5, 6, 7]])
    plain = translator.model.embed("source", pieces) - table[:3]
    squeezed = translator.model.embed("source", pieces, probe=Interpolated(2.0)) - plain
    torch.testing.assert_close(squeezed[0], torch.stack([table[0], (table[0] + table[1]) / 2, table[1]]))
    rotary = exact(positions="rotary")
    assert abs(passed(rotary, "a b c", "d", Interpolated(2.0)) - passed(rotary, "a b c", "d")).max() > 1e-6
    for scheme in ("shaw", "t5"):
        with pytest.raises(HeadscopeError, match="trained for whole distances"):
            passed(exact(positions=scheme), "a b c", "d", Interpolated(2.0))
    with pytest.raises(HeadscopeError, match="above 0"):
        Interpolated(0.0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_without_positions(exact, scheme):
    translator, none = exact(positions=scheme), exact(positions="none")
    others = {name: p for name, p in translator.model.named_parameters() if not name.startswith("positions")}
    none.model.load_state_dict(others, strict=False)
    found = passed(translator, "a b c", "d e", Positionless())
    torch.testing.assert_close(found, passed(none, "a b c", "d e"), atol=1e-9, rtol=0)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_positions_of_a_twin(exact, scheme):
    translator, twin = exact(positions="sinusoidal"), exact(positions=scheme, seed=3)
    mixed = copy.deepcopy(translator.model)
    mixed.positions = twin.model.positions
    pairs = forced_batch(translator, [sentence_pair(translator, "a b c", "d e")])
    with torch.inference_mode():
        expected = log_probs(mixed, pairs)
    found = passed(translator, "a b c", "d e", Swapped(translator, twin))
    torch.testing.assert_close(found, expected, atol=1e-9, rtol=0)


def test_positions_that_do_not_fit_are_refused(exact):
    translator = exact()
    with pytest.raises(HeadscopeError, match=r"has width 32, .* 16: positions can be swapped between models of one"):
        Swapped(translator, exact(d_model=32))
    other = exact(positions="shaw", encoder={"layers": 1, "heads": 4, "feed_forward": 8})
    with pytest.raises(HeadscopeError, match=r"other layers or heads .* its shaw positions belong to these"):
        Swapped(translator, other)
    with pytest.raises(HeadscopeError, match="positions to swap need the layers of a Transformer"):
        Swapped(mixing_translator(), translator)


def test_limits_of_a_learned_table_on_both_sides(exact):
    translator = exact(positions="learned", position_table=10)
    passed(translator, "a b c", "d e", Shifted(6, ["source"]))  # four tokens: the last at 9
    with pytest.raises(HeadscopeError, match=r"stand at position 10; .* end at 9, counted from 0: shift by less"):
        passed(translator, "a b c", "d e", Shifted(7, ["source"]))
    passed(translator, "a b c", "d e", Shifted(7, ["target"]))
    with pytest.raises(HeadscopeError, match="stand at position 10"):
        passed(translator, "a b c", "d e", Shifted(8, ["target"]))
    with pytest.raises(HeadscopeError, match="the first position is 0"):
        Shifted(-1)
    with pytest.raises(HeadscopeError, match="cannot stand at -1"):
        repeated(2, -1, "source")
    assert Shifted(-1, first=1).place(torch.arange(3)).tolist() == [0, 0, 1]


def test_a_search_ends_where_the_positions_do(exact):
    translator = exact(positions="learned", position_table=10)
    for probe, room in ((Shifted(7), 3), (Shifted(7, ["source"]), 10), (Rearranged({4: 12}, ["target"]), 4)):
        assert probe.room(10) == room
        settings = within(translator, probe)
        assert settings.longest == room
    found = what_if(translator, "a b", Shifted(7), settings=within(translator, Shifted(7)))
    assert len(found.after.hypotheses[0].pieces) <= 3
    assert within(translator, Shifted(7), SearchSettings(longest=2)).longest == 2
    assert within(exact(), Shifted(7)).longest is None
    short = Swapped(exact(), translator)
    assert short.room(None) == 10
    with pytest.raises(HeadscopeError, match="no token of a translation"):
        within(translator, Shifted(10))


def test_effects_and_attention_as_of_heads(exact):
    translator = exact()
    pair, probe = sentence_pair(translator, "a b c", "d e"), exchanged(0, 2, "source")
    found = effect(translator, pair, probe)
    assert found.after.tolist() == pytest.approx(passed(translator, "a b c", "d e", probe)[0].tolist(), abs=1e-12)
    before, after = (record(translator, pair, probe=each) for each in (None, probe))
    assert abs(before.encoder[0] - after.encoder[0]).max() > 1e-6
    assert before.fingerprint != after.fingerprint
    assert after.fingerprint == record(translator, pair, probe=exchanged(0, 2, "source")).fingerprint


def test_descriptions_differ_where_the_change_does(exact):
    translator, other = exact(), exact(seed=1)
    probes = [
        *(Positionless(), Positionless(["source"]), Shifted(1), Shifted(2), Shifted(1, first=1), Shuffled(4, 0)),
        *(Shuffled(4, 1), Interpolated(2.0), exchanged(0, 1, "source"), exchanged(0, 1, "target")),
        *(repeated(0, 1, "source"), Swapped(translator, other), Swapped(translator, translator)),
    ]
    assert len({probe.describe() for probe in probes}) == len(probes)
    assert Shifted(2).describe() == Shifted(2).describe()


def test_probes_take_turns():
    model = letter_translator().model
    pieces = torch.tensor([[5, 6]])
    both = Probes(Shifted(3), Shifted(4))
    assert torch.equal(model.embed("source", pieces, probe=both), model.embed("source", pieces, first=7))
    assert isinstance(Probe().positions("source", model.positions), PositionScheme)
