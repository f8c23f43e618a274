import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from headscope.model.text.composition import composed_from

MARKS = "aeo가\u1100\u1161\u11a8\u0301\u0327\u0323\u0308\u0338\u0344\u0f71\u0f73\u09be\u3099é\u2126\ufb2a"
texts = st.text(st.one_of(st.sampled_from(MARKS), st.characters()), max_size=12)


@given(texts)
def test_result_is_nfc(text: str):
    assert composed_from(text)[0] == unicodedata.normalize("NFC", text)


@given(texts)
def test_every_stretch_of_the_result_comes_from_its_stretch_of_the_text(text: str):
    result, origins = composed_from(text)
    assert (origins[0], origins[-1], len(origins)) == (0, len(text), len(result) + 1)
    for start, end in pairwise(sorted(set(origins))):
        of_it = "".join(character for character, origin in zip(result, origins, strict=False) if origin == start)
        assert unicodedata.normalize("NFC", text[start:end]) == of_it


def test_unchanged_characters_keep_their_own_places():
    assert composed_from("xe\u0301\u0327y") == ("xȩ\u0301y", [0, 1, 1, 4, 5])
