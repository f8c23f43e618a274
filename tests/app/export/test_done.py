"""How far a file is."""

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.heads import Head
from headscope.app.export.files import FORMS, Export
from headscope.app.export.table import counted_csv
from headscope.model.progress import Cancelled
from tests.toys import SENTENCES


class Told:
    """Keeps what it is told, and may want to stop."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.seen, self._stop_at = [], stop_at

    def update(self, done: int, total: int | None) -> None:
        self.seen.append((done, total))
        if self._stop_at is not None and done >= self._stop_at:
            raise Cancelled


@pytest.fixture(scope="module")
def export(translator) -> Export:
    maps = attention_maps(translator, SENTENCES[3][0])
    return Export(maps, Head("decoder", 1, 0), "toy", "beam 4", ("en", "de"), picture="wall")


@pytest.mark.parametrize("form", FORMS)
def test_every_file_says_how_far_it_is_and_can_be_stopped(export, form):
    told = Told()
    assert export.write(form, progress=told) == export.write(form), "to be told changes nothing"
    done, totals = zip(*told.seen, strict=True)
    assert len({*totals}) == 1
    assert totals[0] > 2
    assert list(done) == sorted(done)
    assert {*done} >= {*range(totals[0])}
    with pytest.raises(Cancelled):
        export.write(form, progress=Told(stop_at=2))
    assert export.write(form) == export.write(form, progress=Told()), "nor does a stop"


def test_the_table_is_that_of_pandas(export):
    for maps in (export.maps, export.maps.mapped(lambda kind, array: np.where(array > 0.5, np.nan, array), "holes")):
        columns = ["layer", "head", "query_index", "key_index"]
        expected = counted_csv(maps.to_pandas(), columns, ["query", "key"])
        assert FORMS["csv"](Export(maps, export.head, "toy", "", ("en", "de"))) == expected
