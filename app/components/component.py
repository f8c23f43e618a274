"""What a component is: files of its own beside its module, on one base. How it is drawn is for the view to know."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from headscope.app.components.bundle import asset, module

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Component(Generic[M]):
    """One component of the pages."""

    name: str
    """Also of its folder and of its files there."""
    message: type[M]
    """What it is sent."""
    styles: tuple[str, ...] = ()
    """Further stylesheets that it needs, of the base or of its own folder."""

    @property
    def html(self) -> str:
        """Its parts, before anything is sent."""
        return asset(f"components/{self.name}/{self.name}.html")

    @property
    def css(self) -> str:
        """The tokens that all share, and its own rules after them."""
        own = f"components/{self.name}/{self.name}.css"
        return "\n".join(map(asset, ("components/base/tokens.css", *self.styles, own)))

    @property
    def js(self) -> str:
        """Its script and everything that it imports, as one module."""
        return module(f"components/{self.name}/{self.name}.js")
