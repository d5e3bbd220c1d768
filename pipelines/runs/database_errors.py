"""Errors of DuckDB as errors of one line, which say where they come from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def report_damage(where: str) -> Iterator[None]:
    """Raise InvalidError, in one line that begins with `where`, for an error of DuckDB in the context."""
    try:
        yield
    except duckdb.Error as error:
        raise InvalidError(f"{where}: {format_error(error)}") from None


def format_error(error: duckdb.Error) -> str:
    """Return the first line of a message, without its full stop."""
    return str(error).splitlines()[0].removesuffix(".")
