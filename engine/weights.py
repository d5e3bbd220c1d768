"""Reading the tuned weights of strategies from the file `weights.toml` in a game's folder."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from engine.strategy import Parameter

if TYPE_CHECKING:
    from pathlib import Path


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
