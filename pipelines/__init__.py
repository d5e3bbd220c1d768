"""Experiments on games: everything that needs many of them. Knows no screen.

`from pipelines import Library` is where a notebook begins; nothing is loaded before it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.runs.library import Library

__all__ = ["Library"]


def __getattr__(name: str) -> object:
    """Load the library when somebody asks for it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pipelines.runs.library import Library  # noqa: PLC0415 - that is the point

    return Library
