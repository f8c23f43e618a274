"""Several JavaScript modules as one script, for a file that has nothing beside it to import from."""

import posixpath
import re
from importlib.resources import files

_IMPORT = re.compile(r'^import (?:(?P<default>\w+)|\{ (?P<names>.+) \}) from "(?P<path>[\w./]+)"\n', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (?P<default>default )?(?P<code>(?:async )?(?:function|const) (?P<name>\w+))", re.MULTILINE
)


def bundle(entry: str) -> str:
    """A module and everything it imports. Each keeps its names to itself and stands before those that import it.

    Args:
        entry: its path below the folder `app`, with slashes.
    """
    found: dict[str, str] = {}

    def add(path: str) -> str:
        """The name that holds what a module exports, once it is there."""
        if path not in found:
            source = (files("headscope.app") / path).read_text(encoding="utf-8")
            beside = posixpath.dirname(path)
            source = _IMPORT.sub(lambda line: _bind(line, add(_normal(beside, line["path"]))), source)
            exported = [f"default: {e['name']}" if e["default"] else e["name"] for e in _EXPORT.finditer(source)]
            found[path] = _EXPORT.sub(r"\g<code>", source) + f"return {{ {', '.join(exported)} }}"
        return re.sub(r"\W", "_", path)

    add(entry)
    return "\n".join(f"const {add(path)} = (() => {{\n{code}\n}})()" for path, code in found.items())


def _normal(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))


def _bind(line: re.Match[str], module: str) -> str:
    """An import as a declaration."""
    if line["default"]:
        return f"const {line['default']} = {module}.default\n"
    return f"const {{ {line['names'].replace(' as ', ': ')} }} = {module}\n"
