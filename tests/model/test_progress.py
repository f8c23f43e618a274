"""Parts of some work, reported as progress of the whole."""

from headscope.model.progress import Progress, Share, Silent


class Recorder:
    """A progress that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int | None]] = []

    def update(self, done: int, total: int | None) -> None:
        self.told.append((done, total))


def test_share_counts_on():
    whole = Recorder()
    Share(whole, 100).update(3, 20)
    Share(whole, 100, 500).update(20, 20)
    assert whole.told == [(103, None), (120, 500)]


def test_all_of_them_are_told():
    assert all(isinstance(each, Progress) for each in (Silent(), Recorder(), Share(Silent(), 0)))
