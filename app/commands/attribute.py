"""`headscope attribute`: which tokens made the model say each token of a translation."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from headscope.app.commands.console import progress_bar, say, write_json
from headscope.app.commands.groups import grouped
from headscope.app.commands.lines import line_groups
from headscope.app.commands.options import AsJson, Checkpoint, Device, Pieces, load
from headscope.model.errors import HeadscopeError

if TYPE_CHECKING:
    from headscope.analysis.attribution.attribution import Attribution
    from headscope.model.translator import Translator

METHOD = "integrated gradients"
EXPLAIN = "log-probability"


@dataclass(frozen=True, slots=True, kw_only=True)
class HowOptions:
    """What is attributed, and how."""

    method: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help=f"Such as saliency or occlusion; may be repeated. [{METHOD}]"),
    ] = None
    explain: Annotated[
        str, typer.Option(metavar="NAME", help="Such as logit, entropy or contrast: what is put down to tokens.")
    ] = EXPLAIN
    against: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What a contrast is drawn with: a piece [the second-best] or a translation."),
    ] = None
    against_checkpoint: Annotated[
        str | None, typer.Option(metavar="NAME|DIR", help="The checkpoint that a checkpoint difference subtracts.")
    ] = None
    baseline: Annotated[
        Literal["zero", "unknown", "mean"],
        typer.Option(help="What tokens are compared with: nothing, the unknown piece, or the mean embedding."),
    ] = "zero"
    steps: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Passes of an integral. [until sums are right to 1 %]")
    ] = None
    seed: Annotated[int, typer.Option(help="Of what is drawn at random.")] = 0
    words: Annotated[bool, typer.Option("--words", help="Join pieces to words.")] = False


@dataclass(frozen=True, slots=True)
class _Asked:
    line: int
    source: str
    target: str | None
    problem: str = ""


@grouped
def attribute(
    checkpoint: Checkpoint,
    *,
    source: Annotated[str | None, typer.Option(metavar="TEXT", help="The sentence that is read.")] = None,
    target: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Its translation; without one, the best that is found.")
    ] = None,
    jsonl: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, metavar="FILE", help='Or many: objects with "source" and, if given, "target".'
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write JSON lines there; what is there already is not computed again."),
    ] = None,
    how: HowOptions,
    pieces: Pieces = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Say which source tokens, and which of its own before it, made the model say each token of a translation.

    A line a token: its value, the share of the source in all attributions, and the tokens with the largest; the name
    of one that is not source ends in (read). With --json, one object a sentence and method, with all numbers. Methods
    that sum to a value say on standard error where they miss it by more than 5 %. Interrupted work goes on where it
    was when the same command is given again with the same --out.
    """
    asked = [*_asked(source, target, jsonl)]
    methods = how.method or [METHOD]
    if out is not None and not out.parent.is_dir():
        raise HeadscopeError(f"there is no folder {out.parent} for {out.name}: make it first")

    from headscope.analysis.attribution.registry import EXPLAINABLE, METHODS

    for kind, name, known in (*(("method", name, METHODS) for name in methods), ("value", how.explain, EXPLAINABLE)):
        if name not in known:
            raise HeadscopeError(f"there is no {kind} '{name}': choose {', '.join(known)}")
    run = _settings(checkpoint, how, pieces)
    done = _done(out, run) if out else set()
    wanted = [(one, method) for one in asked for method in methods]
    left = [(one, method) for one, method in wanted if (one.line, one.source, one.target, method) not in done]
    if out and len(left) < len(wanted):
        say(f"{len(wanted) - len(left):,} of {len(wanted):,} were in {out.name} already")
    if not left:
        return
    translator = load(checkpoint, device, pieces=pieces)
    other = load(how.against_checkpoint, device, pieces=pieces) if how.against_checkpoint else None
    with progress_bar("attributions") as progress:
        for count, (one, method) in enumerate(left):
            progress.update(count, len(left))
            _write(translator, other, one, method, how=how, run=run, out=out, as_json=as_json)
        progress.update(len(left), len(left))


def _write(
    translator: "Translator",
    other: "Translator | None",
    one: _Asked,
    method: str,
    *,
    how: HowOptions,
    run: Mapping[str, Any],
    out: Path | None,
    as_json: bool,
) -> None:
    """One attribution, to where it is wanted. Of many, one that cannot be made is said to be so."""
    from headscope.analysis.attribution.registry import METHODS
    from headscope.app.export.attribution import attribution_lines, attribution_object, incomplete

    many = one.line > 0
    begun = {"line": one.line} if many else {}
    try:
        if one.problem:
            raise HeadscopeError(one.problem)
        found = _found(translator, other, one, method, how)
    except HeadscopeError as error:
        if not many:
            raise
        say(f"line {one.line}: {error}")
        content = {**begun, "method": method, "problem": str(error)}
    else:
        reduction = "sum" if METHODS[method].signed else "norm"
        content = {**begun, "texts": [found.source.text, found.predicts.text], **attribution_object(found, reduction)}
        if warning := incomplete(found):
            say(f"warning: {f'line {one.line}: ' if many else ''}{warning}")
        if out is None and not as_json:
            _show(one, found, [*attribution_lines(found, reduction)])
    if out is not None:
        with out.open("a", encoding="utf-8") as stream:
            stream.write(
                json.dumps({"run": run, "asked": [one.source, one.target], **content}, ensure_ascii=False) + "\n"
            )
    elif as_json:
        write_json(content)


def _found(
    translator: "Translator", other: "Translator | None", one: _Asked, method: str, how: HowOptions
) -> "Attribution":
    from headscope.analysis.attribution.attribute import attribute as attributed
    from headscope.analysis.attribution.registry import explained
    from headscope.analysis.capture.pairs import sentence_pair

    pair = sentence_pair(translator, one.source, one.target)
    value = explained(translator, pair, how.explain, text=how.against, other=other)
    found = attributed(translator, pair, method, explained=value, base=how.baseline, steps=how.steps, seed=how.seed)
    return found.words() if how.words else found


def _show(one: _Asked, found: "Attribution", lines: list[str]) -> None:
    settings = found.settings
    said = [f"{settings.method} of {settings.explained}"]
    if settings.baseline:
        said.append(f"baseline {settings.baseline}")
    if settings.steps:
        said.append(f"{settings.steps} steps at most")
    if found.error is not None:
        said.append(f"completeness error {found.error.max(initial=0.0):.1%} at most")
    print(f"{f'line {one.line}, ' if one.line else ''}{', '.join(said)}", *lines, sep="\n", flush=True)


def _asked(source: str | None, target: str | None, jsonl: Path | None) -> Iterator[_Asked]:
    if (source is None) == (jsonl is None) or (target is not None and source is None):
        raise HeadscopeError("give a sentence as --source, with or without --target, or a file of them as --jsonl")
    if source is not None:
        yield _Asked(0, source, target)
    if jsonl is not None:
        for group in line_groups(jsonl):
            for line in group:
                yield _read(line.number, line.text, line.problem or "")


def _read(number: int, text: str, problem: str) -> _Asked:
    """A line of the file; it says so where it is none."""
    try:
        content = json.loads(text) if not problem else {}
        source, target = content.get("source"), content.get("target")
    except (ValueError, AttributeError, RecursionError):
        source = target = None
    if not problem and not (isinstance(source, str) and isinstance(target, (str, type(None)))):
        problem = 'no object with the string "source" and, if there is a translation, the string "target"'
    return _Asked(number, "" if problem else str(source), None if problem else target, problem)


def _settings(checkpoint: str, how: HowOptions, pieces: bool) -> dict[str, Any]:
    """What two runs have in common whose results may stand in one file."""
    names = ("explain", "against", "against_checkpoint", "baseline", "steps", "seed", "words")
    return {"checkpoint": checkpoint, "pieces": pieces} | {name: getattr(how, name) for name in names}


def _done(out: Path, run: Mapping[str, Any]) -> set[tuple[Any, ...]]:
    """What stands in a file of results: line, source, target and method. A last line not written whole is taken away.

    Raises:
        HeadscopeError: the file holds something else, or what another run has found.
    """
    if not out.exists():
        return set()
    raw = out.read_bytes()
    whole = raw[: raw.rfind(b"\n") + 1]
    found = set()
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            content = json.loads(line)
            other, key = content["run"], (content.get("line", 0), *content["asked"], content["method"])
        except (ValueError, KeyError, TypeError):
            raise HeadscopeError(f"{out}, line {number} is no result of this command: give another file") from None
        if other != run:
            raise HeadscopeError(f"{out} holds results of other settings: give another file, or remove it")
        found.add(key)
    if len(whole) < len(raw):
        with out.open("r+b") as stream:
            stream.truncate(len(whole))
    return found
