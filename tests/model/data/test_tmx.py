"""Translation memories: what counts as the text of a unit, and which language is taken."""

import io
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.data.tmx import pick, read_units
from headscope.model.errors import HeadscopeError

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))


def memory(*units: str) -> str:
    return f'<tmx version="1.4"><header srclang="en"/><body>{"".join(units)}</body></tmx>'


def unit(*variants: tuple[str, str]) -> str:
    texts = (f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in variants)
    return f"<tu>{''.join(texts)}</tu>"


def read(content: str | bytes) -> list[dict[str, str]]:
    raw = content if isinstance(content, bytes) else content.encode()
    return list(read_units(io.BytesIO(raw), "memory.tmx"))


def test_units_in_order():
    found = read(memory(unit(("en", "one"), ("de", "eins")), "<tu/>", unit(("fr", "deux"), ("EN-US", "two"))))
    assert [list(texts.items()) for texts in found] == [
        [("en", "one"), ("de", "eins")],
        [],
        [("fr", "deux"), ("EN-US", "two")],
    ]


@given(TEXT)
def test_texts_survive(text: str):
    assert read(memory(unit(("en", escape(text))))) == [{"en": text}]


def test_formatting_codes_are_no_text():
    marked = (
        'Click <bpt i="1">&lt;b></bpt>here<ept i="1">&lt;/b></ept>, <hi>then</hi> <ph>{0}<sub>note</sub></ph>there'
        "<it>&lt;br></it><ut>x</ut><!-- no text -->."
    )
    assert read(memory(unit(("en", marked)))) == [{"en": "Click here, then there."}]


def test_older_and_other_forms():
    named = '<tu><tuv lang="en"><prop type="x">y</prop><seg>one</seg></tuv><tuv xml:lang="de"/></tu>'
    assert read(memory(named)) == [{"en": "one"}]
    assert read(memory(unit(("en", "one"))).replace("<tmx ", '<tmx xmlns="http://www.lisa.org/tmx14" ')) == [
        {"en": "one"}
    ]
    wide = f'<?xml version="1.0" encoding="utf-16"?><!DOCTYPE tmx SYSTEM "tmx14.dtd">{memory(unit(("de", "süß")))}'
    assert read(wide.encode("utf-16")) == [{"de": "süß"}]


def test_nothing_outside_is_read_and_nothing_expands(tmp_path: Path):
    (tmp_path / "secret").write_text("secret", "utf-8")
    declared = f'<!DOCTYPE tmx [<!ENTITY out SYSTEM "{(tmp_path / "secret").as_uri()}"><!ENTITY a "lol">]>'
    (found,) = read(declared + memory(unit(("en", "&out; and &a; &amp; more"))))
    assert found == {"en": "&out; and &a; & more"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "memory.tmx is not TMX"),
        ("one\teins\n", "memory.tmx is not TMX: Start tag expected.* line 1"),
        (memory(unit(("en", "one")) + "\n<tu><tuv>\n</tu>"), "memory.tmx is not TMX: .*line 3"),
        (memory().removesuffix("</tmx>"), "memory.tmx is not TMX"),
        ("<xliff><tu/></xliff>", "memory.tmx is not TMX: its outermost element is <xliff>"),
    ],
)
def test_what_is_no_memory(content: str, message: str):
    with pytest.raises(HeadscopeError, match=message) as raised:
        read(content)
    assert "\n" not in str(raised.value)


def test_the_missing_library_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "lxml.etree", None)
    with pytest.raises(HeadscopeError, match=r"^memory.tmx: reading TMX needs lxml: pip install 'headscope\[tmx\]'$"):
        read(memory())


def test_regions_stand_in_for_a_language():
    texts = {"de-AT": "Jänner", "DE": "Januar", "en_GB": "autumn", "en-US": "fall", "eng": "other"}
    assert pick(texts, "de") == "Januar"
    assert pick(texts, "de-at") == "Jänner"
    assert pick(texts, "en") == "autumn"
    assert pick(texts, "en-US") == "fall"
    assert pick(texts, "en-AU") is None
    assert pick(texts, "e") is None
