"""The exported file holds the messages of the components."""

from dataclasses import fields

import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.heads import Head
from headscope.app.export.files import Export
from headscope.app.export.html import content
from headscope.app.wire.encoding import as_message
from headscope.app.wire.head_map import HeadMap, head_map
from headscope.app.wire.lines import Lines, lines
from headscope.app.wire.shown import Shown
from headscope.model.sites import KINDS
from tests.app.page_tools import SENTENCE


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_alike_and_what_is_a_heads_own_make_its_message(translator, kind):
    maps = attention_maps(translator, SENTENCE)
    file = content(Export(maps, Head("cross", 1, 0), "toy", "beam 4", ("en", "de")))
    found, shown = file.kinds[kind], Shown(maps, None)
    heads = [(layer, head) for layer in range(found.layers) for head in range(found.heads)]
    for (layer, head), matrix, links in zip(heads, found.matrix.own, found.lines.own, strict=True):
        expected = as_message(head_map(shown, kind, layer, head))
        del expected["weights"]
        assert found.matrix.alike | matrix == expected
        expected = as_message(lines(shown, kind, layer, [head]))
        del expected["heads"][0]["links"]
        assert found.lines.alike | links == expected
        assert not found.matrix.alike.keys() & matrix.keys()
        assert not found.lines.alike.keys() & links.keys()
    assert {"rows", "columns", "kind"} <= found.matrix.alike.keys() & found.lines.alike.keys()
    assert {*found.matrix.alike, *found.matrix.own[0], "weights"} == {field.name for field in fields(HeadMap)}
    assert {*found.lines.alike, *found.lines.own[0]} == {field.name for field in fields(Lines)}
