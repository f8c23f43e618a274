"""The files of the components."""

import re
from importlib.resources import files

import pytest

from headscope.app.components.bundle import asset
from headscope.app.components.component import Component
from tests.app.wire.test_typedefs import COMPONENTS

APP = files("headscope.app")
FILES = sorted(str(path.relative_to(APP)) for name in ("components", "export") for path in (APP / name).rglob("*.js"))


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda made: made.name)
def test_a_script_is_one_module_with_one_default_export(component: Component):
    source = component.js
    assert not re.search(r"^import ", source, re.MULTILINE)
    assert len(re.findall(r"^export default ", source, re.MULTILINE)) == 1
    modules = re.findall(r"^const (\w+) = \(\(\) => \{\n(.*?)^\}\)\(\)$", source, re.MULTILINE | re.DOTALL)
    assert modules[-1][0] == f"components_{component.name}_{component.name}_js"
    for code in ["\n".join(f"const {name}" for name, _ in modules), *(code for _, code in modules)]:
        names = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", code, re.MULTILINE)
        assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", FILES)
def test_text_never_becomes_markup(path):
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser", asset(path))


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda made: made.name)
def test_tokens_stand_before_the_own_rules_and_reach_the_parts(component: Component):
    assert component.css.startswith(asset("components/base/tokens.css"))
    assert component.css.endswith(asset(f"components/{component.name}/{component.name}.css"))
    assert re.match(r'<div class="\w+ headscope">', component.html)
