"""Grids of ablations on one GPU: many `tiny` trainings side by side, of which only the results are kept.

A `tiny` training leaves most of a GPU idle, so several share it; each also wants a core. Results lie in OUT/results as
small JSON files, and grids that end early go on where OUT was kept. For a machine that is lent for a while: KEEP is a
folder that comes back from it, and gets OUT's results whenever a grid has ended or time is up.

    python scripts/ablate_on_gpu.py DATA OUT --keep KEEP --minutes 9 --grid heads --grid attention

Tried on a CPU: `--device cpu --updates 20 --seeds 1 --at-once 2`.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

CLOSING = 45
"""Seconds that trainings get to save their state."""


def main() -> int:
    """Work the grids off, one after the other; 0: all are done."""
    options = _options()
    until = time.monotonic() + 60 * options.minutes
    code = 0
    for grid in options.grid:
        code = max(code, _grid(grid, options, until))
        if options.keep:
            shutil.copytree(options.out / "results", options.keep / "results", dirs_exist_ok=True)
            for table in options.out.glob("*.csv"):
                shutil.copy2(table, options.keep)
    return code


def _grid(grid: str, options: argparse.Namespace, until: float) -> int:
    words = [sys.executable, "-m", "headscope", "ablate", "--grid", grid, "--data", str(options.data)]
    words += ["--out", str(options.out), "--recipe", options.recipe, "--updates", str(options.updates)]
    words += ["--seeds", str(options.seeds), "--jobs-side-by-side", str(options.at_once), "--device", options.device]
    words += [word for change in options.set for word in ("--set", change)]
    began = time.monotonic()
    process = subprocess.Popen(words)
    try:
        code = process.wait(max(until - began, 0))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(CLOSING)
        except subprocess.TimeoutExpired:
            process.kill()
            code = 1
    print(f"{grid}: exit code {code} after {time.monotonic() - began:.0f} s", flush=True)
    return code


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--keep", type=Path, help="folder that gets the results alone")
    parser.add_argument("--grid", action="append", required=True)
    parser.add_argument("--recipe", default="tiny")
    parser.add_argument("--set", action="append", default=[], help="a value of all rows, as KEY=VALUE")
    parser.add_argument("--updates", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--at-once", type=int, default=max((os.cpu_count() or 2) - 2, 1))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--minutes", type=float, default=60.0, help="then trainings save their state and end")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
