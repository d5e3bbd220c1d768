"""The working folder of this process, which somebody may delete while a command runs in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def outside_deleted_folder() -> Iterator[None]:
    """Work in the root folder for the time of the context if the working folder has been deleted.

    DuckDB asks for the working folder when a connection is denied access to files, whatever it reads.
    """
    try:
        os.getcwd()  # noqa: PTH109 - the call that fails in a deleted folder
    except FileNotFoundError:
        deleted = os.open(".", os.O_RDONLY)
        os.chdir(os.sep)
        try:
            yield
        finally:
            os.fchdir(deleted)
            os.close(deleted)
    else:
        yield
