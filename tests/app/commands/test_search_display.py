"""A search as tables in the terminal."""

import pytest

from headscope.analysis.search.searching import search_record
from headscope.app.commands.search_display import NARROWEST, show
from headscope.app.export.search import as_object
from headscope.model.search.constraints import Constraints
from headscope.model.search.settings import SearchSettings
from tests.toys import SENTENCES

SOURCE, TARGET = SENTENCES[3]


@pytest.fixture
def search(command, checkpoint):
    """Runs the command on a sentence."""
    return lambda *options, source=SOURCE: command("search", "--checkpoint", checkpoint, "--source", source, *options)


def test_for_people(search):
    shown = search("--beam", 2, "--nbest", 2, "--exact", "--mbr", 4, "--force", "s").out
    for words in ("kept, forced", "excluded", "pruned by", "Free search: " + TARGET, "Proven", "Most like all samples"):
        assert words in shown
    assert "No translation" not in shown


def test_text_is_no_markup(search):
    outcome = search("--prefix", "[bold]:smile:", source="[red]x[/nothing]")
    assert outcome.code == 0
    assert "[bold]" in outcome.out


def test_one_loser_of_each_step_is_shown(translator, capsys):
    content = as_object(search_record(translator, SOURCE, settings=SearchSettings(beam=2)))
    show(content, "beam 2")
    out = capsys.readouterr().out
    fates = [[c["fate"] for c in step["candidates"]] for step in content["steps"]]
    assert sum(each.count("pruned") for each in fates) > len(fates)
    assert out.count(" pruned") == sum("pruned" in each for each in fates)
    assert "Found with beam 2. Ended: no live hypothesis could reach more than" in out
    assert max(map(len, out.splitlines())) <= NARROWEST


def test_nothing_is_left(translator, capsys):
    everything = frozenset((index,) for index in range(translator.vocabulary.size("target")))
    found = search_record(translator, SOURCE, constraints=Constraints(forbidden=everything))
    show(as_object(found), "beam 4")
    out = capsys.readouterr().out
    assert "Ended: no live hypothesis was left." in out
    assert "What is prescribed and forbidden leaves no translation." in out
