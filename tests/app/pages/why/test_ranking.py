"""What the page says of a ranking: no more than its intervals allow."""

from headscope.app.pages.why.ranking import trusted
from headscope.app.workbench import studies
from tests.analysis.corpus.studies import a_method, a_study
from tests.app.page_tools import settle

FIRST = a_method("occlusion", (0.4, 0.3, 0.5), (0.0, 0.0, 0.0))
BEHIND = a_method("saliency", (0.2, 0.1, 0.3), (0.2, 0.1, 0.3))
NEAR = a_method("attention", (0.35, 0.2, 0.5), (0.05, -0.1, 0.2))


def test_a_lead_that_is_clear():
    said = trusted(a_study(FIRST, BEHIND))
    assert said.startswith("This page trusts occlusion most: over 40 sentences")
    assert "0.200 nats [0.100, 0.300] more than of saliency" in said


def test_a_lead_that_is_not():
    said = trusted(a_study(FIRST, NEAR, BEHIND))
    assert said.startswith("No method is clearly ahead")
    assert "attention cannot be told from it" in said
    assert "saliency" not in said
    assert "4 others cannot be told" in trusted(a_study(FIRST, *4 * [NEAR], BEHIND))


def test_none_better_than_random_orders():
    poor = a_method("saliency", (0.0, -0.2, 0.2), (0.1, 0.05, 0.3))
    said = trusted(a_study(a_method("occlusion", (0.1, -0.1, 0.2), (0.0, 0.0, 0.0)), poor))
    assert said.startswith("This page trusts no method here")


def test_one_method_alone():
    assert trusted(a_study(FIRST)).startswith("occlusion alone was measured")


def test_the_ranking_of_the_checkpoint_stands_beside_the_curve(open_app, monkeypatch, translator):
    study = a_study(a_method("occlusion", (0.4, 0.3, 0.5), (0.0, 0.0, 0.0)))
    page = open_app("why", **{"why.method": "ALTI+", "why.beside": "nothing", "why.below": "faithfulness"})
    told = [each.value for each in page.markdown]
    assert any(text.startswith("No ranking of methods") for text in told)
    monkeypatch.setattr(studies, "faithfulness", lambda bench, checkpoint: study)
    settle(page)
    assert trusted(study) in [each.value for each in page.text]
