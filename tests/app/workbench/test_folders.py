"""Which checkpoints a server shows."""

import os
import shutil

import pytest

from headscope.app.workbench.folders import checkpoint_folders, shelf, version
from headscope.model.card import SHIPPED
from headscope.model.errors import HeadscopeError


def test_catalogue_of_checkpoints_and_of_folders_that_hold_them(checkpoint, tmp_path):
    copy = tmp_path / "more" / "copy"
    shutil.copytree(checkpoint, copy)
    shutil.copytree(checkpoint, tmp_path / "more" / checkpoint.name)
    found = checkpoint_folders([checkpoint, tmp_path / "more"])
    assert found == {
        checkpoint.name: checkpoint.resolve(),
        "copy": copy.resolve(),
        f"more/{checkpoint.name}": (tmp_path / "more" / checkpoint.name).resolve(),
    }


def test_a_name_has_as_many_parts_as_it_takes(checkpoint, tmp_path):
    """Runs name their checkpoints alike, and folders of runs may be alike too: none may hide another."""
    places = [tmp_path / top / "run" / "checkpoint" for top in ("a", "b", "c")]
    places.append(tmp_path / "b" / "c" / "run" / "checkpoint")
    for place in places:
        shutil.copytree(checkpoint, place)
    (tmp_path / "link").symlink_to(places[0])
    names = ["checkpoint", "run/checkpoint", "c/run/checkpoint", "b/c/run/checkpoint"]
    expected = dict(zip(names, (place.resolve() for place in places), strict=True))
    found = checkpoint_folders([*places, tmp_path / "link", places[1]])
    assert found == expected
    assert list(checkpoint_folders(places[:3])) == names[:3]
    assert checkpoint_folders([places[0].parent, *places[1:]]) == expected


def test_a_place_without_a_checkpoint_is_an_error(tmp_path):
    with pytest.raises(HeadscopeError, match=r"without config\.json"):
        checkpoint_folders([tmp_path])
    with pytest.raises(HeadscopeError, match="no checkpoint 'nowhere'"):
        checkpoint_folders(["nowhere"])


def test_a_checkpoint_that_is_written_again_is_another(checkpoint, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(checkpoint, copy)
    before = version(copy)
    assert version(copy) == before
    os.utime(copy / "config.json", ns=(1, 1))
    assert version(copy) != before


def test_new_checkpoints_go_into_the_first_folder_that_holds_some(checkpoint, tmp_path):
    for name in ("one", "two"):
        shutil.copytree(checkpoint, tmp_path / name / "copy")
    assert shelf([checkpoint, tmp_path / "one", tmp_path / "two"]) == (tmp_path / "one").resolve()
    assert shelf([checkpoint]) is None
    assert shelf() == SHIPPED
