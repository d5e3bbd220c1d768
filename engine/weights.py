"""Tuned numbers of strategies: data beside the game, with the command that found them."""

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
    """When and by which command."""
    weights: dict[str, _Weight]


def read_weights(file: Path, strategy: str) -> tuple[Parameter, ...]:
    """Return the weights of a strategy from a table of its name: `tuned`, and `read_weights` by name, in their order."""
    tuned = _TunedWeights.model_validate(tomllib.loads(file.read_text(encoding="utf-8"))[strategy])
    return tuple(
        Parameter(name, weight.title, weight.default, weight.low, weight.high, is_weight=True)
        for name, weight in tuned.weights.items()
    )
