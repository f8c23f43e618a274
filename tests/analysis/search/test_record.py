"""A search in words."""

from headscope.analysis.records.attention_maps import Tokens
from headscope.analysis.search.record import SearchRecord
from headscope.analysis.search.searching import search_record
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from headscope.model.search.trace import Bound, Ending, Fate, SearchTrace
from tests.toys import SENTENCES

SOURCE = SENTENCES[3][0]
SETTINGS = SearchSettings(beam=3, n_best=2)


def test_table(translator):
    record = search_record(translator, SOURCE, settings=SETTINGS)
    table = record.to_pandas()
    assert len(table) == sum(len(step.candidates) for step in record.trace.steps)
    assert list(table.columns)[:6] == ["step", "parent", "prefix", "piece", "id", "log_prob"]
    assert set(table["fate"]) <= {str(fate) for fate in Fate}
    assert table["margin"].notna().equals(table["fate"].isin(["pruned", "displaced"]))
    assert table["drawn"].isna().all()


def by_hand(*texts: str, longest: int = 0) -> SearchRecord:
    """A search of which nothing is known but a few pieces and what it found."""
    return SearchRecord(
        checkpoint="toy",
        source=Tokens("x", ()),
        trace=SearchTrace((), (), Bound(Ending.LENGTH, None, None)),
        settings=SETTINGS,
        sampling=None,
        constraints=Constraints(),
        end=3,
        pieces={3: "</s>", 7: "▁a", 8: "b"},
        live_texts=(("",), ("a" * longest, "b" * longest)),
        texts=texts,
    )


def test_the_text_is_that_of_the_best():
    assert by_hand("a", "b").text == "a"
    assert by_hand().text == ""


def test_labels():
    record = by_hand()
    assert [(record.label(piece).full, record.label(piece).special) for piece in (3, 7, 8)] == [
        ("</s>", True),
        ("▁a", False),
        ("b", False),
    ]


def test_memory_grows_with_what_is_kept(translator):
    assert by_hand(longest=90).nbytes - by_hand(longest=40).nbytes == 100
    short, long = (search_record(translator, SOURCE, settings=SETTINGS, alternatives=count) for count in (1, 5))
    assert long.nbytes > short.nbytes
