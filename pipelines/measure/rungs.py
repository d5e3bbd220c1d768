"""One step of a ladder: a strategy measured against the one below it, and how a step stands in a file."""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.strategies import read_player
from pipelines.design.comparison import design_comparison
from pipelines.experiments.compare.comparison import compare_strategies
from pipelines.measure import decision_time
from pipelines.measure.bench import processor_name
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import Interval

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

_INTERVAL_FIELDS: Final = ("mean", "mean_against", "difference", "win_share")


@dataclass(frozen=True)
class LadderStep:
    """What to measure."""

    ruleset: Ruleset
    strategy: str
    against: str
    blocks: int
    seed: int
    is_curve: bool
    """Whether it belongs to a curve: then what it stands against is the same for all of it."""

    @property
    def fingerprint(self) -> str:
        """A hash of all that the result depends on: the rules, the weights as tuned, the game's sources, the processor."""
        game = games.find_game(self.ruleset.game)
        sides = [read_player(game, text) for text in (self.strategy, self.against)]
        said = [
            self.ruleset.sha256,
            [[side.strategy.name, dict(side.parameters), dict(side.texts)] for side in sides],
            self.blocks,
            self.seed,
            processor_name(),
        ]
        found = hashlib.sha256(json.dumps(said).encode())
        folder = Path(games.__file__).parent / self.ruleset.game.replace("-", "_")
        for path in sorted([*folder.glob("*.py"), *folder.glob("*.toml")]):
            found.update(path.read_bytes())
        return found.hexdigest()[:16]


@dataclass(frozen=True)
class Rung:
    """One strategy against another, measured."""

    ruleset: str
    strategy: str
    against: str
    is_curve: bool
    blocks: int
    games: int
    seed: int
    mean: Interval
    """Mean score of the strategy's seats."""
    mean_against: Interval
    difference: Interval
    """Of mean scores, in points."""
    lowest_wins: bool
    win_share: Interval
    """Of the strategy's side: 0.5 if both are equal."""
    p: float
    microseconds: float
    """A decision of the strategy when it plays against itself, its share of the game's own work included."""
    seconds: float
    """Processor time that all this took."""
    command: str
    fingerprint: str

    @property
    def is_clear(self) -> bool:
        """Whether the strategy is better, and the interval of the difference clear of zero."""
        return self.difference.high < 0 if self.lowest_wins else self.difference.low > 0

    @property
    def document(self) -> dict[str, Any]:
        """The rung as JSON data."""
        return asdict(self) | {name: getattr(self, name)._asdict() for name in _INTERVAL_FIELDS}

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Rung:
        """Read a rung from JSON data; raises KeyError or TypeError for what is none."""
        return cls(**document | {name: Interval(**document[name]) for name in _INTERVAL_FIELDS})


def measure_step(step: LadderStep, *, workers: int | None = None) -> Rung:
    """Play a step in a library that is thrown away."""
    started = time.process_time()
    planned = design_comparison(
        step.ruleset, [step.strategy, step.against], blocks=step.blocks, seed=step.seed, log="scores"
    )
    with tempfile.TemporaryDirectory() as folder:
        found = compare_strategies(simulate_run(planned, Path(folder) / "rung.duckdb", workers=workers))
    (pair,) = found.pairs
    intervals = (pair.mean_a, pair.mean_b, pair.difference, pair.win_share)
    mean, mean_against, difference, win_share = (_require_interval(interval) for interval in intervals)
    spent = decision_time.decision_microseconds(step.ruleset, step.strategy)
    return Rung(
        ruleset=step.ruleset.name,
        strategy=step.strategy,
        against=step.against,
        is_curve=step.is_curve,
        blocks=found.blocks,
        games=found.games,
        seed=step.seed,
        mean=mean,
        mean_against=mean_against,
        difference=difference,
        lowest_wins=found.lowest_wins,
        win_share=win_share,
        p=pair.p,
        microseconds=spent,
        seconds=time.process_time() - started,
        command=found.command,
        fingerprint=step.fingerprint,
    )


def _require_interval(interval: Interval | None) -> Interval:
    assert interval is not None  # noqa: S101 - a ladder plays enough blocks for every interval
    return interval
