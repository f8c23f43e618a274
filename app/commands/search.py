"""`headscope search`: how one sentence's translation is found, step by step."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.app.commands.console import write_json
from headscope.app.commands.options import (
    AsJson,
    Checkpoint,
    Device,
    LengthPenaltyAlpha,
    LengthPenaltyKind,
    search_settings,
)
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.model.search.settings import Sampling


def search(
    checkpoint: Checkpoint,
    source: Annotated[str, typer.Option(metavar="TEXT", help="The sentence that is translated.")],
    beam: Annotated[
        int | None,
        typer.Option(min=1, max=200, help="Hypotheses kept at each step; 1 is greedy. [4, or the checkpoint's own]"),
    ] = None,
    length_penalty: LengthPenaltyAlpha = None,
    length_penalty_kind: LengthPenaltyKind = None,
    max_length: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Pieces at most, end of sentence counted. [source + 50]")
    ] = None,
    n_best: Annotated[int, typer.Option("--n-best", "--nbest", min=1, metavar="K", help="Translations.")] = 1,
    alternatives: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Next pieces shown of each live hypothesis. [2 × beam, at most 32]"),
    ] = None,
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="How the translation begins.")] = "",
    force: Annotated[
        list[str] | None, typer.Option(metavar="PIECE", help="The piece that comes next; again for the one after it.")
    ] = None,
    forbid: Annotated[
        list[str] | None, typer.Option(metavar="PIECE", help="A piece that may not come next; may be repeated.")
    ] = None,
    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw N translations instead.")] = None,
    temperature: Annotated[float | None, typer.Option(help="Below 1 draws probable pieces more often.")] = None,
    top_k: Annotated[int | None, typer.Option(metavar="K", help="Draw from the K most probable pieces.")] = None,
    top_p: Annotated[
        float | None, typer.Option(metavar="P", help="Draw from the fewest pieces of probability P.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Another number draws other translations.")] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Look for the most probable translation and prove it.")
    ] = False,
    budget: Annotated[int, typer.Option(min=1, metavar="N", help="Hypotheses that --exact may extend.")] = 10_000,
    mbr: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Choose the most typical of N samples as well.")
    ] = None,
    utility: Annotated[Literal["chrf", "bleu"], typer.Option(help="What makes samples alike for --mbr.")] = "chrf",
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every candidate as a row.")] = None,
    svg: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tree of the search.")] = None,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Show how the translation of a sentence is found: every step, every candidate, and what became of it.

    PIECE is spelt as in the vocabulary, with or without its ▁, or is an id. Forced pieces keep their own probability,
    so that what is found can be compared with the free search, which is shown beside it. --temperature, --top-k,
    --top-p and --seed are for --sample and --mbr.
    """
    for file in (csv, svg):
        if file is not None and not file.parent.is_dir():
            raise HeadscopeError(f"there is no folder {file.parent} for {file.name}: make it first")
    sampling = _sampling(sample or mbr, temperature, top_k, top_p, seed)
    settings = search_settings(checkpoint, beam, length_penalty, n_best, kind=length_penalty_kind)
    if max_length is not None:
        settings = settings.within(max_length)

    from headscope.analysis.search.comparison import compare_searches
    from headscope.analysis.search.exact import exact_search
    from headscope.analysis.search.mbr import mbr as choose
    from headscope.analysis.search.searching import search_record
    from headscope.app.commands.search_display import show
    from headscope.app.export import search as export
    from headscope.app.export.search_figure import svg as draw
    from headscope.model.files import replace_file
    from headscope.model.search.exact import Budget
    from headscope.model.search.spelling import in_words
    from headscope.model.translator import load_translator

    translator = load_translator(checkpoint, device)
    constraints = in_words(translator.vocabulary, prefix=prefix, force=force or (), forbid=forbid or ())
    drawing = replace(sampling, count=sample) if sampling and sample else None
    record = search_record(
        translator,
        source,
        settings=settings,
        sampling=drawing,
        constraints=constraints,
        alternatives=alternatives,
    )
    content = export.as_object(record)
    if drawing is None and (prefix or force or forbid):
        free = search_record(translator, source, settings=settings)
        content["free"] = export.comparison_object(free, compare_searches(free.trace, record.trace))
    if exact:
        found = exact_search(translator, source, settings=settings, budget=Budget(nodes=budget))
        content["exact"] = export.exact_object(found)
    if sampling and mbr:
        chosen = choose(translator, source, sampling=replace(sampling, count=mbr), utility=utility, settings=settings)
        content["mbr"] = export.mbr_object(chosen)
    for file, made in ((csv, export.csv), (svg, draw)):
        if file is not None:
            replace_file(file, lambda fresh, made=made: fresh.write_bytes(made(record)))
    if as_json:
        write_json(content)
    else:
        show(content)


def _sampling(
    count: int | None, temperature: float | None, top_k: int | None, top_p: float | None, seed: int | None
) -> "Sampling | None":
    """How to draw, from the options; None: nothing is drawn.

    Raises:
        HeadscopeError: an option is out of range, or there is nothing to draw.
    """
    from headscope.model.search.settings import Sampling

    given = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    given = {name: value for name, value in given.items() if value is not None}
    if count is None:
        if given:
            name = next(iter(given)).replace("_", "-")
            raise HeadscopeError(f"--{name} is for drawing at random: give --sample N or --mbr N too")
        return None
    return Sampling(count=count, **given)  # pyright: ignore[reportArgumentType]
