"""The JavaScript, CSS and HTML of components, read from the files beside this one.

Streamlit takes a component's script as one text. Ours are several files, so that parts are shared and tested alone.
"""

import re
from importlib.resources import files

_IMPORT = re.compile(r'^import .* from "\./(?P<name>[\w.]+)"\n', re.MULTILINE)


def text(name: str) -> str:
    """One file."""
    return (files("headscope.app.components") / name).read_text(encoding="utf-8")


def script(name: str) -> str:
    """A module and everything it imports, as one module; each file stands before those that import it."""
    order: dict[str, str] = {}

    def add(module: str) -> None:
        if module not in order:
            source = text(module)
            for found in _IMPORT.finditer(source):
                add(found["name"])
            order[module] = _IMPORT.sub("", source)

    add(name)
    return "\n".join(order.values())
