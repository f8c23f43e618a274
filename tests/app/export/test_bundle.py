"""Modules in one script."""

import re

from headscope.app.export import bundle
from headscope.app.export.bundle import bundle as bundled


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
    assert " ".join(bundled("top.js").split()) == (
        "const parts_deep_js = (() => { const base = 1 function twice(x) { return 2 * x } return { base, twice } })() "
        "const parts_left_js = (() => { const { base, twice: double } = parts_deep_js "
        "function left() { return base } return { default: left } })() "
        "const top_js = (() => { const left = parts_left_js.default const { twice } = parts_deep_js "
        "twice(left()) return { } })()"
    )


def test_nothing_is_left_to_import_in_the_exported_file():
    script = bundled("export/html.js")
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert len(re.findall(r"^const components_\w+_js = ", script, re.MULTILINE)) >= 8
    assert "</script" not in script
    assert "<!--" not in script
