"""The one import users are told of."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import headscope
from tests.toys import SENTENCES

ROOT = Path(__file__).parents[1]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "src")}


def python(*arguments: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """A Python of its own that finds `path` before everything else, and Headscope after it."""
    places = [*([str(path)] if path else []), str(ROOT / "src")]
    environment = ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(places), "PYTHONSAFEPATH": "1"}
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
    found = python("-c", "import sys, headscope; print('headscope.model' in sys.modules, 'torch' in sys.modules)")
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
    assert b"<svg" in headscope.matrix_figure(maps, headscope.Head("cross", 0, 1), caption="a caption")
    assert headscope.load_profile(translator.card.path) is None


def test_what_the_docstring_names_is_there():
    named = set(re.findall(r"`(\w+)`", headscope.__doc__ or ""))
    assert named <= set(headscope.__all__)
    assert len(named) > 20


def test_errors_are_told_in_one_line(tmp_path):
    with pytest.raises(headscope.HeadscopeError, match="nowhere"):
        headscope.load(tmp_path / "nowhere")


OTHERS = "model.py", "analysis/__init__.py", "analysis/other.py", "app.py"
"""What lies in many a research folder."""


@pytest.fixture
def research(tmp_path: Path) -> Path:
    """A folder with modules of the names that our own folders have; importing one of them fails."""
    for name in OTHERS:
        place = tmp_path / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("raise RuntimeError(__file__)")
    return tmp_path


def test_a_folder_with_a_model_of_its_own(research: Path, checkpoint: Path):
    code = f"import headscope; print(headscope.load({str(checkpoint)!r}).card.name, headscope.matrix_figure)"
    found = python("-c", code, path=research)
    assert (found.stderr, found.stdout.split()[0]) == ("", checkpoint.name)
    assert python("-m", "headscope", "--version", path=research).stdout == f"headscope {headscope.__version__}\n"
    own = python("-c", "import headscope, model", path=research)
    assert own.stderr.splitlines()[-1] == f"RuntimeError: {research / 'model.py'}"


def test_a_notebook_in_such_a_folder(research: Path):
    cell = nbformat.v4.new_code_cell("import headscope; print(headscope.attention_maps.__module__)")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute(cwd=str(research), env=ENVIRONMENT)
    assert notebook.cells[0].outputs[0].text == "headscope.analysis.capture.attention\n"


def test_the_stub_types_every_name():
    stub = ast.parse((ROOT / "src/headscope/__init__.pyi").read_text())
    imported = {name.name for line in stub.body if isinstance(line, ast.ImportFrom) for name in line.names}
    assert imported - {"load_translator"} <= set(headscope.__all__)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as pip builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*command, "-w", str(folder), str(ROOT)], check=True, capture_output=True, timeout=300)
    return next(folder.glob("*.whl"))


def test_a_wheel_puts_nothing_beside_the_package(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"headscope", f"headscope-{headscope.__version__}.dist-info"}
    assert "headscope/checkpoints/tatoeba-en-de-sinusoidal/model.safetensors" in names
    assert "headscope/checkpoints/positions-experiment/results/sinusoidal-cap8-seed1.json" in names
    assert "headscope/app/pages/main.py" in names
    assert "headscope/model/errors.py" in names


def test_a_wheel_works_where_it_is_unpacked(wheel: Path, research: Path):
    site = research / "site"
    zipfile.ZipFile(wheel).extractall(site)
    code = f"import sys; sys.path[:0] = [{str(research)!r}, {str(site)!r}]; import headscope; "
    code += "print(headscope.__file__, headscope.load('tatoeba-en-de-sinusoidal').card.path)"
    found = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=120, cwd=research
    )
    assert found.stderr == ""
    assert [Path(place).is_relative_to(site) for place in found.stdout.split()] == [True, True]
