"""Reroll for notebooks and scripts: `reroll.Library` and `reroll.__version__`.

>>> import reroll
>>> reroll.Library.__name__
'Library'
"""

from __future__ import annotations

# Not from typing: until Reroll handles Ctrl-C, a traceback is printed if it interrupts an import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from pipelines import Library

    __version__: str

__all__ = ["Library", "__version__"]


def __getattr__(name: str) -> object:
    """Load a name on first use: the packages behind the library take a second. Raises HiddenPackageError."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - takes 30 ms, which each command would wait for

        return version("reroll")
    if name != "Library":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from reroll.packages import check_packages  # noqa: PLC0415 - only the library needs it

    check_packages()
    from pipelines import Library  # noqa: PLC0415 - NumPy, SciPy and DuckDB take 1 s to import

    return Library


def __dir__() -> list[str]:
    """Return the names that notebooks offer."""
    return [*globals(), *__all__]
