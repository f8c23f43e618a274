"""Two checkpoints compared."""

import json

import pytest
import streamlit as st

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions import jobs
from headscope.analysis.positions.study import LENGTHS, position_study, save_position_study
from headscope.app.view import session
from headscope.app.workbench import studies
from headscope.model.translator import load_translator
from tests.app.commands.measuring import copied, hurried
from tests.app.page_tools import shown
from tests.toys import SENTENCES, brief, save_toy_checkpoint

TEXTS = (*SENTENCES, ("We see.", "Wir sehen."), ("She reads.", "Sie liest."))


@pytest.fixture(scope="module")
def folders(checkpoint, tmp_path_factory):
    """Twins, of which the first has a study with a null; one that nothing was measured with; and one of other
    languages."""
    folder = tmp_path_factory.mktemp("compared")
    made = {"toy": hurried(copied(checkpoint, folder / "toy"))}
    made["learned"] = hurried(save_toy_checkpoint(folder / "learned", passes=8, positions="learned", position_table=48))
    made["again"] = hurried(save_toy_checkpoint(folder / "again", passes=8))
    turned = [(target, source) for source, target in SENTENCES]
    made["back"] = save_toy_checkpoint(folder / "back", turned, ("de", "en"), passes=2)
    toy, learned, again = (brief(load_translator(made[name])) for name in ("toy", "learned", "again"))
    few = {"bins": LENGTHS[:1], "most": 1, "offsets": (0,)}
    study = position_study(toy, Texts(TEXTS, "made up", "CC0", "nobody"), learned, [again], **few)
    save_position_study(study, made["toy"])
    return made


@pytest.fixture
def open_compared(open_app, folders, monkeypatch):
    monkeypatch.setattr(session, "checkpoint_folders", lambda places: folders)
    monkeypatch.setattr(studies, "examples", lambda bench, checkpoint: TEXTS)
    st.cache_resource.clear()
    return lambda **params: open_app("positions", **{"p.view": "compared"} | params)


def words(page) -> str:
    return " ".join(each.value for each in (*page.main.text, *page.main.caption, *page.main.markdown))


@pytest.mark.parametrize("first", ["toy", "learned"])
def test_the_study_of_either_says_what_a_match_is_worth(open_compared, first):
    second = {"toy": "learned", "learned": "toy"}[first]
    page = open_compared(checkpoint=first, kind="encoder", **{"p.other": second})
    scores, kinds, heads = (table.value for table in page.table)
    assert list(scores.columns) == ["metric", first, second, "difference", "p, paired bootstrap"]
    assert list(scores.metric) == ["BLEU", "chrF"]
    assert len(kinds) == 6
    assert set(kinds["than those, these are"]) <= {"further apart", "no further apart"}
    assert list(heads.columns)[:2] == [first, f"{second}, within the layer"]
    assert all(name.startswith("encoder ") for name in heads[first])
    (figure,) = [json.loads(element.proto.spec) for element in page.get("plotly_chart")]
    names = [line["name"] for line in figure["data"] if line["type"] == "scatter"]
    assert names == [
        *("within the layer", "within the layer: mean of one kind", "across layers", "across layers: mean of one kind")
    ]
    assert "no match counts as more than chance" not in words(page)
    assert "sentences: made up." in words(page)
    assert page.get("download_button")


def test_without_a_null_nothing_is_put_down_to_positions(open_compared):
    page = open_compared(**{"p.other": "again"})
    assert "without it no match counts as more than chance" in words(page)
    kinds = page.table[1].value
    assert set(kinds["two trainings of one kind"]) == {"not measured"}
    assert set(kinds["than those, these are"]) == {"not known"}
    assert "which are no sample" in words(page)
    page.get_by_key("view-kind").set_value("decoder").run()
    assert shown(page).kind == "decoder"
    assert page.table[2].value["toy"].str.startswith("decoder ").all()


def test_what_the_experiments_models_say_stands_beside(open_compared, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "KEPT", tmp_path / "results")
    table = "kind,across,mean,interval,sentences,null,outside\n"
    rows = 'encoder,False,0.1,0.01,20,"[0.2, 0.3]",False\ncross,True,0.4,0.01,20,"[0.2]",True\n'
    rows += "decoder,True,0.4,0.1,20,[],\n"
    (tmp_path / "matching.csv").write_text(table + rows, "utf-8")
    found = open_compared(**{"p.other": "again"}).table[1].value
    assert list(found["twins"]) == ["0.1000 ± 0.0100", "0.4000 ± 0.0100", "0.4000 ± 0.1000"]
    assert list(found["two trainings of one kind"]) == ["0.2000, 0.3000", "0.2000", "not measured"]
    assert list(found["than those, the twins are"]) == ["no further apart", "further apart", "not known"]
    (tmp_path / "matching.csv").write_text("kind\nencoder\n", "utf-8")
    assert "is no table of a comparison" in words(open_compared(**{"p.other": "again"}))


def test_what_cannot_be_compared(open_compared):
    assert "Toy translates en-de, back de-en: choose two of the same languages" in words(
        open_compared(**{"p.other": "back"})
    )
    assert "No checkpoint here has the same languages" in words(open_compared(checkpoint="back"))
