"""What stands below the picture of reasons."""

from headscope.analysis.attribution.lens import logit_lens
from headscope.analysis.capture.pairs import sentence_pair
from tests.app.page_tools import SENTENCE, settle

FAST = {"why.method": "input x gradient", "why.beside": "nothing"}


def test_every_layer_of_the_chosen_token_alone(open_app, translator):
    page = open_app("why", pin="output.3", **FAST, **{"why.below": "layers"})
    found = logit_lens(translator, sentence_pair(translator, SENTENCE), top=3)
    assert len(page.dataframe) == 1
    shown = page.dataframe[0].value
    assert shown["After layer"].tolist() == [str(layer + 1) for layer in range(len(found.actual))]
    assert shown["Its rank"].tolist() == [str(rank) for rank in found.rank[:, 2].tolist()]
    page.get_by_key("view-why.below").set_value("nothing")
    settle(page)
    assert not page.dataframe
