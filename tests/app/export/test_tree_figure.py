"""The tree of a search as a figure."""

from xml.etree import ElementTree as ET

import pytest
from matplotlib.patches import FancyBboxPatch, PathPatch

from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.app.export import tree_figure as module
from headscope.app.export.paper import FIGURES, TALLEST, WIDTHS
from headscope.app.export.tree_figure import draw_tree, refusal, tree_figure
from headscope.model.errors import HeadscopeError
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Fate
from tests.toys import SENTENCES

SOURCE = SENTENCES[3][0]
HOSTILE = "</text><script>alert(1)</script> & \x00\x1b \ud800 -- ]]>"


@pytest.fixture(scope="module")
def record(translator) -> SearchRecord:
    return search_record(translator, SOURCE, settings=SearchSettings(beam=3, n_best=2))


def frames(drawn) -> list[FancyBboxPatch]:
    return [patch for axes in drawn.axes for patch in axes.patches if isinstance(patch, FancyBboxPatch)]


def texts(drawn) -> list[str]:
    return [text.get_text() for text in drawn.texts]


def looks(record: SearchRecord) -> set[tuple]:
    """What frames look like in grey."""
    return {
        (f.get_linestyle(), f.get_boxstyle().rounding_size, f.get_linewidth(), f.get_facecolor())
        for f in frames(draw_tree(record, pruned=True, width="slide"))
    }


def test_every_candidate_is_drawn_and_those_a_band_goes_on_from_again(record):
    candidates = [c for step in record.trace.steps for c in step.candidates]
    for width in WIDTHS:
        drawn = draw_tree(record, pruned=True, width=width)
        again = len(frames(drawn)) - len(candidates)
        assert 0 <= again <= 3 * (len(drawn.axes) - 1)
        firsts = [text for text in texts(drawn) if text.startswith("step ")]
        assert set(firsts) == {f"step {step + 1}" for step in range(len(record.trace.steps))}
        edges = [patch for axes in drawn.axes for patch in axes.patches if isinstance(patch, PathPatch)]
        assert len(edges) == len(candidates) - len(record.trace.steps[0].candidates)
    slim = draw_tree(record, pruned=False, width="page")
    kept = [c for c in candidates if c.fate not in (Fate.PRUNED, Fate.EXCLUDED)]
    assert len(kept) <= len(frames(slim)) < len(frames(draw_tree(record, pruned=True, width="page")))


def test_fates_can_be_told_without_colour(record, translator):
    assert len(looks(record)) >= len({c.fate for step in record.trace.steps for c in step.candidates})
    prefix = translator.vocabulary.encode("Das", "target").ids[:1]
    forced = search_record(translator, SOURCE, constraints=Constraints(prefix=prefix))
    assert len({face for *_, face in looks(forced)}) == 2, "what was forced is shaded"
    assert any(style in ("-.", "dashdot") for style, *_ in looks(forced)), "what was excluded has a frame of its own"


def test_numbers_have_two_decimals(record):
    numbers = [text.split() for text in texts(draw_tree(record, pruned=True, width="column")) if "−" in text]
    numbers = [pair for pair in numbers if len(pair) == 2]
    assert len(numbers) > 20
    assert all(len(part.partition(".")[2]) == 2 for pair in numbers for part in pair)


@pytest.mark.parametrize("form", FIGURES)
def test_nothing_in_a_text_is_markup_or_a_control(translator, form):
    found = search_record(translator, HOSTILE, settings=SearchSettings(beam=2, longest=3))
    data = tree_figure(found, form=form)
    assert data == tree_figure(found, form=form)
    if form == "svg":
        assert not [part for part in ET.fromstring(data).iter() if part.tag.endswith("script")]
        shown = " ".join(texts(draw_tree(found, pruned=True, width="slide")))
        assert "␀␛" in shown
        assert "‹D800›" in shown


def test_nothing_left(translator):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    found = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    assert "ended by: exhausted" in module.caption(found)
    assert tree_figure(found, pruned=False).startswith(b"<?xml")


def test_a_tree_that_is_too_large_is_refused_before_it_is_drawn(record, monkeypatch):
    count = sum(len(step.candidates) for step in record.trace.steps)
    assert refusal(record, pruned=True) == ""
    monkeypatch.setattr(module, "MOST_NODES", count - 1)
    assert f"the tree has {count} candidates, and a figure holds {count - 1}: leave out" in refusal(record, pruned=True)
    with pytest.raises(HeadscopeError, match="save the search as a table"):
        tree_figure(record)
    assert refusal(record, pruned=False) == ""


def test_the_largest_tree_is_no_taller_than_a_file_may_be(record):
    for width in WIDTHS:
        box = module._Box(module.Paper(width, [module.NUMBERS], ""))
        new, wide = box.across - 1, 512 + 50
        assert module.MOST_NODES / new * box.down + wide / new * box.head < TALLEST
