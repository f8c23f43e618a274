"""Models by the name they have on the Hugging Face hub."""

import importlib
import re
from pathlib import Path

from headscope.model.errors import HeadscopeError

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
TEXT = ("*.json", "*.spm", "*.model", "*.txt", "README.md")
WEIGHTS = (("model.safetensors", "model.bin"), ("pytorch_model.bin",))
"""In the order in which they are asked for: the second only where there is none of the first."""


def locate(name: str) -> Path:
    """The folder of that name, or that of a model on the hub (`OWNER/MODEL`), fetched where it is not there yet.

    Raises:
        HeadscopeError: there is no such folder or model, or the hub cannot be reached.
    """
    if Path(name).is_dir():
        return Path(name)
    if not _NAME.fullmatch(name):
        raise HeadscopeError(f"there is no folder {name}, and no model on the Hugging Face hub has such a name")
    try:
        hub = importlib.import_module("huggingface_hub")
    except ImportError as error:
        raise HeadscopeError(
            f"there is no folder {name}; to fetch it from the Hugging Face hub: pip install 'headscope[import]'"
        ) from error
    try:
        for weights in WEIGHTS:
            folder = Path(hub.snapshot_download(name, allow_patterns=[*TEXT, *weights]))
            if any((folder / file).exists() for file in weights):
                return folder
    except (hub.errors.HfHubHTTPError, hub.errors.HFValidationError, OSError) as error:
        raise HeadscopeError(
            f"there is no folder {name}, and the Hugging Face hub does not give it ({type(error).__name__}): "
            "fetch its files elsewhere and give their folder"
        ) from error
    raise HeadscopeError(f"{name} on the Hugging Face hub has no weights in one file: it cannot be imported")
