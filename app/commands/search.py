"""`headscope search`: how one sentence's translation is found, step by step."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from headscope.app.commands.console import say, write_json
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import AsJson, Checkpoint, Device, FigureWidth, SearchOptions, WordOptions, load
from headscope.model.errors import HeadscopeError
from headscope.model.search.limits import LENGTHS

if TYPE_CHECKING:
    from headscope.model.search.settings import Sampling


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintOptions:
    """What the translation must and may not be."""

    prefix: Annotated[str, typer.Option(metavar="TEXT", help="How the translation begins.")] = ""
    force: Annotated[
        list[str] | None, typer.Option(metavar="PIECE", help="The piece that comes next; again for the one after it.")
    ] = None
    forbid: Annotated[
        list[str] | None, typer.Option(metavar="PIECE", help="A piece that may not come next; may be repeated.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingOptions:
    """What is drawn at random, and how."""

    sample: Annotated[int | None, typer.Option(min=1, metavar="N", help="Draw N translations instead.")] = None
    temperature: Annotated[float | None, typer.Option(help="Below 1 draws probable pieces more often.")] = None
    top_k: Annotated[int | None, typer.Option(metavar="K", help="Draw from the K most probable pieces.")] = None
    top_p: Annotated[float | None, typer.Option(metavar="P", help="Draw from the fewest pieces of probability P.")] = (
        None
    )
    seed: Annotated[int | None, typer.Option(help="Another number draws other translations.")] = None
    mbr: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Choose the most typical of N samples as well.")
    ] = None
    utility: Annotated[Literal["chrf", "bleu"], typer.Option(help="What makes samples alike for --mbr.")] = "chrf"

    def sampling(self, count: int | None) -> "Sampling | None":
        """How so many are drawn; None: none are.

        Raises:
            HeadscopeError: an option is out of range, or there is nothing to draw.
        """
        from headscope.model.search.settings import Sampling

        given = {name: getattr(self, name) for name in ("temperature", "top_k", "top_p", "seed")}
        given = {name: value for name, value in given.items() if value is not None}
        if given and self.sample is None and self.mbr is None:
            name = next(iter(given)).replace("_", "-")
            raise HeadscopeError(f"--{name} is for drawing at random: give --sample N or --mbr N too")
        return None if count is None else Sampling(count=count, **given)


@grouped
def search(
    checkpoint: Checkpoint,
    *,
    source: Annotated[str, typer.Option(metavar="TEXT", help="The sentence that is translated.")],
    how: SearchOptions,
    words: WordOptions,
    max_length: Annotated[
        int | None,
        typer.Option(
            min=LENGTHS[0],
            max=LENGTHS[1],
            metavar="N",
            help="Pieces at most, end of sentence counted. [source + 50]",
        ),
    ] = None,
    n_best: Annotated[int, typer.Option("--n-best", "--nbest", min=1, metavar="K", help="Translations.")] = 1,
    alternatives: Annotated[
        int | None,
        typer.Option(min=1, metavar="K", help="Next pieces shown of each live hypothesis. [2 × beam, at most 32]"),
    ] = None,
    told: ConstraintOptions,
    drawing: DrawingOptions,
    exact: Annotated[
        bool, typer.Option("--exact", help="Look for the most probable translation and prove it.")
    ] = False,
    budget: Annotated[int, typer.Option(min=1, metavar="N", help="Hypotheses that --exact may extend.")] = 10_000,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write every candidate as a row.")] = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", "--svg", metavar="FILE", help="Write the tree of the search: svg, png or pdf."),
    ] = None,
    width: FigureWidth = "column",
    kept: Annotated[bool, typer.Option("--kept", help="Leave what was pruned out of the figure.")] = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Show how the translation of a sentence is found: every step, every candidate, and what became of it.

    PIECE is spelt as in the vocabulary, with or without its ▁, or is an id. Forced pieces keep their own probability,
    so that what is found can be compared with the free search, which is shown beside it. --temperature, --top-k,
    --top-p and --seed are for --sample and --mbr; samples cannot be made to contain a word.
    """
    from headscope.app.export.files import ending_of
    from headscope.app.export.paper import FIGURES, Form

    form: Form = ending_of(figure, FIGURES) if figure else "svg"
    for file in (csv, figure):
        if file is not None and not file.parent.is_dir():
            raise HeadscopeError(f"there is no folder {file.parent} for {file.name}: make it first")
    sampling, typical = drawing.sampling(drawing.sample), drawing.sampling(drawing.mbr)
    settings = how.settings(checkpoint, n_best=n_best, longest=max_length, words=words)

    from headscope.analysis.measures.warnings import SAID
    from headscope.analysis.search.report import search_report
    from headscope.app.commands.search_display import show
    from headscope.app.commands.warned import Warned
    from headscope.app.export import search as export
    from headscope.app.export.tree_figure import tree_figure
    from headscope.model.files import replace_file
    from headscope.model.search.exact import Budget
    from headscope.model.search.settings import searched
    from headscope.model.search.spelling import in_words

    translator = load(checkpoint, device)
    report = search_report(
        translator,
        source,
        settings=settings,
        sampling=sampling,
        constraints=in_words(
            translator.vocabulary, prefix=told.prefix, force=told.force or (), forbid=told.forbid or ()
        ),
        alternatives=alternatives,
        budget=Budget(nodes=budget) if exact else None,
        typical=typical,
        utility=drawing.utility,
    )
    if csv:
        replace_file(csv, lambda fresh: fresh.write_bytes(export.csv(report.record)))
    if figure:
        drawn = tree_figure(report.record, pruned=not kept, form=form, width=width)
        replace_file(figure, lambda fresh: fresh.write_bytes(drawn))
    if as_json:
        write_json(export.report_object(report))
    else:
        show(export.report_object(report), searched(settings, sampling))
    warned = Warned("rank")
    for rank, kinds in enumerate(report.warnings, 1):
        warned.add(rank, kinds)
    warned.say()
    for kind in report.mbr.warnings if report.mbr else ():
        say(f"{SAID[kind]}: the most typical of the samples")
