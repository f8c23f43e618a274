"""The command `headscope`. Every command imports what is heavy when it runs, so that help and mistakes are quick."""

import io
import os
import sys
from collections.abc import Sequence
from errno import EACCES, EDQUOT, EIO, ENAMETOOLONG, ENOSPC, ENOTDIR, EPERM, EROFS
from typing import Annotated

import typer
from typer.main import get_command

from headscope import __version__
from headscope.app.commands.ablate import ablate
from headscope.app.commands.align import align
from headscope.app.commands.app import app
from headscope.app.commands.attend import attend
from headscope.app.commands.attribute import attribute
from headscope.app.commands.benchmark import benchmark
from headscope.app.commands.check import check
from headscope.app.commands.compare import compare
from headscope.app.commands.console import say
from headscope.app.commands.data import data
from headscope.app.commands.evaluate import evaluate
from headscope.app.commands.export import exports
from headscope.app.commands.faithfulness import faithfulness
from headscope.app.commands.gallery import gallery
from headscope.app.commands.history import history
from headscope.app.commands.import_ import imports
from headscope.app.commands.info import info
from headscope.app.commands.passages import passages
from headscope.app.commands.positions import positions
from headscope.app.commands.profile import profile
from headscope.app.commands.runs import runs
from headscope.app.commands.score import score
from headscope.app.commands.search import search
from headscope.app.commands.study import study
from headscope.app.commands.train import train
from headscope.app.commands.translate import translate
from headscope.model.errors import HeadscopeError
from headscope.model.progress import Cancelled

BAD_INPUT, INTERRUPTED, NOBODY_READS = 2, 130, 141
"""Exit codes; the last two are what shells report of a process that SIGINT or SIGPIPE has ended."""

THE_MACHINES = {EACCES, EPERM, EROFS, ENOSPC, EDQUOT, EIO, ENOTDIR, ENAMETOOLONG}
"""What the operating system refuses for reasons that the user can see to: rights, a full disk, an impossible path."""

cli = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
commands = (
    *(app, translate, search, score, attend, attribute, compare, evaluate, info, profile, history, gallery, study),
    *(faithfulness, align, data, check, train, ablate, benchmark),
)
for command in commands:
    cli.command()(command)
cli.add_typer(positions, name="positions")
cli.add_typer(passages, name="passages")
cli.add_typer(runs, name="runs")
cli.add_typer(imports, name="import")
cli.add_typer(exports, name="export")


@cli.callback(invoke_without_command=True)
def headscope(
    context: typer.Context, version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False
) -> None:
    """A workbench for looking inside a translation Transformer: every head, every beam, every position."""
    if version:
        print(f"headscope {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line and end the process with its exit code."""
    code = run(sys.argv[1:])
    distributed = sys.modules.get("torch.distributed")
    if distributed and distributed.is_initialized():
        # Threads that connect the processes of one training can abort a process that ends in the usual way.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code: 0, or 2 for what the user can put right (one line says how).

    Anything that is raised further is a fault of the program and keeps its traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    # Typer's own way of running a command turns errors into text of several lines; this is what it does besides.
    command = get_command(cli)
    try:
        _require_utf8(arguments)
        with command.make_context("headscope", list(arguments)) as context:
            command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as ended:
        return ended.exit_code
    except HeadscopeError as error:
        say(str(error))
        return BAD_INPUT
    except typer.TyperException as error:
        say(_usage(error))
        return BAD_INPUT
    except (Cancelled, KeyboardInterrupt):
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return NOBODY_READS
    except OSError as error:
        if error.errno not in THE_MACHINES:
            raise
        if error.filename is None:
            _discard_output()
        say(f"{error.filename or 'output'}: {error.strerror}")
        return BAD_INPUT
    return 0


def _require_utf8(arguments: Sequence[str]) -> None:
    """Refuse bytes that are no text, which Python lets through: no vocabulary, record or file could take them."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise HeadscopeError(f"'{argument}' is not UTF-8: write it in UTF-8, or rename what it names") from error


def _usage(error: typer.TyperException) -> str:
    """A wrong command line in one line: what is wrong, and where to look it up."""
    context = getattr(error, "ctx", None)
    return f"{error.format_message().rstrip('.')} (see {context.command_path if context else 'headscope'} --help)"


def _discard_output() -> None:
    """Let what is still to be written go nowhere, so that Python does not fail on it once more when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
