"""What goes to tables."""

from headscope.app.wire.encoding import as_message
from headscope.app.wire.sheet import SheetTable, sheet


def test_tables_and_the_sides_that_have_positions():
    table = SheetTable("Scores", ("Part", "BLEU"), [("test", "30.1")], "Not measured.")
    assert as_message(sheet([table], {"source": (3, 1), "target": ()})) == {
        "tables": [
            {"title": "Scores", "heads": ["Part", "BLEU"], "rows": [["test", "30.1"]], "otherwise": "Not measured."}
        ],
        "positions": [{"side": "source", "counts": [3, 1]}],
    }
