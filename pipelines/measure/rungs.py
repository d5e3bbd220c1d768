"""One step of a ladder: what it measures, and how it is measured."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine import games
from engine.errors import GameError
from engine.strategies import read_player
from pipelines.design.designs import design_comparison
from pipelines.experiments.comparison import compare_strategies
from pipelines.measure import decision_time
from pipelines.measure.machine import processor_name
from pipelines.records.ladder import DuelResult, Rung, RungName
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.experiments.comparison import Comparison
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
    def name(self) -> RungName:
        """What tells it from the other steps."""
        return RungName(self.ruleset.name, self.strategy, self.against, self.is_curve)

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


def measure_step(step: LadderStep, *, workers: int | None = None) -> Rung:
    """Measure a step. Its run is written to a temporary folder."""
    started = time.process_time()
    planned = design_comparison(
        step.ruleset, [step.strategy, step.against], blocks=step.blocks, seed=step.seed, log="scores"
    )
    with tempfile.TemporaryDirectory() as folder:
        comparison = compare_strategies(simulate_run(planned, Path(folder) / "rung.duckdb", workers=workers))
    microseconds = decision_time.decision_microseconds(step.ruleset, step.strategy)
    return Rung(
        **dict(duel_result(comparison, step.against)),
        strategy=step.strategy,
        is_curve=step.is_curve,
        p=comparison.pairs[0].p,
        microseconds=microseconds,
        seconds=time.process_time() - started,
        fingerprint=step.fingerprint,
    )


def duel_result(comparison: Comparison, against: str) -> DuelResult:
    """Return the result of the first of two compared strategies. Raises GameError if an interval needs more blocks."""
    (pair,) = comparison.pairs
    return DuelResult(
        ruleset=comparison.ruleset,
        against=against,
        blocks=comparison.blocks,
        games=comparison.games,
        seed=comparison.seed,
        mean=_require_interval(pair.mean_a),
        mean_against=_require_interval(pair.mean_b),
        difference=_require_interval(pair.difference),
        lowest_wins=comparison.lowest_wins,
        win_share=_require_interval(pair.win_share),
        command=comparison.command,
    )


def _require_interval(interval: Interval | None) -> Interval:
    if interval is None:
        raise GameError("too few blocks for an interval")
    return interval
