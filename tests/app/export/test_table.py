"""Tables as CSV."""

import csv
import io

from pandas import DataFrame, Series

from headscope.app.export.table import counted_csv

HOSTILE = 'a\x00b\r\n\x1b","\ud800'


def test_counts_are_from_1_and_a_column_says_so_and_no_text_breaks_a_row():
    table = DataFrame({"layer": [0, 3], "piece": Series(["▁the cat", HOSTILE], dtype=object), "weight": [0.25, 1.0]})
    rows = list(csv.DictReader(io.StringIO(counted_csv(table, ["layer"], ["piece"]).decode(), newline="")))
    assert [row["layer"] for row in rows] == ["1", "4"]
    assert [row["counted_from"] for row in rows] == ["1", "1"]
    assert [row["weight"] for row in rows] == ["0.25", "1.0"]
    assert [row["piece"] for row in rows] == ["▁the cat", 'a␀b␍␊␛","‹D800›']
    assert table["layer"].tolist() == [0, 3], "the table stays as it was"
