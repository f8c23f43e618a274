"""Several JavaScript modules as one text: Streamlit takes a component's script so, and an exported file has nothing
beside it to import from."""

import posixpath
import re
from importlib.resources import files

_IMPORT = re.compile(r'^import (?:(?P<default>\w+)|\{ (?P<names>.+) \}) from "(?P<path>[\w./]+)"\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?P<code>(?:async )?(?:function|const) (?P<name>\w+))", re.MULTILINE)
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)


def asset(path: str) -> str:
    """A file below the folder `app`, by its path there, with slashes."""
    return (files("headscope.app") / path).read_text(encoding="utf-8")


def script(entry: str) -> str:
    """A module, by its path below the folder `app`, and everything it imports, as a script.

    Each module keeps its names to itself and stands before those that import it.
    """
    found: dict[str, str] = {}

    def add(path: str) -> None:
        if path not in found:
            beside, source = posixpath.dirname(path), asset(path)

            def bind(line: re.Match[str]) -> str:
                """An import as a declaration."""
                wanted = posixpath.normpath(posixpath.join(beside, line["path"]))
                add(wanted)
                if line["default"]:
                    return f"const {line['default']} = {_name(wanted)}.standard\n"
                return f"const {{ {line['names'].replace(' as ', ': ')} }} = {_name(wanted)}\n"

            code, standard = _DEFAULT.subn("const standard = ", _IMPORT.sub(bind, source))
            exported = ["standard"] * standard + [each["name"] for each in _EXPORT.finditer(code)]
            found[path] = _EXPORT.sub(r"\g<code>", code) + f"return {{ {', '.join(exported)} }}"

    add(entry)
    return "\n".join(f"const {_name(path)} = (() => {{\n{code}\n}})()" for path, code in found.items())


def module(entry: str) -> str:
    """The same as a module that exports what the entry exports by default."""
    return f"{script(entry)}\nexport default {_name(entry)}.standard\n"


def _name(path: str) -> str:
    """The name that holds what a module exports."""
    return re.sub(r"\W", "_", path)
