"""The keys of `config.json` in a folder of CTranslate2. Scalars of `model.bin` that ours cannot follow are refused."""

from headscope.model.interop.settings import Keys

CONFIG = Keys(
    obeyed="unk_token eos_token decoder_start_token add_source_bos add_source_eos layer_norm_epsilon",
    harmless={
        "put before a source only where add_source_bos asks for it": "bos_token",
        "which head answers for alignment; ours shows all": "alignment_heads alignment_layer",
        "of other kinds of model": "lang_ids suppress_ids_begin_lang quantization_type quantization_bits",
        "where the vocabulary comes from": "vocabulary_type",
    },
    neglected={
        "suppress_ids": ("these pieces may be written",),
        "suppress_ids_begin": ("a translation may begin with these pieces",),
        "multi_query_attention": ("every head has keys and values of its own",),
    },
)
