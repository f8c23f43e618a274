"""A task that is learned in seconds, and recipes for it."""

import random
from pathlib import Path
from typing import Any

from headscope.model.data.prepared import PreparedData, load_prepared

CHANCE = random.Random(5)
WORDS = tuple(dict.fromkeys("".join(CHANCE.choices("abcdefghijklmno", k=2)) for _ in range(60)))[:30]


def write_copying(folder: Path, *, train: int, dev: int, longest: int) -> PreparedData:
    """Sentences of 1 to `longest` words, none of them twice; the translation is the same words."""
    folder.mkdir(parents=True)
    chance = random.Random(7)
    for part, count in (("train", train), ("dev", dev)):
        rows = [chance.sample(WORDS, chance.randint(1, longest)) for _ in range(count)]
        text = "".join(" ".join(row) + "\n" for row in rows)
        for side in ("source", "target"):
            (folder / f"{part}.{side}").write_text(text, "utf-8")
    return load_prepared(folder)


def toy_fields(**changes: Any) -> dict[str, Any]:
    """A recipe for a model of one layer a side, with everything on that may go wrong when a run goes on."""
    stack = {"layers": 1, "heads": 2, "feed_forward": 16}
    model = {"preset": "tiny", "d_model": 16, "encoder": stack, "decoder": stack}
    model |= {"dropout": 0.1, "attention_dropout": 0.1, "activation_dropout": 0.1}
    return {
        "model": model,
        "vocabulary": 300,
        "batch_tokens": 120,
        "steps": 6,
        "schedule": {"kind": "noam", "warmup": 20},
        "log_every": 1,
        "validate_every": 2,
        "dev_lines": 0,
        "snapshots": 3,
        "average_last": 2,
        "clip": 1.0,
        "threads": 1,
    } | changes
