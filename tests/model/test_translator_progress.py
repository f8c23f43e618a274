"""Lines are translated as they come, and what was done so far is told."""

import pytest

from headscope.model.progress import Cancelled
from headscope.model.search.settings import SearchSettings
from tests.toys import letter_translator, random_letters

TEXTS = random_letters(64, 10)
BRIEF = SearchSettings(extra_length=4)


class Counting:
    """A progress that keeps what it is told, and stops the work when told to."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.seen: list[tuple[int, int | None]] = []
        self.stop_at = stop_at

    def update(self, done: int, total: int | None) -> None:
        self.seen.append((done, total))
        if self.stop_at is not None and done >= self.stop_at:
            raise Cancelled


def test_stream_keeps_order_and_reads_ahead_no_more_than_it_says(reverser):
    read = []

    def lines():
        for text in [*TEXTS[:7], "", *TEXTS[7:10]]:
            read.append(text)
            yield text

    stream = reverser.translate_stream(lines(), buffer=4, settings=BRIEF)
    assert read == []
    first = next(stream)
    assert len(read) == 4
    translations = [first, *stream]
    assert [t.source.text for t in translations] == read
    assert [t.text for t in translations] == [t.text for t in reverser.translate(read, settings=BRIEF)]
    assert list(reverser.translate_stream(iter([]))) == []


@pytest.mark.parametrize("work", ["translate", "score"])
def test_progress_counts_texts(reverser, work):
    texts = ["", "a b", "c d", "e", "a " * 2000]
    progress = Counting()
    items = texts if work == "translate" else [(text, "x") for text in texts]
    options = {"settings": BRIEF} if work == "translate" else {}
    getattr(reverser, work)(items, batch_tokens=4, progress=progress, **options)
    done = [n for n, _ in progress.seen]
    assert {total for _, total in progress.seen} == {5}
    assert done == sorted(done)
    assert done[-1] == 5
    assert len(done) >= 3


@pytest.mark.parametrize("work", ["translate", "score"])
def test_progress_is_told_of_texts_that_need_no_work(work):
    translator, progress = letter_translator(positions="learned", position_table=3), Counting()
    items = ["a b c", "d e f"] if work == "translate" else [("a b c", "a"), ("a", "d e f")]
    getattr(translator, work)(items, progress=progress)
    assert progress.seen == [(2, 2)]


@pytest.mark.parametrize("work", ["translate", "score"])
def test_progress_can_stop_the_work(reverser, work):
    items = ["a b", "c d", "e"] if work == "translate" else [("a b", "x"), ("c d", "x"), ("e", "x")]
    progress = Counting(stop_at=1)
    with pytest.raises(Cancelled):
        getattr(reverser, work)(items, batch_tokens=1, progress=progress)
    assert progress.seen[-1][0] == 1
