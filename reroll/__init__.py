"""Reroll for notebooks and scripts: `reroll.Library`, the errors that its calls raise, and `reroll.__version__`.

>>> import reroll
>>> reroll.Library.__name__
'Library'
"""

from __future__ import annotations

# Not from typing: until Reroll handles Ctrl-C, a traceback is printed if it interrupts an import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.errors import (
        AmbiguousError,
        ArgumentError,
        GameError,
        IllegalError,
        Interrupted,
        InvalidError,
    )
    from pipelines import Library
    from pipelines.notebook.played import NoSuchGameError
    from pipelines.notebook.public_names import NoSuchNameError
    from pipelines.runs.run import InaccessibleError
    from pipelines.simulate.errors import DiskError, PlayError

    __version__: str

__all__ = [
    "AmbiguousError",
    "ArgumentError",
    "DiskError",
    "GameError",
    "IllegalError",
    "InaccessibleError",
    "Interrupted",
    "InvalidError",
    "Library",
    "NoSuchGameError",
    "NoSuchNameError",
    "PlayError",
    "__version__",
]
_MODULES = {
    "Library": "pipelines",
    "InaccessibleError": "pipelines.runs.run",
    "NoSuchGameError": "pipelines.notebook.played",
    "NoSuchNameError": "pipelines.notebook.public_names",
    "DiskError": "pipelines.simulate.errors",
    "PlayError": "pipelines.simulate.errors",
}
"""Where the names stand that are not in `engine.errors`."""


def __getattr__(name: str) -> object:
    """Load a name on first use: the packages behind the library take a second. Raises HiddenPackageError."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - takes 30 ms, which each command would wait for

        return version("reroll")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - as above

    from reroll.packages import check_packages  # noqa: PLC0415 - only the library needs it

    check_packages()
    return getattr(
        import_module(_MODULES.get(name, "engine.errors")), name
    )  # NumPy, SciPy and DuckDB take 1 s to import


def __dir__() -> list[str]:
    """Return the names that notebooks offer."""
    return __all__
