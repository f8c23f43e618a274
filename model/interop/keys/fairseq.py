"""The keys of fairseq's checkpoints: the arguments of a training, flat or in groups.

Of a training's own arguments there are hundreds, and optimisers, schedules and criteria add theirs: those are known by
the words they begin with.
"""

import re
from collections.abc import Mapping
from typing import Any

from headscope.model.interop.settings import Keys

_TRAINING = re.compile(
    r"adam|adagrad|adafactor|lr(_|$)|warmup|ema_|store_ema|distributed_|ddp_|pipeline_|amp(_|$)|fp16|bf16|fp32|bmuf|"
    r"(save|keep|reset|restore|validate|valid|train|eval|log|wandb|tensorboard|azureml|aim|optim|tpu|plasma|slowmo|"
    r"block|fsdp|no_save|no_epoch|no_last|memory_efficient|threshold_loss|min_loss|min_lr|stop|clip|max_tokens|"
    r"max_sentences|max_epoch|max_update|max_valid|batch|update_|required_|skip_|dataset_|data_|fixed_|disable_valid|"
    r"combine_valid|ignore_unused|checkpoint_|best_checkpoint|maximize_best|write_checkpoints|fast_stat|find_unused|"
    r"broadcast|heartbeat|bucket|gradient_as|fix_batches|localsgd|nprocs|zero_shard|cpu_offload|use_sharded|not_fsdp|"
    r"no_reshard|on_cpu|empty_cache|all_gather|model_parallel|quant_noise|suppress_crashes|weight_decay|momentum|"
    r"label_smoothing|ignore_prefix|report_accuracy|sentence_avg|end_learning|total_num_update|force_anneal|decay_|"
    r"finetune|continue_once|load_checkpoint|num_workers|num_shards|num_batch|shard_id|grouped_shuffling|curriculum|"
    r"debug_param|use_old_adam|global_sync|average_sync|use_nbm|device_id|user_dir|profile|patience|seed|upsample)"
)
_GROUPS = """
    common common_eval distributed_training dataset optimization checkpoint bmuf eval_lm interactive criterion optimizer
    lr_scheduler scoring ema simul_type
"""
"""Of `cfg`, where no key is read."""

MODEL = Keys(
    obeyed="""
        source_lang target_lang activation_dropout activation_fn attention_dropout relu_dropout dropout adaptive_input
        adaptive_softmax_cutoff char_inputs cross_self_attention no_cross_attention no_decoder_final_norm
        layernorm_embedding merge_src_tgt_embed no_scale_embedding no_token_positional_embeddings
        share_all_embeddings share_decoder_input_output_embed encoder_attention_heads encoder_embed_dim
        encoder_ffn_embed_dim encoder_layers encoder_learned_pos encoder_normalize_before decoder_attention_heads
        decoder_embed_dim decoder_ffn_embed_dim decoder_input_dim decoder_layers decoder_learned_pos
        decoder_normalize_before decoder_output_dim bpe sentencepiece_model
        encoder_layers_to_keep decoder_layers_to_keep tokenizer base_layers
    """,
    harmless={
        "of training alone": """
            checkpoint_activations offload_activations encoder_layerdrop decoder_layerdrop encoder_embed_path
            decoder_embed_path encoder_xformers_att_config decoder_xformers_att_config min_params_to_wrap quant_noise
            base_sublayers base_shuffle export adaptive_softmax_dropout adaptive_softmax_factor tie_adaptive_weights
            tie_adaptive_proj cpu no_progress_bar simul_type use_bmuf sentencepiece_enable_sampling sentencepiece_alpha
            sampling_alpha load_alignments encoder decoder
        """,
        "no more than a name, or where it lay": "_name arch task data criterion optimizer scoring path raw_text "
        "lazy_load results_path gen_subset",
        "padding on either side is hidden, and ours is on the right": "left_pad_source left_pad_target",
        "ours are as long as a text; learned ones as their table": "max_source_positions max_target_positions",
    },
    neglected={
        "truncate_source": ("long sources are not cut",),
        "bpe_codes": ("give texts cut by it, as pieces with blanks between them",),
        "bpe_separator": ("give texts with this mark", "@@"),
        "source_lang_with_nt": ("give texts as the model wants them",),
        "prepend_bos": ("nothing is put before a source",),
        "prepend_bos_src": ("nothing is put before a source",),
        "source_lang_tag": ("give the tag with the text",),
        "moses_no_dash_splits": ("give texts as its tokens",),
        "moses_no_escape": ("give texts as its tokens",),
        "moses_source_lang": ("give texts as its tokens",),
        "moses_target_lang": ("give texts as its tokens",),
        "alignment_heads": ("all heads are shown, none answers for alignment alone",),
        "alignment_layer": ("all heads are shown, none answers for alignment alone",),
        "full_context_alignment": ("no head sees ahead",),
    },
)
GENERATION = Keys(
    obeyed="beam lenpen unnormalized max_len_a max_len_b",
    harmless={
        "how it is computed and handed over, not what": """
            _name nbest no_beamable_mm sacrebleu score_reference print_alignment print_step decoding_format
            no_seed_provided quiet retain_iter_history post_process remove_bpe replace_unk eos_token no_early_stop
            beam_mt max_len_a_mt max_len_b_mt lenpen_mt
        """,
        "of drawing at random, which `sampling` asks for": "sampling_topk sampling_topp temperature",
        "of models that write everything at once": """
            iter_decode_eos_penalty iter_decode_max_iter iter_decode_force_max_iter iter_decode_with_beam
            iter_decode_with_external_reranker
        """,
        "of a language model beside it, or of groups of hypotheses": "lm_weight diverse_beam_strength",
    },
    neglected={
        "min_len": ("translations may be shorter", 0, 1),
        "match_source_len": ("translations may be of another length than their source",),
        "unkpen": ("unknown pieces are searched like others", 0),
        "prefix_size": ("give the translation's beginning where it is wanted", 0),
        "no_repeat_ngram_size": ("translations may repeat themselves", 0),
        "sampling": ("ours looks for the best translation, by default",),
        "constraints": ("the search is free",),
        "diverse_beam_groups": ("all hypotheses compete", -1, 0, 1),
        "diversity_rate": ("hypotheses may be alike", -1, 0),
        "lm_path": ("the model is asked alone",),
        "retain_dropout": ("nothing is dropped out",),
        "retain_dropout_modules": ("nothing is dropped out",),
    },
)
GROUPS = Keys(obeyed="task model generation bpe tokenizer", harmless={"of the training": f"_name {_GROUPS}"})


def of_the_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without those of the training."""
    return {key: value for key, value in values.items() if key in MODEL.known or not _TRAINING.match(key)}
