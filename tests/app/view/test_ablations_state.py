import pytest

from headscope.app.view.ablations_state import AblationsView
from headscope.app.view.codec import Part

PART = Part(AblationsView, prefix="ablation.")


def test_it_is_in_the_address():
    state = AblationsView("attention", "dev_nll", "multi30k")
    assert PART.read("ablations", PART.write("ablations", state)) == state
    assert PART.write("ablations", state)["ablation.grid"] == "attention"


@pytest.mark.parametrize("params", [{"ablation.grid": "hats"}, {"ablation.measure": "luck"}], ids=str)
def test_what_is_not_there_is_left(params):
    assert PART.read("ablations", params) == AblationsView()
