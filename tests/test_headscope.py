"""The one import users are told of."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import headscope
from tests.toys import SENTENCES

ROOT = Path(__file__).parents[1]


def python(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A Python of its own that finds `path` before everything else, and Headscope after it."""
    places = [*([str(path)] if path else []), str(ROOT)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(places), "PYTHONSAFEPATH": "1"}
    words = [sys.executable, *arguments]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120)


def test_every_name_is_there():
    for name in headscope.__all__:
        assert getattr(headscope, name) is not None
    assert set(dir(headscope)) == {*headscope.__all__, "__version__"}


def test_unknown_name():
    with pytest.raises(AttributeError, match="telescope"):
        _ = headscope.telescope  # pyright: ignore[reportAttributeAccessIssue]


def test_nothing_is_imported_before_it_is_used():
    found = python("-c", "import sys, headscope; print('model' in sys.modules, 'torch' in sys.modules)")
    assert found.stdout == "False False\n"


def test_a_minute_of_use(checkpoint):
    translator = headscope.load(checkpoint, device="cpu")
    source, target = SENTENCES[3]
    assert headscope.translate(translator, [source])[0].text == target
    assert headscope.search(translator, source).hypotheses[0].finished
    maps = headscope.attention_maps(translator, source)
    assert maps.predicts.text == target
    scored = headscope.score(translator, [(source, target)])[0]
    assert maps.log_probs.sum() == pytest.approx(scored.total, abs=1e-4)
    assert headscope.evaluate(translator, [(source, target)]).chrf.value == 100


def test_analyses_of_one_sentence(checkpoint):
    translator = headscope.load(checkpoint, device="cpu")
    source, target = SENTENCES[3]
    maps, pair = headscope.attention_maps(translator, source), headscope.sentence_pair(translator, source)
    heads = headscope.head_measures(maps).heads
    assert len(headscope.words(maps).predicts) < len(maps.predicts)
    assert headscope.renormalised(headscope.hide_special(maps)).mass("cross")[0].shape == maps.cross[0].shape[:2]
    assert headscope.head_contributions(translator, pair).quantity == "contribution"
    assert headscope.removal_importance(translator, pair).heads == heads
    removed = headscope.what_if(translator, source, headscope.Zeroed(translator.model.config, heads))
    assert removed.before.text == target != removed.after.text
    for table in (
        headscope.rollout(maps),
        headscope.layer_contributions(translator, pair),
        headscope.logit_lens(translator, pair),
        headscope.gradient_importance(translator, [pair])[0],
        removed.effect,
    ):
        assert len(table.to_pandas())
    assert headscope.query_key(translator, pair, headscope.Head("cross", 0, 1))
    assert b"<svg" in headscope.figure(maps, headscope.Head("cross", 0, 1), "a caption", "svg")
    assert headscope.load_profile(translator.card.path) is None


def test_what_the_docstring_names_is_there():
    named = set(re.findall(r"`(\w+)`", headscope.__doc__ or ""))
    assert named <= set(headscope.__all__)
    assert len(named) > 20


def test_errors_are_told_in_one_line(tmp_path):
    with pytest.raises(headscope.HeadscopeError, match="nowhere"):
        headscope.load(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model", "analysis", "app"])
@pytest.mark.parametrize("kind", ["module", "package", "folder"])
def test_somebody_elses_module(tmp_path, name, kind):
    place = tmp_path / {"module": f"{name}.py", "package": f"{name}/__init__.py", "folder": f"{name}/other.py"}[kind]
    place.parent.mkdir(exist_ok=True)
    place.touch()
    found = python("-c", "import headscope; print(headscope.available)", path=tmp_path)
    if kind == "folder":  # Python prefers our package to a folder without __init__.py, wherever that lies
        assert found.stdout.startswith("<function available")
        return
    assert found.returncode == 1
    last = found.stderr.splitlines()[-1]
    assert last.startswith("ImportError: Python finds ")
    assert str(place) in last
    assert f"'{name}'" in last

    command = python("-m", "headscope", "--help", path=tmp_path)
    assert command.returncode == 2
    assert command.stdout == ""
    assert command.stderr == last.replace("ImportError", "headscope") + "\n"


def test_a_module_that_does_not_say_where_it_is_from():
    found = python(
        "-c", "import sys, types, headscope; sys.modules['model'] = types.ModuleType('model'); headscope.load"
    )
    assert found.stderr.splitlines()[-1].startswith(
        "ImportError: Python finds an unknown module under the name 'model'"
    )
