"""`headscope compare`: two to four models side by side, on one sentence and over a corpus."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headscope.app.commands.console import progress_bar, write_json
from headscope.app.commands.groups import grouped
from headscope.app.commands.options import AsJson, Device, SearchOptions, SkipBadLines
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.comparison.cka import LayerCka
    from headscope.analysis.comparison.corpus import ComparedCorpus, Order
    from headscope.analysis.comparison.heads import ComparedHead
    from headscope.analysis.comparison.translations import ComparedTranslations
    from headscope.model.data.parallel_text import Pair
    from headscope.model.search.settings import SearchSettings
    from headscope.model.translator import Translator


@grouped
def compare(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL MODEL [MODEL [MODEL]]",
            help="A checkpoint by name or folder, or a run's folder; @N behind it is its update N. Changes follow: "
            ":without=HEADS, :uniform=HEADS, :offset=N, :positionless, as in tiny@4000:without=cross.3.1,cross.3.2.",
        ),
    ],
    *,
    source: Annotated[str | None, typer.Option(metavar="TEXT", help="A sentence that all translate.")] = None,
    head: Annotated[
        str | None,
        typer.Option(metavar="KIND.LAYER.HEAD", help="A head of the first, looked for in the others, as cross.3.1."),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help="Sentences that all translate, one a line; or pairs: a file ending in .tsv, .jsonl or .tmx.",
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, metavar="FILE", help="Their translations by people, unless they are pairs."
        ),
    ] = None,
    layers: Annotated[
        bool, typer.Option("--layers", help="Compare layers over the corpus by centred kernel alignment.")
    ] = False,
    order: Annotated[
        Literal["outputs", "log_prob"],
        typer.Option(help="Sentences that differ most: by their translations, or by the reference's log-probability."),
    ] = "outputs",
    most: Annotated[int, typer.Option("--sentences", min=0, metavar="N", help="How many of these are shown.")] = 10,
    how: SearchOptions,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every sentence of the corpus as a row; or of --source.")
    ] = None,
    skip_bad_lines: SkipBadLines = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Compare two to four models: their translations, heads and layers, and where they differ over a corpus.

    Search options are for all models; without them each searches in its checkpoint's own way. Intervals and p are by
    bootstrap over distinct sources: another text of this kind, not another training.
    """
    from headscope.analysis.comparison.naming import MOST_SIDES, read_side
    from headscope.analysis.records.heads import read_head

    if not 2 <= len(models) <= MOST_SIDES:
        raise HeadscopeError(f"{len(models)} models: name two to {MOST_SIDES}")
    if source is None and corpus is None:
        raise HeadscopeError("there is nothing to compare on: give --source TEXT, --corpus FILE, or both")
    if head is not None and source is None:
        raise HeadscopeError("--head is for one sentence: give --source TEXT too")
    if layers and corpus is None:
        raise HeadscopeError("--layers is over a corpus: give --corpus FILE too")
    if csv is not None and not csv.parent.is_dir():
        raise HeadscopeError(f"there is no folder {csv.parent} for {csv.name}: make it first")
    wanted = None if head is None else read_head(head)
    sides = [read_side(model) for model in models]
    pairs = _pairs(corpus, reference, skip_bad_lines) if corpus else ()

    from headscope.analysis.comparison.cka import layer_cka
    from headscope.analysis.comparison.corpus import compared_corpus
    from headscope.analysis.comparison.heads import compared_head
    from headscope.analysis.comparison.sides import load_side
    from headscope.analysis.comparison.translations import compared_translations
    from headscope.app.export import comparison as export
    from headscope.model.files import replace_file

    translators = [load_side(side, device) for side in sides]
    settings = _settings(translators[0], how)
    content: dict[str, Any] = {"models": [translator.card.name for translator in translators]}
    table = None
    if source is not None:
        translated = compared_translations(translators, source, settings=settings)
        content["sentence"] = export.translations_object(translated)
        table = translated.to_pandas()
        if not as_json:
            _show_translations(translated)
        if wanted is not None:
            compared = compared_head(translators, source, wanted, settings=settings)
            content["head"] = export.head_object(compared)
            if not as_json:
                _show_head(compared)
    if pairs:
        with progress_bar("sentences") as progress:
            over = compared_corpus(translators, pairs, settings=settings, progress=progress)
        content["corpus"] = export.corpus_object(over, order, most)
        table = over.to_pandas()
        if not as_json:
            _show_corpus(over, order, most)
    if layers:
        content["layers"] = []
        for other in translators[1:]:
            with progress_bar("sentence pairs") as progress:
                found = layer_cka(translators[0], other, pairs, progress=progress)
            content["layers"].append(export.layers_object(found))
            if not as_json:
                _show_layers(found)
    if csv is not None and table is not None:
        text = table.to_csv(index=False)
        replace_file(csv, lambda fresh: fresh.write_text(text, "utf-8"))
    if as_json:
        write_json(content)


def _pairs(corpus: Path, reference: Path | None, skip_bad_lines: bool) -> "tuple[Pair, ...]":
    from headscope.model.data.parallel_text import read_parallel

    if reference is None and corpus.suffix not in (".tsv", ".jsonl", ".tmx", ".gz"):
        raise HeadscopeError(f"{corpus} has sources alone: give their translations with --reference FILE")
    return read_parallel(corpus, reference, skip_bad_lines=skip_bad_lines).pairs


def _settings(first: "Translator", how: SearchOptions) -> "SearchSettings | None":
    """One way to search for all, where any of it is given: else the first checkpoint's."""
    if how.beam is None and how.length_penalty is None and how.length_penalty_kind is None:
        return None
    return first.settings.override(beam=how.beam, alpha=how.length_penalty, kind=how.length_penalty_kind)


def _show_translations(found: "ComparedTranslations") -> None:
    print(f"source: {found.source}")
    for name, words, values, text in zip(found.names, found.words, found.log_probs, found.texts, strict=True):
        marks = [(word.span, word.differs) for word in words]
        print(f"{name}: {_marked(text, marks)}")
        print("  " + ", ".join(f"log p {value:.3f} by {by}" for by, value in zip(found.names, values, strict=True)))


def _marked(text: str, marks: list[tuple[tuple[int, int], bool]]) -> str:
    """The text with brackets around words that differ."""
    for (start, end), differs in reversed(marks):
        if differs:
            text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def _show_head(found: "ComparedHead") -> None:
    print(f"{found.head}, {'words' if found.in_words else 'pieces'} compared; divergence in nats")
    for each in found.partners:
        place = "no head there" if each.place is None else f"{each.place:.4f} at the same place"
        print(f"  {each.model}: {place}; nearest {each.nearest}, {each.divergence:.4f}")


def _show_corpus(found: "ComparedCorpus", order: "Order", most: int) -> None:
    for name, scores in zip(found.names, found.scores, strict=True):
        said = [
            f"{each.metric} {each.value:.2f} ± {each.interval:.2f}" + ("" if each.p is None else f" (p {each.p:.3f})")
            for each in scores
        ]
        print(f"{name}: {', '.join(said)}")
    print(
        f"{len(found.sentences):,} sentence pairs, {found.sources:,} distinct sources; {found.same:,} are translated "
        "alike by all"
    )
    for each in found.ranked(order)[:most]:
        print(f"\n{each.index + 1}: {each.source}\n  reference: {each.reference}")
        for name, text, value in zip(found.names, each.outputs, each.log_probs, strict=True):
            print(f"  {name}: {text}" + ("" if value is None else f"  (reference: log p {value:.2f})"))
        print(f"  chrF between them {each.likeness:.1f}, reference {each.spread:.2f} nats apart")


def _show_layers(found: "LayerCka") -> None:
    for stack in ("encoder", "decoder"):
        print(f"{stack}: debiased linear CKA, rows {found.names[0]}, columns {found.names[1]}, from the embedding on")
        for row in found.of(stack):
            print("  " + "  ".join(f"{value:6.3f}" for value in row))
    print(f"{found.tokens[0]:,} source and {found.tokens[1]:,} target {found.unit} of {found.sentences:,} pairs")
