"""Which fonts can write a text."""

from headscope.app.export.fonts import complaint, families, spelt

UNKNOWN = "\U0001f9ff"
"""An emoji: fonts have it as a colour bitmap, if at all."""


def test_families_for_a_text():
    assert families("▁Straße → ␣") == (["DejaVu Sans Mono"], set())
    assert families(f"a{UNKNOWN}")[1] == {UNKNOWN}
    assert spelt(f"a{UNKNOWN}b", {UNKNOWN}) == "a‹1F9FF›b"
    assert complaint(set()) == ""
    assert "and 12 more" in complaint(set("abcdefghijklmnopqrst"))
