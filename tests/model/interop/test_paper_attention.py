import pytest

from headscope.model.errors import HeadscopeError
from headscope.model.interop.ctranslate2_export import export_ctranslate2
from headscope.model.interop.marian_export import export_marian
from headscope.model.interop.paper_attention import require_paper_attention
from tests.toys import letter_translator, tiny_config

REFUSED = [
    ({"attention": {"cross": {"pattern": "uniform"}}}, "attention.cross is uniform: a thing computes cross-attention"),
    ({"attention": {"encoder": {"score": "additive"}}}, "attention.encoder is additive, temperature 1"),
    ({"attention": {"decoder": {"temperature": 2.0}}}, "attention.decoder is scaled, temperature 2"),
    ({"attention": {"causal": False}}, "attention.causal = False: a thing always hides later"),
    ({"key_size": 8}, "key_size = 8: a thing has heads of d_model / heads = 16 / 4"),
    ({"value_size": 3}, "value_size = 3"),
]


@pytest.mark.parametrize(("changes", "said"), REFUSED, ids=str)
def test_what_is_not_the_papers_is_named(changes, said):
    with pytest.raises(HeadscopeError, match=said):
        require_paper_attention(tiny_config(**changes), "a thing")


def test_the_papers_attention_passes_with_its_sizes_written_out():
    require_paper_attention(tiny_config(), "a thing")
    stack = {"layers": 1, "heads": 4, "feed_forward": 8}
    require_paper_attention(tiny_config(encoder=stack, decoder=stack, key_size=4, value_size=4), "a thing")


@pytest.mark.parametrize("changes", [changes for changes, _ in REFUSED], ids=str)
def test_no_export_writes_anything(changes, tmp_path):
    translator = letter_translator(sinusoid_layout="halves", **changes)
    for export, whose in ((export_marian, "a Marian model"), (export_ctranslate2, "a model of CTranslate2")):
        with pytest.raises(HeadscopeError, match=whose):
            export(translator, tmp_path / "out")
        assert not (tmp_path / "out").exists()
