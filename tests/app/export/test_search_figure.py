"""The tree of a search as a picture."""

from xml.etree import ElementTree as ET

import pytest

from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.app.export.search_figure import svg
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES

SOURCE = SENTENCES[3][0]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</text><script>alert(1)</script> & \x00\x1b \ud800 ]]>"


@pytest.fixture(scope="module")
def record(translator) -> SearchRecord:
    return search_record(translator, SOURCE, settings=SearchSettings(beam=3, n_best=2))


def test_tree(record):
    root = ET.fromstring(svg(record))
    shown = [element for element in root.iter(f"{SVG}g") if element.find(f"{SVG}title") is not None]
    assert len(shown) == sum(len(step.candidates) for step in record.trace.steps)
    fates = ["".join(element.itertext()) for element in shown]
    for fate in ("finished", "pruned", "displaced", "cut off"):
        assert any(fate in text for text in fates) == any(
            c.fate == fate for step in record.trace.steps for c in step.candidates
        )
    frames = {tuple(sorted(shape(element).items())) for element in shown}
    assert len(frames) >= 4  # fates are to be told without colour
    assert len(ET.fromstring(svg(record, pruned=False)).findall(f".//{SVG}title")) < len(shown)


def shape(element: ET.Element) -> dict[str, str]:
    """What a node's frame looks like in grey, wherever it stands."""
    return {key: value for key, value in element.find(f"{SVG}rect").items() if key not in ("x", "y", "stroke")}


def test_nothing_in_a_text_is_markup(translator):
    found = search_record(translator, HOSTILE, settings=SearchSettings(beam=2, longest=3))
    root = ET.fromstring(svg(found))
    assert root.find(f".//{SVG}script") is None
    assert "<script>alert(1)</script>" in "".join(root.itertext())


def test_forced_and_excluded(translator):
    prefix = translator.vocabulary.encode("Das", "target").ids[:1]
    found = search_record(translator, SOURCE, constraints=Constraints(prefix=prefix))
    told = "".join(ET.fromstring(svg(found)).itertext())
    assert "forced" in told
    assert "excluded" in told


def test_nothing_left(translator):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    found = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    assert "ended by: exhausted" in "".join(ET.fromstring(svg(found)).itertext())
