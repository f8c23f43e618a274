"""Groups of options: a frozen dataclass in the place of many parameters of a command."""

import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer reads it: every parameter that is a dataclass stands for its fields, each an option.

    The fields say what the options are, as parameters do; all groups of a command together use a name once.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint) and isinstance(hint, type)}
    flat: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            known = get_type_hints(groups[name], include_extras=True)
            flat += [_option(field.name, known[field.name], field.default) for field in fields(groups[name])]
        else:
            flat.append(_option(name, hints[name], parameter.default))

    @wraps(command)
    def run(**values: Any) -> None:
        built = {name: group(**{f.name: values.pop(f.name) for f in fields(group)}) for name, group in groups.items()}
        command(**values, **built)

    run.__signature__ = inspect.Signature(flat)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return run


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
