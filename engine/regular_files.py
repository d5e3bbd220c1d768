"""Reading files that may come from anybody: regular files only, and only up to a size.

Opening a named pipe can wait for ever, and a device such as /dev/zero has no end. The functions that open or check raise
OSError, whose `strerror` says in a few words what is wrong.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path


def open_regular_file(path: Path) -> BinaryIO:
    """Open a regular file for reading. Raises OSError if it is something else or cannot be opened."""
    descriptor = os.open(
        path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    )  # so a pipe does not wait for a writer
    try:
        _check_mode(path, os.fstat(descriptor).st_mode)
        return open(descriptor, "rb")  # noqa: PTH123 - a path would be opened a second time
    except BaseException:
        os.close(descriptor)
        raise


def read_regular_file(path: Path, most: int) -> bytes:
    """Return the content of a regular file. Raises OSError as above, and if the file has more than `most` bytes."""
    with open_regular_file(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        size = f"{most >> 20} MB" if most >= 1 << 20 else f"{most} bytes"
        raise OSError(errno.EFBIG, f"the file is larger than {size}", str(path))
    return content


def is_locked(path: Path) -> bool:
    """Return whether a process holds the lock of a file; the system releases it when the process ends. False without the file."""
    try:
        with open_regular_file(path) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def check_regular_file(path: Path, *, follow_links: bool = True) -> None:
    """Check a file that another library will open. Raises OSError if it is not a regular file or does not exist."""
    _check_mode(path, path.stat(follow_symlinks=follow_links).st_mode)


def _check_mode(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
