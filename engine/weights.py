"""The numbers of strategies that come with a game: weights that were tuned, and values that were learned.

Weights stand in the file `weights.toml` of a game's folder. Learned values stand in its folder `learned`, with an index
of what each file holds; `python -m benchmarks.learn` writes them. Every file of values is compressed, and the index has
the SHA-256 of its contents.
"""

from __future__ import annotations

import hashlib
import tomllib
import zlib
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from engine.errors import InvalidError
from engine.strategy import Parameter


class _Weight(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    title: str
    default: float
    low: float
    high: float


class _TunedWeights(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    tuned: str
    """The date and the command of the tuning."""
    weights: dict[str, _Weight]


def read_weights(file: Path, strategy: str) -> tuple[Parameter, ...]:
    """Return the weights of a strategy in the order of the file.

    The file has a table with the strategy's name that contains `tuned`, and the weights by name in the table `weights`.
    """
    tuned = _TunedWeights.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))[strategy])
    return tuple(
        Parameter(name, weight.title, weight.default, weight.low, weight.high, is_weight=True)
        for name, weight in tuned.weights.items()
    )


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
