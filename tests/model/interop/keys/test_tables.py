"""Every table names each key once."""

from collections import Counter

import pytest

from headscope.model.interop.keys import ctranslate2, fairseq, hugging_face, joeynmt, marian
from headscope.model.interop.settings import Keys

TABLES = {
    f"{module.__name__.rpartition('.')[2]} {name}": table
    for module in (ctranslate2, fairseq, hugging_face, joeynmt, marian)
    for name, table in vars(module).items()
    if isinstance(table, Keys)
}


@pytest.mark.parametrize("name", TABLES)
def test_each_key_stands_in_one_place(name):
    table = TABLES[name]
    counts = Counter([*table.obeyed.split(), *(key for keys in table.harmless.values() for key in keys.split())])
    counts.update(table.neglected.keys())
    assert {key: count for key, count in counts.items() if count > 1} == {}
    assert all(isinstance(one[0], str) and one[0] for one in table.neglected.values())
