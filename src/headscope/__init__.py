"""Headscope from Python: `import headscope`.

    translator = headscope.load("NAME or folder")
    translation = headscope.translate(translator, ["A sentence.", "Another one."])[0]
    maps = headscope.attention_maps(translator, "A sentence.")

Most results have `.to_pandas()`, and show themselves in a notebook.

Attention, one sentence: `attention_maps` gives the record of all maps; `words`, `hide_special` and `renormalised` make
another record of it, `head_measures` and `rollout` numbers. `matrix_figure`, `lines_figure` and `wall_figure` are
pictures of it for print, as `what_if_figure` is of two records and `tree_figure` of a `search_record`.

Why the model said this: `attribute` by any method, of anything that `explained` makes; `attention_by_head`.
`source_share` is how much of each prediction comes from the source. How far that can be trusted: `faithfulness` and
`agreement` on a sentence, `rank_methods` over a corpus, `alignment_errors` against what `read_gold` reads.

What a sentence pair does to the model: `sentence_pair` is what `alti`, `head_contributions`, `layer_contributions`,
`logit_lens`, `query_key`, `removal_importance`, `gradient_importance`, `effect` and `contexts` take.

Heads removed: `what_if` and `effect` take a probe, `Zeroed`, `MeanReplaced` (see `mean_contexts`), `Resampled` (see
`contexts`) or `UniformAttention`.

Positions changed: the same two take `Positionless`, `Shifted`, `Shuffled`, `Interpolated`, `Swapped`, and `exchanged`,
`moved` or `repeated` for single tokens.

Several models: `load_side` of `read_side("NAME@STEP:without=cross.3.1")` is a checkpoint, an update of a run, or either
with a change, and `changed` puts any probe in force; `compared_translations`, `compared_head`, `layer_cka` and
`compared_corpus` set them side by side, and records `meet` at words, for `head_difference`.

What a translation invents or leaves out: `passage_support` of a sentence pair, `passage_trial` of how well it tells.

Two runs: `patching` puts single activations of one source, or prefix, into another; `traced_pairs` are examples of it.

Over a corpus: `head_profile`, and `roles` of a profile; `position_study`, and `compared_checkpoints` for two models;
`faithfulness_study` of methods of attribution. What lies in a checkpoint's folder, `translator.card.path`:
`load_profile`, `load_position_study` and `load_faithfulness_study` take the folder, `load_history` its `history.npz`,
and `load_gallery` takes `translator.card`.

How heads came to be: `roles_taken` and `watched_maps` of a history; `run_history` and `head_so_far` of a run, which may
go on.

Ablations: `run_ablation` trains the `ablation_jobs` of a grid on what `load_prepared` reads, with an `AblationBudget`;
`ablation_summary` says what `load_ablations` finds.

The names stand in `__init__.pyi`, beside this file: editors read it, and so does the code below, which imports what is
named there when it is first used.
"""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_places())
    if name not in _places():
        raise AttributeError(f"module 'headscope' has no attribute '{name}'")
    module, attribute = _places()[name]
    value = attrgetter(attribute)(import_module(module))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*sorted(_places()), "__version__"]


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Every public name: the module it lives in, and its name there."""
    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return dict(_named(ast.parse(stub).body))


def _named(stub: list[ast.stmt]) -> Iterator[tuple[str, tuple[str, str]]]:
    imported: dict[str, str] = {}
    for line in stub:
        if isinstance(line, ast.ImportFrom) and line.module:
            for name in line.names:
                imported[name.name] = line.module
                if name.asname:
                    yield name.asname, (line.module, name.name)
        elif isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
            attribute = ast.unparse(line.value)
            yield line.targets[0].id, (imported[attribute.split(".")[0]], attribute)
