"""Tables of pieces: padding, and SentencePiece models that settings name."""

from pathlib import Path

import pytest
import torch

from headscope.model.errors import HeadscopeError
from headscope.model.interop.symbols import named_models, without_padding

PATH = Path("model.bin")


def test_rows_behind_the_last_piece_are_cut():
    tensors = {"table": torch.arange(12.0).view(6, 2), "bias": torch.arange(6.0), "other": torch.ones(6)}
    found, notes = without_padding(tensors, {"table": 5, "bias": 5, "absent": 5}, PATH)
    assert torch.equal(found["table"], tensors["table"][:5])
    assert found["bias"].tolist() == [0, 1, 2, 3, 4]
    assert len(found["other"]) == 6
    assert notes[0].startswith("'table' has 6 rows for 5 pieces: the 1 that no piece has are cut")


@pytest.mark.parametrize("rows", [4, 5, 10, 60])
def test_tables_of_other_models_stay(rows):
    found, notes = without_padding({"table": torch.ones(rows, 2)}, {"table": 5}, PATH)
    assert (len(found["table"]), notes) == (rows, [])


def test_a_number_is_no_table():
    with pytest.raises(HeadscopeError, match="'table' is a single number"):
        without_padding({"table": torch.tensor(1.0)}, {"table": 5}, PATH)


def test_models_that_settings_name(tmp_path):
    (tmp_path / "a.model").touch()
    assert named_models(tmp_path, {"src": "/elsewhere/a.model", "trg": "a.model"}) == (["a.model"], [])
    assert named_models(tmp_path, {"src": None}) == ([], [])
    names, missing = named_models(tmp_path, {"src": "a.model", "trg": "../b.model"})
    assert names == []
    assert missing == [
        "trg = '../b.model' is not obeyed: there is no such file in the folder; put it there and import again"
    ]
