"""The keys of `config.json`, `generation_config.json` and `tokenizer_config.json` of `transformers`."""

from headscope.model.interop.settings import Keys

MODEL = Keys(
    obeyed="""
        activation_dropout activation_function attention_dropout add_final_layer_norm bad_words_ids d_model
        decoder_attention_heads decoder_ffn_dim decoder_layers decoder_start_token_id decoder_vocab_size dropout
        encoder_attention_heads encoder_ffn_dim encoder_layers eos_token_id forced_bos_token_id forced_eos_token_id
        is_encoder_decoder length_penalty max_length max_new_tokens model_type normalize_before normalize_embedding
        num_beams pad_token_id renormalize_logits scale_embedding share_encoder_decoder_embeddings
        static_position_embeddings tie_word_embeddings vocab_size _name_or_path
    """,
    harmless={
        "of training alone": """
            classif_dropout classifier_dropout decoder_layerdrop encoder_layerdrop gradient_checkpointing init_std
            initializer_range use_bfloat16
        """,
        "of other tasks and other models": """
            bos_token_id sep_token_id finetuning_task id2label label2id num_labels problem_type task_specific_params
            is_decoder add_cross_attention cross_attention_hidden_size tf_legacy_loss
        """,
        "a second name for what other keys say, or no more than a name": """
            architectures auto_map num_hidden_layers tokenizer_class transformers_version _from_model_config
            _commit_hash add_bias_logits
        """,
        "how it is computed and handed over, not what": """
            cache_config cache_implementation chunk_size_feed_forward compile_config continuous_batching_config
            disable_compile dtype torch_dtype low_memory max_cache_len output_attentions output_hidden_states
            output_logits output_scores prefill_chunk_size return_dict return_dict_in_generate torchscript use_cache
            _attn_implementation attn_implementation
        """,
        "sinusoids have no end, and ours are as long as a text": "max_position_embeddings extra_pos_embeddings",
        "of drawing at random, which `do_sample` asks for": """
            temperature top_k top_p min_p top_h typical_p epsilon_cutoff eta_cutoff
        """,
        "of a second model that guesses ahead, which changes no translation": """
            assistant_confidence_threshold assistant_early_exit assistant_ensemble_weight assistant_lookbehind
            is_assistant max_matching_ngram_size num_assistant_tokens num_assistant_tokens_schedule
            prompt_lookup_num_tokens speculation_type target_lookbehind use_mtp
        """,
        "how many of its translations are given back": "num_return_sequences",
        "weights that are not finite are refused": "remove_invalid_values",
    },
    neglected={
        # False and "never" go on at least as long as ours has to; ours ends when nothing better can come.
        "early_stopping": ("ours searches on until nothing better can come", False, "never"),
        "min_length": ("translations may be shorter", 0, 1),
        "min_new_tokens": ("translations may be shorter", 0),
        "max_time": ("a search takes the time it needs",),
        "stop_strings": ("a translation goes on behind them",),
        "no_repeat_ngram_size": ("translations may repeat themselves", 0),
        "encoder_no_repeat_ngram_size": ("translations may repeat the source", 0),
        "repetition_penalty": ("what has been written costs nothing more", 1),
        "encoder_repetition_penalty": ("pieces of the source are not preferred", 1),
        "exponential_decay_length_penalty": ("long translations are not ended sooner",),
        "suppress_tokens": ("these pieces may be written",),
        "begin_suppress_tokens": ("a translation may begin with these pieces",),
        "sequence_bias": ("these pieces are neither preferred nor avoided",),
        "force_words_ids": ("these words need not be written",),
        "constraints": ("the search is free",),
        "forced_decoder_ids": ("a translation may begin otherwise",),
        "do_sample": ("ours looks for the best translation, by default",),
        "num_beam_groups": ("all hypotheses compete", 1),
        "diversity_penalty": ("hypotheses may be alike", 0),
        "penalty_alpha": ("ours looks for the most probable translation", 0),
        "guidance_scale": ("the model's own distribution is taken", 1),
        "dola_layers": ("the last layer alone is read",),
        "token_healing": ("texts are cut as they are",),
        "watermarking_config": ("translations bear no mark",),
        "prefix": ("nothing is put before a text: type it",),
        "pruned_heads": ("all heads of the file are read",),
        "tie_encoder_decoder": ("encoder and decoder have weights of their own",),
        "quantization_config": ("weights are read as the numbers in the file",),
    },
)
TOKENIZER = Keys(
    obeyed="source_lang target_lang source_spm target_spm separate_vocabs",
    harmless={
        "languages are named when the model is imported": "src_lang tgt_lang additional_special_tokens",
        "no more than a name": """
            name_or_path special_tokens_map_file tokenizer_class tokenizer_file auto_map processor_class backend
            is_local
        """,
        "the vocabulary and its special pieces are read from the table of pieces and the ids in config.json": """
            added_tokens_decoder bos_token cls_token eos_token mask_token pad_token sep_token unk_token vocab
            extra_special_tokens num_madeup_words language_codes
        """,
        "long texts are cut only where it is asked for, and batches are padded only inside": """
            model_max_length model_input_names padding_side truncation_side max_length
        """,
        "of an older reader of the same files": """
            legacy legacy_behaviour use_fast add_prefix_space split_special_tokens
        """,
    },
    neglected={
        "lowercase": ("give texts in lower case",),
        "do_lower_case": ("give texts in lower case",),
        "clean_up_tokenization_spaces": ("blanks before punctuation stay as they are",),
        "sp_model_kwargs": ("SentencePiece cuts with its own settings",),
        "normalize": ("give texts with the punctuation normalised",),
        "vocab_file": ("the usual files are read", "vocab.json", "sentencepiece.bpe.model"),
        "spm_file": ("the usual file is read", "sentencepiece.bpe.model"),
        "target_vocab_file": ("the usual file is read", "target_vocab.json"),
    },
)
