"""Tables as CSV, by one rule: whatever is counted is counted from 1, as on the pages, and a column says so."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headscope.analysis.records.labels import running

if TYPE_CHECKING:
    from pandas import DataFrame


def counted_csv(table: "DataFrame", counts: Sequence[str], texts: Sequence[str]) -> bytes:
    """A table as CSV, with a last column `counted_from`, which is 1.

    Args:
        counts: columns that count from 0.
        texts: columns of text, which are written as labels show them: no control character can break a row.
    """
    table = table.assign(**{name: table[name] + 1 for name in counts}, counted_from=1)
    for name in texts:
        shown = {text: running(text) for text in table[name].unique()}
        table[name] = [shown[text] for text in table[name]]
    return table.to_csv(index=False, lineterminator="\n").encode()
