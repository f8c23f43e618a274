"""A record of attention as a file."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.records.heads import Head
from headscope.app.export.files import FIGURES, FORMS, Export, form_of
from headscope.model.errors import HeadscopeError
from headscope.model.search.settings import SearchSettings
from headscope.model.sites import KINDS
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


@pytest.fixture(scope="module")
def export(translator) -> Export:
    return Export(attention_maps(translator, SOURCE), Head("decoder", 1, 0), "toy", "beam 4", ("en", "de"))


def test_arrays_are_the_record(export):
    with np.load(io.BytesIO(FORMS["npz"](export)), allow_pickle=False) as found:
        for kind in KINDS:
            for layer, array in enumerate(export.maps.layers(kind), 1):
                np.testing.assert_array_equal(found[f"{kind}_{layer}"], array)
        for side in ("source", "reads", "predicts"):
            assert found[side].tolist() == [token.piece for token in getattr(export.maps, side).tokens]
        np.testing.assert_array_equal(found["log_probs"], export.maps.log_probs)


def test_json_is_the_record(export):
    content = json.loads(FORMS["json"](export))
    assert (content["checkpoint"], content["settings"], content["quantity"]) == ("toy", "beam 4", "weight")
    assert (content["source"]["text"], content["predicts"]["text"]) == (SOURCE, TARGET)
    tokens = content["source"]["tokens"]
    assert [token["id"] for token in tokens] == [token.id for token in export.maps.source.tokens]
    assert "".join(SOURCE[slice(*token["span"])] for token in tokens).replace(" ", "") == SOURCE.replace(" ", "")
    for kind in KINDS:
        for told, array in zip(content[kind], export.maps.layers(kind), strict=True):
            np.testing.assert_allclose(told, array, atol=1e-7)


def test_whether_it_was_cut_off(export, translator):
    maps = attention_maps(translator, SOURCE, settings=SearchSettings(longest=3))
    for each, finished in ((export, True), (replace(export, maps=maps), False)):
        with np.load(io.BytesIO(FORMS["npz"](each))) as found:
            assert found["finished"] == finished
        assert json.loads(FORMS["json"](each))["finished"] == finished
        assert each.caption.endswith(" (cut off)") != finished
        assert FORMS["html"](each).count(b'"cut_off":true') == (not finished)


def test_a_table_has_a_row_for_every_cell(export):
    rows = list(csv.DictReader(io.StringIO(FORMS["csv"](export).decode())))
    table = export.maps.to_pandas()
    assert list(rows[0]) == list(table.columns)
    assert [float(row["weight"]) for row in rows] == pytest.approx(table["weight"].tolist())


def test_a_figure_says_which_head_it_shows(export):
    assert export.caption == (
        f"Attention weights, decoder self-attention, layer 2, head 1. toy; beam 4. Source: {SOURCE} Target: {TARGET}"
    )
    assert export.note == ""
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert [FORMS[form](export)[: len(starts[form])] for form in FIGURES] == list(starts.values())


def test_the_form_goes_by_the_ending():
    assert [form_of(Path(f"a.b/maps.{form.upper()}")) for form in FORMS] == list(FORMS)
    for name in ("maps", "maps.xlsx", ".npz"):
        with pytest.raises(HeadscopeError, match=r"ends in none of \.npz, \.json"):
            form_of(Path(name))
