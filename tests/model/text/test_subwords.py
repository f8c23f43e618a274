"""Moses tokens and pieces, as published systems have them."""

import gzip
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headscope.model.errors import HeadscopeError
from headscope.model.text.subwords import cut, detokenise, join, learn_merges, tokenise

GERMAN = "Ein Mann (mit „Hut“) sagt: Das ist's, z.B. im T-Shirt!"


def test_tokens_are_lower_case_and_escaped():
    assert tokenise([GERMAN], "de") == [
        "ein mann ( mit &quot; hut &quot; ) sagt : das ist &apos; s , z.b. im t-shirt !",
    ]
    assert tokenise(["A man's  hat\u00a0& coat.", ""], "en") == ["a man &apos;s hat &amp; coat .", ""]


def test_running_text_comes_back():
    assert detokenise(tokenise(['A man\'s hat, (red) & "new"'], "en"), "en") == ['a man\'s hat, (red) & "new"']


def test_merges_are_those_of_the_paper():
    # The words of Sennrich et al. 2016, section 3.2. By hand: s+t and e+s occur 9 times, l+o 7, w+est 6; of equals the
    # last in the alphabet comes first.
    text = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
    codes = learn_merges(text, 4)
    assert codes.split("\n") == ["#version: 0.2", "s t</w>", "e st</w>", "l o", "w est</w>", ""]
    assert cut(["low lowest", "new"], codes) == ["lo@@ w lo@@ west", "n@@ e@@ w"]


def test_learning_says_nothing(capsys: pytest.CaptureFixture[str]):
    learn_merges(["ab abc ab"], 9)
    assert capsys.readouterr() == ("", "")


@given(st.lists(st.text("abc@", min_size=1).filter(lambda token: not token.endswith("@@")), max_size=6))
def test_joining_undoes_cutting(tokens: list[str]):
    line = " ".join(tokens)
    assert join(cut([line], CODES)[0]) == line


CODES = learn_merges(["abc abcabc cab"] * 3, 3)


def test_a_piece_at_the_end_goes_on_with_nothing():
    assert join("a b@@") == "a b"


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch):
    for module in ("sacremoses", "subword_nmt.learn_bpe", "subword_nmt.apply_bpe"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(HeadscopeError, match=r"^sacremoses is not installed: pip install 'headscope\[data\]'$"):
        tokenise(["a"], "en")
    with pytest.raises(HeadscopeError, match=r"^subword-nmt is not installed"):
        cut(["a"], "")


def test_the_published_test_set_has_as_many_tokens(shared: Path):
    # Wu et al. 2021 score against 12,103 tokens.
    with gzip.open(shared / "data" / "multi30k" / "test_2016_flickr.de.gz", "rt", encoding="utf-8") as file:
        assert sum(len(line.split()) for line in tokenise(file, "de")) == 12_103
