"""How commands say what they warn of."""

from headscope.analysis.measures.warnings import WarningKind
from headscope.app.commands.warned import Warned, warnings_of
from headscope.model.text.vocabulary import Segmentation
from headscope.model.translation import Translation


def test_a_line_for_each_kind_with_counts(capsys):
    warned = Warned()
    for line in range(1, 13):
        warned.add(line, [WarningKind.REPETITION] if line > 1 else [])
    warned.add(14, [WarningKind.CUT_OFF, WarningKind.REPETITION])
    warned.say()
    assert capsys.readouterr().err.splitlines() == [
        "headscope: translations cut off at the greatest length, before their end: 1 (line 14)",
        "headscope: translations that repeat themselves: 12 (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …)",
    ]


def test_nothing_is_said_without_cause(capsys):
    warned = Warned()
    warned.add(1, [])
    warned.say()
    assert capsys.readouterr().err == ""


def test_a_line_without_a_translation(translator):
    assert warnings_of(translator, Translation(Segmentation("", (), (), ()), (), ())) == ()
