"""Small tables of numbers."""

import pandas as pd
from streamlit.testing.v1 import AppTest


def _draw():
    import pandas as pd

    from headscope.app.view.tables import small_table

    rows = {"a_b": ["x_1_ [y](z)", None], "count": [12000, 3], "value": [0.5, float("nan")]}
    small_table(pd.DataFrame(rows, dtype=object), alt="Numbers")


def test_cells_stand_as_they_are_and_what_is_missing_is_blank():
    page = AppTest.from_function(_draw).run()
    assert not page.exception
    (table,) = page.table
    found = table.value
    assert list(found.columns) == [r"a\_b", "count", "value"]
    assert list(found[r"a\_b"]) == [r"x\_1\_ \[y\](z)", ""]
    assert list(found["count"]) == ["12,000", "3"]
    assert list(found["value"]) == ["0.5", ""]
    assert isinstance(found, pd.DataFrame)
