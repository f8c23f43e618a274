"""What goes to the components of the pages, and what comes back."""

import json
import re

import numpy as np
import pytest

from headscope.analysis.records.attention_maps import Token, Tokens
from headscope.analysis.records.labels import labels
from headscope.app.components.assets import script, text
from headscope.app.components.strip import as_pin
from headscope.app.view.state import Pin
from headscope.app.wire.encoding import checked, tokens, weights

SCRIPTS = ["strip.js", "head_map.js", "wall.js", "lines.js", "compare.js", "inside.js", "keys.js", "sheet.js"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_one_module_with_one_default_export(name):
    source = script(name)
    assert not re.search(r"^import ", source, re.MULTILINE)
    assert len(re.findall(r"^export default ", source, re.MULTILINE)) == 1
    names = re.findall(r"^(?:export )?(?:default )?(?:function|const|let) (\w+)", source, re.MULTILINE)
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("name", [*SCRIPTS, "tokens.js"])
def test_text_never_becomes_markup(name):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser", text(name))


def test_labels_and_weights_are_plain():
    data = {
        "labels": tokens(labels(Tokens("a", (Token("▁a", 4, (0, 1)),)))),
        "weights": weights(np.array([[0.5, np.float32(0.1)]])),
    }
    assert json.loads(json.dumps(checked(data))) == data


def test_what_json_cannot_hold_is_refused():
    with pytest.raises(TypeError):
        checked({"index": np.int64(1)})
    with pytest.raises(ValueError, match="not JSON compliant"):
        checked({"weight": float("nan")})


@pytest.mark.parametrize(
    ("value", "pin"),
    [
        ({"token": {"side": "output", "index": 3}}, Pin("output", 3)),
        ({"token": None}, None),
        (None, None),
        ("token", None),
        ({"token": "output"}, None),
        ({"token": {"side": "nowhere", "index": 3}}, None),
        ({"token": {"side": ["output"], "index": 3}}, None),
        ({"token": {"side": "source", "index": -1}}, None),
        ({"token": {"side": "source", "index": True}}, None),
        ({"token": {"side": "source", "index": 1.5}}, None),
        ({"token": {"side": "source"}}, None),
    ],
)
def test_what_a_browser_sends_is_checked(value, pin):
    assert as_pin(value) == pin
