"""Simulations of games: design, runs, experiments, export and the command line. They do not know the dashboard.

Notebooks and scripts `import reroll`, the facade; see `pipelines.notebook.api`.
"""

from __future__ import annotations

# Not from typing: until Reroll handles Ctrl-C, a traceback is printed if it interrupts an import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pipelines.notebook.api import Library

__all__ = ["Library"]


def __getattr__(name: str) -> object:
    """Import the library on first use, so that `reroll --help` does not wait for NumPy, SciPy and DuckDB (1 s)."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from pipelines.notebook.api import Library  # noqa: PLC0415 - NumPy, SciPy and DuckDB take 1 s to import

    return Library
