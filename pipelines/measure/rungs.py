"""One step of a ladder: what it measures, how it is measured, and how its result is stored as JSON."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine import games
from engine.strategies import read_player
from pipelines.design.comparison import design_comparison
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.measure import decision_time
from pipelines.measure.duel_result import DuelResult
from pipelines.measure.machine import processor_name
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.statistics import Interval


@dataclass(frozen=True)
class LadderStep:
    """A step of the ladder that is to be measured: `strategy` against `against`."""

    ruleset: Ruleset
    strategy: str
    against: str
    blocks: int
    seed: int
    is_curve: bool
    """Whether the step belongs to a curve, in which several strategies play against the same one."""

    @property
    def fingerprint(self) -> str:
        """A hash of everything the result depends on: rules, tuned weights, blocks, seed, sources of the game, processor."""
        game = games.find_game(self.ruleset.game)
        sides = [read_player(game, text) for text in (self.strategy, self.against)]
        settings = [
            self.ruleset.sha256,
            [[side.strategy.name, dict(side.parameters), dict(side.texts)] for side in sides],
            self.blocks,
            self.seed,
            processor_name(),
        ]
        digest = hashlib.sha256(json.dumps(settings).encode())
        folder = Path(games.__file__).parent / self.ruleset.game.replace("-", "_")
        for path in sorted([*folder.rglob("*.py"), *folder.rglob("*.toml")]):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Rung(DuelResult):
    """The measured result of a step."""

    strategy: str
    is_curve: bool
    p: float
    """p value of the difference."""
    microseconds: float
    """Processor time of a decision, see `decision_microseconds`."""
    seconds: float
    """Processor time of the whole measurement."""
    fingerprint: str

    @property
    def is_clear(self) -> bool:
        """Whether the strategy is better and the interval of the difference does not include zero."""
        return self.difference.high < 0 if self.lowest_wins else self.difference.low > 0


def measure_step(step: LadderStep, *, workers: int | None = None) -> Rung:
    """Measure a step. Its run is written to a temporary folder."""
    started = time.process_time()
    planned = design_comparison(
        step.ruleset, [step.strategy, step.against], blocks=step.blocks, seed=step.seed, log="scores"
    )
    with tempfile.TemporaryDirectory() as folder:
        comparison = compare_strategies(simulate_run(planned, Path(folder) / "rung.duckdb", workers=workers))
    (pair,) = comparison.pairs
    intervals = (pair.mean_a, pair.mean_b, pair.difference, pair.win_share)
    mean, mean_against, difference, win_share = (_require_interval(interval) for interval in intervals)
    microseconds = decision_time.decision_microseconds(step.ruleset, step.strategy)
    return Rung(
        ruleset=step.ruleset.name,
        strategy=step.strategy,
        against=step.against,
        is_curve=step.is_curve,
        blocks=comparison.blocks,
        games=comparison.games,
        seed=step.seed,
        mean=mean,
        mean_against=mean_against,
        difference=difference,
        lowest_wins=comparison.lowest_wins,
        win_share=win_share,
        p=pair.p,
        microseconds=microseconds,
        seconds=time.process_time() - started,
        command=comparison.command,
        fingerprint=step.fingerprint,
    )


def _require_interval(interval: Interval | None) -> Interval:
    assert interval is not None  # noqa: S101 - a ladder plays enough blocks for every interval
    return interval
