"""The self-contained file."""

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.analysis.attribution.contributions import head_contributions
from headscope.analysis.capture.attention import attention_maps
from headscope.analysis.capture.pairs import sentence_pair
from headscope.analysis.records import labels as labelling
from headscope.analysis.records.attention_maps import AttentionMaps, Token, Tokens
from headscope.analysis.records.heads import Head
from headscope.analysis.records.links import strongest
from headscope.app.export.files import Export
from headscope.app.export.html import PARTS, content, embedded, html, rounded
from headscope.app.view.shown import with_special
from headscope.app.view.state import KINDS, View
from headscope.app.wire.encoding import as_message

SENTENCE = "My neighbour keeps bees and gives us honey."


class Parts(HTMLParser):
    """Scripts, styles and attributes of a page, as a browser would find them."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=False)
        self.scripts, self.styles, self.attributes, self._open = {}, [], [], None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.attributes += attrs
        self._open = (tag, dict(attrs)) if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        tag, attrs = self._open or ("", {})
        if tag == "script":
            self.scripts[attrs["type"]] = data
        elif tag == "style":
            self.styles.append(data)


def export(maps: AttentionMaps, **options) -> Export:
    return Export(maps, Head("cross", 1, 0), "toy", "beam 4, length penalty 0.6", ("en", "de"), **options)


def unpacked(packed: str, kind: str) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(packed)), kind)


def floats(packed: str) -> np.ndarray:
    """Three planes of bytes, the lowest of four left out."""
    return np.insert(unpacked(packed, "u1").reshape(3, -1).T, 0, 0, axis=1).copy().view("<f4").ravel()


def noise(layers: int, heads: int, size: int) -> AttentionMaps:
    scores = np.random.default_rng(0).normal(0, 2, (layers, heads, size, size))
    weights = tuple((np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)).astype(np.float32))
    tokens = Tokens("x" * size, tuple(Token("x", 5, (at, at + 1)) for at in range(size)))
    return AttentionMaps(
        dict.fromkeys(KINDS, weights), {}, tokens, tokens, tokens, np.zeros(size, np.float32), "weight", "noise"
    )


@pytest.fixture(scope="module")
def maps(translator) -> AttentionMaps:
    return attention_maps(translator, SENTENCE)


def test_every_weight_and_every_drawn_link_is_in_it(maps):
    kinds = as_message(content(export(maps)))["kinds"]
    for kind in KINDS:
        whole = np.concatenate(maps.layers(kind))
        assert (kinds[kind]["layers"], kinds[kind]["heads"]) == (len(maps.layers(kind)), len(maps.layers(kind)[0]))
        np.testing.assert_allclose(floats(kinds[kind]["weights"]), whole.ravel(), rtol=2.0**-16)
        np.testing.assert_array_equal(unpacked(kinds[kind]["drawn"], "?"), strongest(whole).ravel())
        heads = [{**kinds[kind]["matrix"]["alike"], **own} for own in kinds[kind]["matrix"]["own"]]
        assert [head["title"].rpartition(", head ")[2] for head in heads] == [
            str(head + 1) for layer in maps.layers(kind) for head in range(len(layer))
        ]
        assert len(heads[0]["rows"]) * len(heads[0]["columns"]) == kinds[kind]["cells"]


def test_hidden_mass_is_in_it(maps):
    shown = with_special(maps, View("toy", SENTENCE, special="hidden"))
    cross = as_message(content(export(shown.maps, hidden=shown.hidden)))["kinds"]["cross"]
    np.testing.assert_allclose(cross["matrix"]["own"][3]["hidden"], shown.hidden["cross"][1][1], atol=1e-4)
    assert cross["lines"]["own"][3]["heads"][0]["hidden"] == cross["matrix"]["own"][3]["hidden"]


def test_contributions_keep_their_scale(translator):
    found = head_contributions(translator, sentence_pair(translator, SENTENCE))
    cross = as_message(content(export(found)))["kinds"]["cross"]
    assert cross["wall"]["most"] == pytest.approx(max(layer.max() for layer in found.cross))
    assert cross["matrix"]["own"][2]["most"] == pytest.approx(found.cross[1].max())
    assert cross["matrix"]["alike"]["quantity"] == "contribution"


@given(st.dictionaries(st.text(), st.text() | st.sampled_from(["</script>", "<!--<script>", "]]>", "\u2028\u2029"])))
def test_no_text_can_leave_the_data(data):
    written = embedded(data)
    assert written.isascii()
    assert not set("<>&") & set(written)
    assert json.loads(written) == data


def test_the_file_loads_nothing_and_runs_only_what_was_written_here(maps):
    parts = Parts(html(export(maps)).decode())
    assert not {"src", "href", "action", "style"} & {name for name, _ in parts.attributes}
    assert not [name for name, _ in parts.attributes if name.startswith("on")]
    assert "url(" not in "".join(parts.styles)
    assert "@import" not in "".join(parts.styles)
    assert json.loads(parts.scripts["application/json"])["strip"]["source"]["text"] == SENTENCE
    policy = next(value for name, value in parts.attributes if name == "content" and "-src" in value)
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == directives["base-uri"] == directives["form-action"] == "'none'"
    assert set(directives) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
    assert directives["script-src"] == sha256(parts.scripts["module"])
    assert directives["style-src"].split() == [sha256(style) for style in parts.styles]


def sha256(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_colours_are_those_of_the_pages(maps):
    style = Parts(html(export(maps)).decode()).styles[0]
    used = {name for part in PARTS.values() for name in re.findall(r"--st-[\w-]+", part.css)}
    assert used <= set(re.findall(r"(--st-[\w-]+): [^;]+;", style))
    assert style.count("--st-chart-sequential-colors: #") == 2


def test_a_long_sentence_stays_small():
    assert len(html(export(noise(6, 8, 60)))) < 3e6


def test_what_heads_have_alike_is_made_once(monkeypatch):
    shown = []
    monkeypatch.setattr(labelling, "visible", lambda text: shown.append(text) or text)
    record = noise(2, 6, 77)
    html(export(record))
    assert len(shown) <= 4 * 77, "labels of a side are made once, not once a head"


def test_weights_are_rounded_in_their_16th_bit():
    values = np.random.default_rng(0).uniform(0, 1, 1000).astype(np.float32) ** 4
    found = rounded(np.append(values, [np.float32(0), np.float32(1)]))
    np.testing.assert_allclose(found[:-2], values, rtol=2.0**-16)
    assert found[-2:].tolist() == [0.0, 1.0]
    assert (found.view("<u4") & 0xFF == 0).all()
