import pytest

from headscope.analysis.capture.pairs import batches, corpus_pairs, given_pair, sentence_pair, written
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled
from headscope.model.search.settings import SearchSettings


def test_a_translation_that_is_found_keeps_its_pieces(translator):
    text = "How much does a ticket cost?"
    pair = sentence_pair(translator, text, settings=SearchSettings(beam=2))
    (found,) = translator.translate([text], settings=SearchSettings(beam=2))
    assert pair.target == found.targets[0]
    assert pair.source == found.source


def test_a_translation_that_is_given_is_cut(exact):
    assert sentence_pair(exact(), "a b", "c d e").target.pieces == ("c", "d", "e")


def test_pieces_that_are_given_stay_as_they_are(translator, exact):
    source = translator.source("How much does a ticket cost?")
    pieces = translator.vocabulary.encode("Wie viel kostet", "target").ids
    odd = (pieces[1], pieces[0], pieces[0])
    end = translator.vocabulary.end
    for pieces, finished in ((odd, False), ((*odd, end), True), ((end,), True)):
        pair = given_pair(translator, source, pieces)
        assert (written(translator, pair), pair.finished) == (pieces, finished)
    with pytest.raises(HeadscopeError, match="no piece, not even the end"):
        given_pair(translator, source, ())
    short = exact(positions="learned", position_table=4)
    assert given_pair(short, short.source("a b"), (4, 4, 4, 4)).target.ids == (4, 4, 4, 4)
    with pytest.raises(HeadscopeError, match="5 pieces"):
        given_pair(short, short.source("a b"), (4, 4, 4, 4, short.vocabulary.end))


def test_blank_and_too_long_are_refused(exact):
    translator = exact(positions="learned", position_table=4)
    with pytest.raises(HeadscopeError, match="blank"):
        sentence_pair(translator, "  ", "a")
    with pytest.raises(HeadscopeError, match="5 pieces"):
        sentence_pair(translator, "a b c d", "a")
    with pytest.raises(HeadscopeError, match="5 pieces"):
        sentence_pair(translator, "a b c", "a b c d")


def test_a_corpus_leaves_out_what_cannot_be_read(exact):
    translator = exact(positions="learned", position_table=4)
    texts = [("a", "b"), ("", "b"), ("a", " "), ("a b c", "d"), ("a b c d", "e"), ("a", "b c d e")]
    assert [pair.source.text for pair in corpus_pairs(translator, texts)] == ["a", "a b c"]


class Watch:
    def __init__(self, stop_at: int | None = None) -> None:
        self.seen: list[tuple[int, int | None]] = []
        self.stop_at = stop_at

    def update(self, done: int, total: int | None) -> None:
        self.seen.append((done, total))
        if done == self.stop_at:
            raise Cancelled


def test_batches_hold_every_pair_once_and_report(exact):
    pairs = corpus_pairs(exact(), [("a b c", "a"), ("b", "b"), ("c", "c c"), ("d", "d")])
    watch = Watch()
    found = list(batches(pairs, tokens=6, progress=watch))
    assert [[pair.source.text for pair in batch] for batch in found] == [["a b c"], ["c", "b"], ["d"]]
    assert watch.seen == [(0, 4), (1, 4), (3, 4), (4, 4)]
    with pytest.raises(Cancelled):
        list(batches(pairs, tokens=6, progress=Watch(stop_at=1)))
