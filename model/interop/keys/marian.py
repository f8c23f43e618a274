"""The keys of Marian: `special:model.yml` in the model, and `decoder.yml` beside it."""

from headscope.model.interop.settings import Keys

MODEL = Keys(
    obeyed="""
        type dim-emb dim-vocabs enc-depth dec-depth transformer-heads transformer-heads-decoder transformer-dim-ffn
        transformer-decoder-dim-ffn transformer-ffn-depth transformer-decoder-ffn-depth transformer-ffn-activation
        transformer-preprocess transformer-postprocess transformer-postprocess-top transformer-postprocess-emb
        transformer-decoder-autoreg transformer-no-projection transformer-train-position-embeddings
        transformer-tied-layers transformer-attention-mask transformer-disable-position-embeddings transformer-pool
        transformer-no-bias transformer-no-affine ulr lemma-dim-emb lemma-dependency right-left
    """,
    harmless={
        "of its recurrent models": """
            dim-rnn enc-type enc-cell enc-cell-depth dec-cell dec-cell-base-depth dec-cell-high-depth skip
            layer-normalization best-deep char-stride char-highway char-conv-filters-num char-conv-filters-widths
            transformer-rnn-projection
        """,
        "of average attention, which transformer-decoder-autoreg asks for": """
            transformer-dim-aan transformer-aan-depth transformer-aan-activation transformer-aan-nogate
        """,
        "of training alone": """
            transformer-guided-alignment-layer transformer-depth-scaling
            bert-mask-symbol bert-sep-symbol bert-class-symbol bert-masking-fraction
        """,
        "of other kinds of model": """
            bert-train-type-embeddings bert-type-vocab-size ulr-dim-emb ulr-trainable-transformation factors-combine
            factors-dim-emb transformer-alibi-shift transformer-alibi-trainable separator-symbol
        """,
        "which tables there are says the file itself": """
            tied-embeddings tied-embeddings-src tied-embeddings-all output-omit-bias
        """,
        "no more than a name": "version",
    },
    neglected={
        "input-types": ("a text is the only input", ["sequence"], ["sequence", "sequence"], []),
        "input-reorder": ("a text is the only input",),
        "input-join-fields": ("a text is the only input",),
    },
)
DECODER = Keys(
    obeyed="models vocabs beam-size normalize",
    harmless={
        "where it lies": "model model-mmap relative-paths config ignore-model-config",
        "how it is computed and handed over, not what": """
            mini-batch mini-batch-words maxi-batch maxi-batch-sort workspace devices num-devices cpu-threads threads
            fp16 precision optimize gemm-type quantize-range seed log log-level log-time-zone quiet quiet-translation
            stat-freq data-threads port input output tsv tsv-fields n-best n-best-feature alignment word-scores
            skip-cost cost-scaling authors cite build-info clip-norm version throw-on-divergence custom-fallbacks
        """,
        "of training alone": "valid-sets dim-vocabs",
        "a shortlist leaves out what is hardly probable; ours weighs all pieces": "shortlist output-approx-knn",
    },
    neglected={
        "word-penalty": ("a piece costs nothing more than its probability", 0),
        "max-length-factor": ("a translation may have 50 pieces more than its source", 3),
        "max-length": ("a source is read as far as the model can",),
        "max-length-crop": ("long sources are not cut",),
        "allow-unk": ("unknown pieces are searched like others", True),
        "allow-special": ("special pieces are searched as ours are",),
        "output-sampling": ("ours looks for the best translation, by default",),
        "force-decode": ("give the translation's beginning where it is wanted",),
        "no-spm-encode": ("with SentencePiece, texts are cut by it, unless they are given as pieces",),
        "no-spm-decode": ("with SentencePiece, translations are joined by it",),
        "weights": ("one model is read",),
        "encryption-key-path": ("the file is read as it is",),
        "all-caps-every": ("texts are taken as they are", 0),
        "english-title-case-every": ("texts are taken as they are", 0),
    },
)
