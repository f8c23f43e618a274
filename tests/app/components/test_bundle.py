"""Modules in one script."""

import re

from headscope.app.components import bundle
from headscope.app.components.bundle import module, script


def test_modules_become_one_script(tmp_path, monkeypatch):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/deep.js").write_text("export const base = 1\nexport function twice(x) {\n  return 2 * x\n}\n")
    (tmp_path / "parts/left.js").write_text(
        'import { base, twice as double } from "./deep.js"\nexport default function left() {\n  return base\n}\n'
    )
    (tmp_path / "top.js").write_text(
        'import left from "./parts/left.js"\nimport { twice } from "./parts/deep.js"\ntwice(left())\n'
    )
    monkeypatch.setattr(bundle, "files", lambda package: tmp_path)
    assert " ".join(script("top.js").split()) == (
        "const parts_deep_js = (() => { const base = 1 function twice(x) { return 2 * x } return { base, twice } })() "
        "const parts_left_js = (() => { const { base, twice: double } = parts_deep_js "
        "const standard = function left() { return base } return { standard } })() "
        "const top_js = (() => { const left = parts_left_js.standard const { twice } = parts_deep_js "
        "twice(left()) return { } })()"
    )
    assert module("parts/left.js").endswith("\nexport default parts_left_js.standard\n")


def test_nothing_is_left_to_import_in_the_exported_file():
    source = script("export/html.js")
    assert not re.search(r"^\s*(import|export)\b", source, re.MULTILINE)
    assert len(re.findall(r"^const components_\w+_js = ", source, re.MULTILINE)) >= 8
    assert "</script" not in source
    assert "<!--" not in source
