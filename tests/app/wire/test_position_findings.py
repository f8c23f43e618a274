"""What a study shows at a glance."""

from headscope.analysis.corpus.texts import Texts
from headscope.analysis.positions.length_record import Mean
from headscope.analysis.positions.study import LENGTHS, position_study
from headscope.analysis.positions.study_record import HeadByDistance
from headscope.app.wire.position_findings import findings
from tests.toys import brief, letter_translator, random_letters

TEXTS = Texts([(text, text[::-1]) for text in random_letters(12, 8, 1)], "made up", "CC0", "nobody")


def changed(study, **costs):
    """The study with other costs of changes."""
    made = {
        "shift": "shifted by 1",
        "source": "no positions of the source",
        "target": "no positions of the target",
    }
    wanted = {made[name]: Mean(value=value, interval=0.1) for name, value in costs.items()}
    effects = [
        each.model_copy(update={"difference": wanted[each.change]}) if each.change in wanted else each
        for each in study.changes
    ]
    return study.model_copy(update={"changes": tuple(effects)})


def test_no_more_is_said_than_the_intervals_bear():
    study = position_study(brief(letter_translator()), TEXTS, bins=LENGTHS[:1], most=1, sentences=6, offsets=(0,))
    titles = {each.key: each.title for each in findings(changed(study, shift=0.05, source=0.5, target=0.45))}
    assert titles["shift"] == "One position further on: no cost to be told"
    assert titles["sides"] == "Without positions of one side"
    assert "head" not in titles, "an untrained head looks at no distance"
    titles = {each.key: each.title for each in findings(changed(study, shift=0.15, source=0.5, target=0.1))}
    assert titles["shift"] == "It notices when all stands one position further on"
    assert titles["sides"] == "It needs the source's positions more than the target's"
    clear = [0.0] * len(study.distances)
    clear[study.distances.index(-2)] = 0.75
    numbers = {"mean": tuple(clear), "deviation": tuple(clear), "links": (9,) * len(clear)}
    head = HeadByDistance(kind="encoder", layer=1, head=2, **numbers)
    *_, found = findings(study.model_copy(update={"heads": (head,)}))
    assert found.title == "Encoder 2.3 looks 2 tokens back"
    assert found.query == {"p.view": "heads", "kind": "encoder", "layer": "2", "head": "3"}
    assert findings(study.model_copy(update={"heads": (), "changes": ()})) == ()
