"""Files with the values that a strategy has learned: the folder `learned` of a game, with an index of what each file holds.

`python -m benchmarks.learn` writes them. Every file is compressed, and the index has the SHA-256 of its contents.
"""

from __future__ import annotations

import hashlib
import tomllib
import zlib
from typing import TYPE_CHECKING, Any, Final

from engine.errors import InvalidError

if TYPE_CHECKING:
    from pathlib import Path

INDEX_NAME: Final = "index.toml"


def read_value_index(folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the index says about each file, by its name; nothing if there is no index."""
    path = folder / INDEX_NAME
    return tomllib.loads(path.read_text(encoding="utf-8"))["files"] if path.is_file() else {}


def read_value_file(folder: Path, name: str) -> bytes:
    """Return the contents of a file that the index lists. Raises InvalidError if it is another one or cannot be read."""
    path = folder / name
    try:
        content = zlib.decompress(path.read_bytes())
    except (OSError, zlib.error):
        content = b""
    if hashlib.sha256(content).hexdigest() != read_value_index(folder)[name]["sha256"]:
        raise InvalidError(f"{path} was changed or is damaged: install Reroll again")
    return content
