"""What is measured of the strategies of each game: the contents of `benchmarks/plans`, which has a file for each game.

The scripts `ladder` and `calibration` carry it out.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from engine.errors import InvalidError
from pipelines.records.record_file import BENCHMARKS_FOLDER
from pipelines.statistics.planning import MIN_BLOCKS

if TYPE_CHECKING:
    from pathlib import Path

PLANS_FOLDER: Final = BENCHMARKS_FOLDER / "plans"
LADDER_SEED: Final = 5000
"""No strategy was tuned with this seed: those of tuning begin at 900000."""
StepBlocks = Annotated[int, Field(ge=MIN_BLOCKS)]


class PlanPart(BaseModel):
    """A table of a plan."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LadderRungs(PlanPart):
    """The strategies of one ruleset, weakest first, and the number of blocks of each step.

    Each strategy is measured against the one before it. The numbers of blocks are large enough for an interval that does
    not include zero, and larger where games are fast.
    """

    rungs: Annotated[list[str], Field(min_length=2)]
    blocks: list[StepBlocks]

    @model_validator(mode="after")
    def _check_block_count(self) -> LadderRungs:
        if len(self.blocks) != len(self.rungs) - 1:
            raise ValueError(f"expected blocks of {len(self.rungs) - 1} steps, not {len(self.blocks)}")
        return self


class LadderCurve(PlanPart):
    """Several strategies against the same one under one ruleset: what a strategy gains from more time to think."""

    against: str
    strategies: Annotated[list[str], Field(min_length=1)]
    blocks: StepBlocks


class CalibrationPlan(PlanPart):
    """Games of one ruleset in which one strategy plays on all seats, and the predictions in them."""

    ruleset: str
    strategy: str = ""
    """The empty name means the strategy of the playouts."""
    effort: Annotated[float, Field(gt=0)] = 1.0
    """Effort of the predictions; 1 means as many playouts as in a review."""


class MeasuringPlan(PlanPart):
    """The contents of a file, or of all files together; `ladders` and `curves` by the name of the ruleset."""

    seed: Annotated[int, Field(ge=0)] = LADDER_SEED
    """Seed of the ladder. Of several files the first one counts."""
    ladders: dict[str, LadderRungs] = Field(default_factory=dict)
    curves: dict[str, LadderCurve] = Field(default_factory=dict)
    calibration: tuple[CalibrationPlan, ...] = ()


def read_plan(path: Path = PLANS_FOLDER) -> MeasuringPlan:
    """Read a plan from a file, or from all files of a folder in the order of their names.

    Raises InvalidError with the file and the key of the first problem.
    """
    plans = [_read_file(file) for file in (sorted(path.glob("*.toml")) if path.is_dir() else [path])]
    return MeasuringPlan(
        seed=next((plan.seed for plan in plans), LADDER_SEED),
        ladders={name: rungs for plan in plans for name, rungs in plan.ladders.items()},
        curves={name: curve for plan in plans for name, curve in plan.curves.items()},
        calibration=tuple(case for plan in plans for case in plan.calibration),
    )


def _read_file(path: Path) -> MeasuringPlan:
    try:
        return MeasuringPlan.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InvalidError(f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a number of thousands of digits
        if isinstance(error, ValidationError):
            first = error.errors(include_url=False)[0]
            raise InvalidError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        raise InvalidError(f"{path}: not TOML: {error}") from None
