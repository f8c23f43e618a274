"""The keys of JoeyNMT's `config.yaml`, by the part they stand in."""

from headscope.model.interop.settings import Keys

TOP = Keys(
    obeyed="name data testing model",
    harmless={"of the training and of the place where it ran": """
        training joeynmt_version model_dir use_cuda fp16 random_seed task logger
    """},
)  # fmt: skip
DATA = Keys(
    obeyed="src trg special_symbols",
    harmless={"of the data it was trained on": """
        train dev test dataset_type dataset_cfg sample_train_subset sample_dev_subset random_train_subset
        random_dev_subset
    """},
)  # fmt: skip
SYMBOLS = Keys(
    obeyed="unk_token pad_token bos_token eos_token",
    harmless={"ids are the places in the vocabularies": "unk_id pad_id bos_id eos_id sep_id sep_token lang_tags"},
)
SIDE = Keys(
    obeyed="lang tokenizer_cfg tokenizer_type",
    harmless={
        "of the data it was trained on": "max_length min_length",
        "of making the vocabulary, which lies beside the checkpoint": "voc_limit voc_min_freq voc_file",
    },
    neglected={
        "lowercase": ("give texts in lower case",),
        "normalize": ("give texts with the punctuation normalised",),
        "level": ("give texts as its symbols, with blanks between them", "bpe", "word"),
    },
)
TOKENIZER = Keys(
    obeyed="model_file model_type",
    harmless={"of learning it": "num_merges dropout enable_sampling alpha nbest_size character_coverage separator"},
    neglected={
        "codes": ("give texts cut by it, as pieces with blanks between them",),
        "pretokenizer": ("give texts as its tokens", "none"),
        "lang_tags": ("give the tag with the text",),
        "aggressive_dash_splits": ("give texts as its tokens",),
    },
)
TESTING = Keys(
    obeyed="beam_size beam_alpha max_output_length",
    harmless={
        "how it is computed, scored and handed over, not what": """
            batch_size batch_type load_model n_best eval_metrics eval_metric sacrebleu sacrebleu_cfg return_prob
            return_attention bpe_type postprocess decoding_type
        """,
    },
    neglected={
        "min_output_length": ("translations may be shorter", -1, 0, 1),
        "generate_unk": ("unknown pieces are searched like others", True),
        "no_repeat_ngram_size": ("translations may repeat themselves", -1, 0, 1),
        "repetition_penalty": ("what has been written costs nothing more", -1, 0, 1),
    },
)
MODEL = Keys(
    obeyed="encoder decoder tied_embeddings tied_softmax",
    harmless={"where training began": """
        initializer init_gain init_weight bias_initializer bias_init_weight embed_initializer embed_init_gain
        embed_init_weight init_rnn_orthogonal lstm_forget_gate
    """},
)  # fmt: skip
STACK = Keys(
    obeyed="type num_layers num_heads hidden_size ff_size layer_norm activation alpha embeddings dropout",
    harmless={
        "of training alone": "freeze",
        "of its recurrent models": """
            rnn_type bidirectional attention init_hidden input_feeding hidden_dropout
        """,
    },
)
EMBEDDINGS = Keys(
    obeyed="embedding_dim scale",
    harmless={"of training alone": "dropout freeze load_pretrained"},
    neglected={"norm": ("embeddings are taken as they are",)},
)
