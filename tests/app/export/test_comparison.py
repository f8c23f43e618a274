"""Several models side by side, as plain objects."""

import json

import numpy as np

from headscope.analysis.comparison.cka import LayerCka
from headscope.analysis.comparison.corpus import Outputs, compared_outputs
from headscope.analysis.comparison.heads import ComparedHead, Partner
from headscope.analysis.records.heads import Head
from headscope.app.export.comparison import corpus_object, head_object, layers_object, translations_object
from tests.app.wire.test_versions import found


def plain(content: dict) -> dict:
    """As it is read again."""
    return json.loads(json.dumps(content, allow_nan=False))


def test_translations_with_their_words():
    content = plain(translations_object(found("ein Hund", "ein Tier", log_probs=[[-1.0, -2.5], [-3.0, -1.5]])))
    second = content["translations"][1]
    assert second["log_probs"] == {"model 0": -3.0, "model 1": -1.5}
    assert second["words"][1] == {"text": "Tier", "start": 4, "end": 8, "differs": True}


def test_heads_count_from_one():
    content = plain(
        head_object(ComparedHead(Head("cross", 2, 0), (Partner("y", None, Head("cross", 0, 1), 0.25),), True))
    )
    assert content == {
        "head": "cross 3.1",
        "unit": "words",
        "others": [{"model": "y", "same_place": None, "nearest": "cross 1.2", "divergence": 0.25}],
    }


def test_a_corpus_names_the_lines_that_differ_most():
    texts = [("a", "eins"), ("b", "zwei"), ("c", "drei")]
    one, two = (
        Outputs(("eins", "zwei", "drei"), (-1.0, -1.0, None)),
        Outputs(("eins", "zwo", "vier"), (-2.0, -4.0, -1.0)),
    )
    content = plain(corpus_object(compared_outputs(["x", "y"], [one, two], texts, "de"), "outputs", 2))
    assert [row["line"] for row in content["differ_most"]] == [3, 2]
    assert content["differ_most"][0]["spread"] is None
    assert content["translated_alike"] == 1
    assert set(content["scores"]["y"]) == {"BLEU", "chrF"}
    assert content["scores"]["x"]["BLEU"]["p"] is None


def test_layers_without_a_number_are_null():
    found = LayerCka(("x", "y"), np.array([[1.0, np.nan]]), np.eye(2), (30, 40), 5, "words")
    content = plain(layers_object(found))
    assert content["cka"] == {"encoder": [[1.0, None]], "decoder": [[1.0, 0.0], [0.0, 1.0]]}
    assert content["tokens"] == {"source": 30, "target": 40}
