import numpy as np
import pytest

from headscope.analysis.capture.pairs import SentencePair, corpus_pairs
from headscope.analysis.interventions.positions import Shifted
from headscope.analysis.positions.length import (
    at_offsets,
    by_position,
    by_sentence,
    condition,
    drawn,
    join,
    length,
    length_study,
    mean,
    piece_losses,
    within,
)
from headscope.analysis.positions.length_record import LengthStudy
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.text.vocabulary import Segmentation
from tests.toys import brief, letter_translator, random_letters

TEXTS = list(zip(random_letters(40, 12, 1), random_letters(40, 12, 2), strict=True))
BINS = ((1, 5), (6, 9), (10, 13), (90, 95))


def pairs_of(sources: list[str]) -> list[SentencePair]:
    """Pairs of these sources, without pieces."""
    return [SentencePair(Segmentation(text, (), (), ()), Segmentation("", (), (), ())) for text in sources]


def test_losses_are_without_the_end_of_sentence(exact):
    translator = exact()
    pairs = corpus_pairs(translator, TEXTS)
    found = piece_losses(translator, pairs)
    scored = translator.score([(pair.source.text, pair.target.text) for pair in pairs])
    for values, each in zip(found, scored, strict=True):
        np.testing.assert_allclose(values, [-value for value in each.log_probs[:-1]], atol=1e-9)
    every = np.concatenate(found)
    total = mean(found, pairs)
    assert total.value == pytest.approx(every.mean())
    assert 0 < total.interval < every.std()


def test_intervals():
    chance = np.random.default_rng(0)
    equal = [chance.normal(3, 1, 5) for _ in range(400)]
    own = pairs_of([str(place) for place in range(400)])
    assert mean(equal, own).interval == pytest.approx(1.96 / 2000**0.5, rel=0.15)
    # Four translations of each source that are all as hard as each other: a quarter of the samples.
    alike = [values for values in equal[:100] for _ in range(4)]
    same = pairs_of([str(place // 4) for place in range(400)])
    assert mean(alike, same).value == pytest.approx(mean(alike, own).value)
    assert mean(alike, same).interval == pytest.approx(1.96 / 500**0.5, rel=0.2)
    assert mean(alike, own).interval == pytest.approx(1.96 / 2000**0.5, rel=0.2)
    assert by_sentence(alike, same).sources == tuple(place // 4 for place in range(400))
    rows = by_position(equal)
    assert rows[0].loss.interval == pytest.approx(1.96 / 20, rel=0.15)
    assert mean(equal[:1], own[:1]).interval is None
    assert mean(equal[:4], same[:4]).interval is None
    assert mean([], []) is mean([np.array([])], own[:1]) is None


def test_loss_by_position():
    found = by_position([np.array([1.0, 2.0]), np.array([3.0]), np.array([5.0, 6.0, 7.0])])
    assert [(row.position, row.sentences, row.loss.value) for row in found] == [(0, 3, 3), (1, 2, 4), (2, 1, 7)]
    assert found[1].loss.interval == pytest.approx(1.96 * 8**0.5 / 2**0.5)
    assert found[2].loss.interval is None
    assert by_position([]) == []


def test_joined_sentences_have_the_length_that_is_wanted(exact):
    translator = exact()
    short = within(corpus_pairs(translator, TEXTS), (1, 5))
    made = join(translator, short, (20, 24), 6, np.random.default_rng(0))
    assert 0 < len(made) <= 6
    texts = {pair.source.text for pair in short}
    for pair in made:
        assert 20 <= length(pair) <= 24
        assert any(pair.source.text.startswith(text) for text in texts)
    learned = exact(positions="learned", position_table=16)
    assert join(learned, short, (20, 24), 6, np.random.default_rng(0)) == []
    assert all(length(pair) <= 16 for pair in join(learned, short, (14, 24), 6, np.random.default_rng(0)))


def test_bins_of_which_some_are_empty():
    translator = brief(letter_translator())
    pairs = corpus_pairs(translator, TEXTS)
    by_length = {bounds: within(pairs, bounds) for bounds in BINS}
    assert sum(map(len, by_length.values())) == len(pairs)
    found = condition(translator, by_length)
    assert [(each.low, each.high, each.sentences) for each in found.bins] == [
        (*bounds, len(by_length[bounds])) for bounds in BINS
    ]
    assert found.bins[0].free is not None
    assert found.bins[0].to_length is not None
    first = found.bins[0]
    assert sum(first.by_sentence.nats) / sum(first.by_sentence.pieces) == pytest.approx(first.loss.value, abs=1e-4)
    assert len(first.by_sentence.nats) == len(first.by_sentence.pieces) == first.sentences
    empty = found.bins[-1]
    assert (empty.sentences, empty.loss, empty.free, empty.to_length) == (0, None, None, None)
    assert found.positions[0].sentences == len(pairs)


def test_offsets_of_a_table_that_ends(exact):
    translator = exact(positions="learned", position_table=12)
    pairs = within(corpus_pairs(translator, TEXTS), (1, 5))
    longest = max(map(length, pairs))
    still, near, last, far = at_offsets(translator, pairs, [0, 2, 12 - longest, 13 - longest])
    assert still.change.value == 0
    assert near.loss.value == pytest.approx(mean(piece_losses(translator, pairs, probe=Shifted(2)), pairs).value)
    assert near.change.value == pytest.approx(near.loss.value - still.loss.value)
    assert last.loss is not None
    assert far.loss is far.change is None
    assert far.by_sentence.nats == ()
    assert len(last.by_sentence.nats) == len(pairs)
    assert still.regions == {"unknown": 1.0}
    assert far.regions["impossible"] > 0
    assert sum(far.regions.values()) == pytest.approx(1)
    rotary = at_offsets(exact(positions="rotary"), pairs, [9])[0]
    assert rotary.change.value == pytest.approx(0, abs=1e-9)


def test_the_whole_study_is_kept_as_json(translator):
    texts = [
        ("How much?", "Wie viel?"),
        ("We could.", "Wir."),
        *[("She reads a letter.", "Sie liest einen Brief.")] * 2,
    ]
    seen, translator = [], brief(translator)

    class Told:
        def update(self, done, total):
            seen.append((done, total))

    found = length_study(translator, texts, bins=((1, 30), (31, 45)), offsets=(0, 3), most=2, progress=Told())
    assert seen[-1][0] == seen[-1][1]
    assert (found.natural.bins[0].sentences, found.natural.bins[1].sentences) == (2, 0)
    assert found.joined.bins[1].sentences == 2
    assert (found.moved, found.shortest, found.weights) == (2, 30, translator.weights_digest)
    assert LengthStudy.model_validate_json(found.model_dump_json()) == found
    assert found == length_study(translator, texts, bins=((1, 30), (31, 45)), offsets=(0, 3), most=2)


def test_what_cannot_be_studied(translator):
    with pytest.raises(HeadscopeError, match="no sentence pair has at most 2 pieces a side"):
        length_study(translator, [("How much does it cost?", "Wie viel?")], bins=((1, 2),))

    class Stop:
        def update(self, done, total):
            raise Cancelled

    with pytest.raises(Cancelled):
        length_study(translator, [("How much?", "Wie viel?")], bins=((1, 30),), progress=Stop())


def test_drawing():
    translator = letter_translator()
    pairs = corpus_pairs(translator, TEXTS)
    found = drawn(pairs, 5, np.random.default_rng(3))
    assert found == drawn(pairs, 5, np.random.default_rng(3))
    assert len({id(pair) for pair in found}) == 5
    assert drawn(pairs[:2], 5, np.random.default_rng(3)) == pairs[:2]
