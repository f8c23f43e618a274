"""A head while it was trained, from what a real run has kept."""

from pathlib import Path

import numpy as np
import pytest

from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.measures.history import HistoryWriter
from headscope.analysis.measures.watched_head import watched_head
from headscope.analysis.records.heads import Head
from headscope.model.data.prepared import PreparedData
from headscope.model.errors import HeadscopeError
from headscope.model.training.promotion import make_checkpoint
from headscope.model.training.recipe import parse_recipe
from headscope.model.training.trainer import train
from headscope.model.translator import load_translator
from tests.training_toys import toy_fields, write_copying


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> tuple[Path, PreparedData]:
    folder = tmp_path_factory.mktemp("watched")
    data = write_copying(folder / "data", train=60, dev=4, longest=5)
    train(
        parse_recipe(toy_fields()), data, folder / "run", device="cpu", observers=[HistoryWriter(folder / "run", data)]
    )
    return folder / "run", data


@pytest.mark.parametrize("kind", ["cross", "encoder", "decoder"])
def test_it_is_the_map_of_the_snapshot_with_its_pieces(run, tmp_path: Path, kind):
    folder, data = run
    source, target = data.read("dev").pairs[1]
    found = watched_head(folder, 6, source, Head(kind, 0, 1))
    make_checkpoint(folder, tmp_path / "made", steps=[6])
    maps = attention_maps(load_translator(tmp_path / "made", "cpu"), source, target)
    np.testing.assert_allclose(found.weights, maps.maps[kind][0][1], atol=0.02)
    assert found.weights.shape == (len(found.queries), len(found.keys))
    if kind == "encoder":
        assert found.keys[-1] == "</s>"
    else:
        assert found.queries[0] == "<s>"


def test_what_is_not_kept(run):
    folder, data = run
    source = data.read("dev").pairs[0][0]
    assert watched_head(folder, 6, "another line") is None
    assert watched_head(folder, 6, source).head == Head("cross", 0, 0)
    with pytest.raises(HeadscopeError, match=r"no head cross 9\.1"):
        watched_head(folder, 6, source, Head("cross", 8, 0))
    with pytest.raises(HeadscopeError, match="is not a history"):
        watched_head(folder, 5, source)
