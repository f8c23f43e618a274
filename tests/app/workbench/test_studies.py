"""What lies with a checkpoint, for its own weights alone."""

import shutil
from dataclasses import replace

import pytest

from headscope.analysis.corpus.faithfulness_study import save_faithfulness_study
from headscope.analysis.gallery.record import load_gallery, save_gallery
from headscope.analysis.measures.history import HISTORY, save_history
from headscope.analysis.measures.profile import head_profile
from headscope.analysis.records.heads import Head
from headscope.app.workbench import studies
from headscope.app.workbench.workbench import Workbench
from headscope.model.card import read_card
from headscope.model.errors import HeadscopeError
from tests.analysis.corpus.studies import a_method, a_study
from tests.analysis.gallery.galleries import a_gallery, an_example
from tests.histories import toy_history, toy_run
from tests.toys import SENTENCES

QUESTIONS = [studies.profile, studies.gallery, studies.searches, studies.faithfulness, studies.history]


@pytest.mark.parametrize("question", QUESTIONS)
def test_where_nothing_lies_there_is_nothing(checkpoint, question):
    assert question(Workbench({"toy": checkpoint}), "toy") is None
    with pytest.raises(HeadscopeError, match="there is no checkpoint 'none'"):
        question(Workbench({"toy": checkpoint}), "none")


def test_a_profile_is_read_once_and_only_for_its_weights(checkpoint, translator, monkeypatch):
    profile, folders = head_profile(translator, SENTENCES[:2]), []
    name = "headscope.analysis.measures.profile.load_profile"
    monkeypatch.setattr(name, lambda folder: folders.append(folder) or profile)
    bench = Workbench({"toy": checkpoint})
    assert studies.profile(bench, "toy") is profile
    assert studies.profile(bench, "toy") is profile
    assert folders == [checkpoint]
    monkeypatch.setattr(name, lambda folder: replace(profile, weights="others"))
    assert studies.profile(Workbench({"toy": checkpoint}), "toy") is None


def test_a_gallery_that_is_written_later_is_seen(checkpoint, translator, tmp_path):
    folder = shutil.copytree(checkpoint, tmp_path / "toy")
    bench = Workbench({"toy": folder})
    assert studies.gallery(bench, "toy") is None
    save_gallery(a_gallery(an_example(), weights=translator.weights_digest), folder)
    found = studies.gallery(bench, "toy")
    assert found.weights == translator.weights_digest
    save_gallery(a_gallery(an_example(), weights="f" * 32), folder)
    assert studies.gallery(bench, "toy") is None


def test_a_ranking_of_other_weights_is_none(checkpoint, translator, tmp_path):
    folder, method = shutil.copytree(checkpoint, tmp_path / "toy"), a_method("saliency", (1, 0, 2), (0, 0, 0))
    save_faithfulness_study(a_study(method, weights=translator.weights_digest), folder)
    assert studies.faithfulness(Workbench({"toy": folder}), "toy").methods == (method,)
    save_faithfulness_study(a_study(method), folder)
    assert studies.faithfulness(Workbench({"toy": folder}), "toy") is None


def test_a_history_is_of_its_weights_or_of_none_that_it_names(checkpoint, translator, tmp_path):
    folder = shutil.copytree(checkpoint, tmp_path / "toy")
    with pytest.raises(HeadscopeError, match="no history of these weights"):
        studies.watched(Workbench({"toy": folder}), "toy", 0)
    for digest, taken in ((translator.weights_digest, True), (None, True), ("f" * 32, False)):
        save_history(toy_history(translator, digest), folder / HISTORY)
        assert (studies.history(Workbench({"toy": folder}), "toy") is not None) == taken
    fewer = replace(toy_history(translator), heads=toy_history(translator).heads[1:])
    save_history(fewer, folder / HISTORY)
    assert studies.history(Workbench({"toy": folder}), "toy") is None, "of another model"


def test_a_watched_sentence_is_that_of_the_history(checkpoint, translator, tmp_path):
    folder, history = shutil.copytree(checkpoint, tmp_path / "toy"), toy_history(translator)
    save_history(history, folder / HISTORY)
    found = studies.watched(Workbench({"toy": folder}), "toy", 2)
    assert (found.source.text, found.predicts.text) == history.watched[2]


def test_a_run_is_read_again_when_it_has_measured_more(checkpoint, translator, tmp_path):
    bench, head, history = Workbench({"toy": checkpoint}), Head("cross", 0, 1), toy_history(translator)
    with pytest.raises(HeadscopeError, match="no snapshot was measured"):
        studies.head_so_far(bench, tmp_path, 0, head)
    toy_run(tmp_path, translator, checkpoint)
    found = studies.head_so_far(bench, tmp_path, 0, head)
    assert found.steps == (0, 1)
    assert studies.head_so_far(bench, tmp_path, 0, head) is found
    save_history(replace(history, moments=history.moments[2:]), tmp_path / "history" / "step-0000040.npz")
    assert studies.head_so_far(bench, tmp_path, 0, head).steps == (0, 1, 40)


def test_a_file_that_cannot_be_read_is_told_without_a_command(checkpoint, tmp_path):
    folder = shutil.copytree(checkpoint, tmp_path / "toy")
    (folder / "gallery.json").write_text('{"format": 99}', "utf-8")
    with pytest.raises(HeadscopeError, match="whoever runs the server can make it again") as told:
        studies.gallery(Workbench({"toy": folder}), "toy")
    assert "headscope" not in str(told.value)
    assert str(tmp_path) not in str(told.value)
    with pytest.raises(HeadscopeError, match="`headscope gallery`"):
        load_gallery(read_card(folder))
