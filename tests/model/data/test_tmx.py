"""Translation memories: what counts as the text of a unit, and which language is taken."""

import codecs
import io
import sys
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.data.tmx import Unit, pick, read_units
from headscope.model.errors import HeadscopeError

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff"))


def memory(*units: str) -> str:
    return f'<tmx version="1.4"><header srclang="en"/><body>{"".join(units)}</body></tmx>'


def unit(*variants: tuple[str, str]) -> str:
    texts = (f'<tuv xml:lang="{language}"><seg>{text}</seg></tuv>' for language, text in variants)
    return f"<tu>{''.join(texts)}</tu>"


def units(content: str | bytes) -> list[Unit]:
    raw = content if isinstance(content, bytes) else content.encode()
    return list(read_units(io.BytesIO(raw), "memory.tmx"))


def read(content: str | bytes) -> list[dict[str, str]]:
    """The texts of units in which each language has one variant, and nothing is wrong."""
    found = units(content)
    assert all(unit.problem is None and len(unit.texts) == len(unit.languages) for unit in found)
    return [dict(unit.texts) for unit in found]


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


SPOILT = [
    ("a\x01b", "a character that XML does not allow"),
    ("a&#2;b", "a character that XML does not allow"),
    ("a\x00b", "a character that XML does not allow"),
    ("a&nbsp;b", "an entity that is not declared"),
    (b"a\xff\xfeb", "bytes that are no character"),
]


@pytest.mark.parametrize(("text", "problem"), SPOILT)
@pytest.mark.parametrize("gap", ["", "\n"])
@pytest.mark.parametrize("prefix", ["", "t:"])
def test_what_xml_does_not_allow_spoils_one_unit(text: str | bytes, problem: str, gap: str, prefix: str):
    marked = [unit(("en", word)) + gap for word in ("one", "SPOILT", "three", "four")]
    whole = memory(*marked).replace("<", f"<{prefix}").replace(f"<{prefix}/", f"</{prefix}")
    if prefix:
        whole = whole.replace("<t:tmx", '<t:tmx xmlns:t="http://www.lisa.org/tmx14"', 1)
    found = units(whole.encode().replace(b"SPOILT", text if isinstance(text, bytes) else text.encode()))
    assert [each.problem for each in found] == [None, f"{problem} (line {2 if gap else 1})", None, None]
    assert [each.texts[0][1] for each in found if each.problem is None] == ["one", "three", "four"]


def test_a_control_character_in_utf_16():
    texts = [unit(("de", text)) for text in ("a", "\x02", "süß")]
    wide = f'<?xml version="1.0" encoding="utf-16"?>{memory(*texts)}'
    for encoded in (wide.encode("utf-16"), codecs.BOM_UTF16_BE + wide.encode("utf-16-be")):
        assert [each.problem is None for each in units(encoded)] == [True, False, True]
        assert units(encoded)[2].texts == (("de", "süß"),)
    with pytest.raises(HeadscopeError, match=r"memory.tmx is not TMX: .*utf-16"):
        units(wide.encode("utf-16") + b"\x00")


@given(st.lists(st.sampled_from(["a", "b c", "ü", "\x01", "d" * 40]), max_size=30), st.integers(1, 50))
def test_however_the_file_is_read_the_units_are_the_same(texts: list[str], size: int):
    class Slow(io.BytesIO):
        def read(self, _: int | None = -1, /) -> bytes:
            return super().read(size)

    raw = memory(*(unit(("en", text)) for text in texts)).encode()
    found = list(read_units(Slow(raw), "memory.tmx"))
    assert [each.problem is None for each in found] == ["\x01" not in text for text in texts]
    assert [each.texts for each in found if not each.problem] == [(("en", t),) for t in texts if "\x01" not in t]


def test_several_variants_of_a_language():
    (found,) = units(memory(unit(("en", "big"), ("de", "groß"), ("EN", "large"), ("de", " "), ("en", "big"))))
    assert found.languages == ("en", "de", "EN")
    assert pick(found, "en") == ("big", "large")
    assert pick(found, "de") == ("groß",)
    (found,) = units(memory(unit(("de-DE", " "), ("de-AT", "Jänner"), ("de-DE", "\u200b"))))
    assert pick(found, "de") == (" ",)


def test_regions_stand_in_for_a_language():
    texts = Unit((("de-AT", "Jänner"), ("DE", "Januar"), ("en_GB", "autumn"), ("en-US", "fall"), ("eng", "other")))
    assert pick(texts, "de") == ("Januar",)
    assert pick(texts, "de-at") == ("Jänner",)
    assert pick(texts, "en") == ("autumn",)
    assert pick(texts, "en-US") == ("fall",)
    assert pick(texts, "en-AU") == ()
    assert pick(texts, "e") == ()
