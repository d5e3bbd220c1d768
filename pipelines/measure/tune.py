"""Tuning the weights of a strategy: CMA-ES over duels on common luck.

    python -m pipelines.measure.tune bloxx-3p planner --against greedy --blocks 500 --generations 40 --seed 900000

All candidates of a generation meet the same luck, the next generation meets fresh luck, so that no weight is fitted to
single games. The last centre of the search is judged on luck that was never used for tuning, beside the old weights.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.strategy import Parameter, Player
    from pipelines.statistics import Interval

WEIGHT_DIGITS: Final = 3
"""Significant digits of a tuned weight: more would be noise."""
JUDGING_SEED_OFFSET: Final = 1 << 32
"""Added to the seed for the games that judge the result."""


def duel_seatings(one: Player, other: Player, players: int) -> list[list[Player]]:
    """Return the seatings of a duel: for every seat, one alone against the other everywhere else, and the reverse."""
    return [
        [single if seat == alone else rest for seat in range(players)]
        for alone in range(players)
        for single, rest in ((one, other), (other, one))
    ]


def duel_advantages(
    compiled: Kernel, one: Player, other: Player, seed: int, blocks: range
) -> NDArray[np.float64]:
    """Return for each block what one scores more than the other; for fewer points won, where the lowest score wins.

    (blocks,) The mean over the games of a duel of the mean score of its seats less that of the other's.
    """
    players = compiled.ruleset.players
    batch = compiled.play(duel_seatings(one, other, players), seed, blocks, logged=False)
    own = np.array([[seat == alone for seat in range(players)] for alone in range(players) for _ in range(2)])
    own[1::2] = ~own[1::2]
    scores = batch.scores.reshape(len(blocks), len(own), players)
    mean = (scores * own).sum(axis=2) / own.sum(axis=1) - (scores * ~own).sum(axis=2) / (~own).sum(axis=1)
    found: NDArray[np.float64] = mean.mean(axis=1) * (-1 if compiled.ruleset.lowest_wins else 1)
    return found


@dataclass(frozen=True)
class Tuning:
    """What is tuned, and against whom."""

    rulesets: tuple[Ruleset, ...]
    strategy: str
    """The strategy, with any parameters that stay as given."""
    against: str
    weights: tuple[Parameter, ...]

    def make_candidate(self, ruleset: Ruleset, point: NDArray[np.float64]) -> Player:
        """Return the strategy with the weights of a point of the unit cube."""
        settings = ",".join(f"{name}={value:.15g}" for name, value in self.weight_values(point).items())
        join = "," if ":" in self.strategy else ":"
        return read_player(games.find_game(ruleset.game), f"{self.strategy}{join}{settings}")

    def weight_values(self, point: NDArray[np.float64]) -> dict[str, float]:
        """Return the weights of a point of the unit cube, rounded."""
        return {
            weight.name: float(f"{weight.low + x * (weight.high - weight.low):.{WEIGHT_DIGITS}g}")
            for weight, x in zip(self.weights, np.clip(point, 0, 1), strict=True)
        }

    def judge_point(self, point: NDArray[np.float64], seed: int, blocks: int) -> list[Interval | None]:
        """Return the advantage over the opponent under every ruleset, with its interval."""
        found = []
        for ruleset in self.rulesets:
            values = self.block_advantages(ruleset, point, seed, blocks)
            found.append(mean_interval(float(values.mean()), float(values.std(ddof=1)), blocks))
        return found

    def block_advantages(
        self, ruleset: Ruleset, point: NDArray[np.float64], seed: int, blocks: int
    ) -> NDArray[np.float64]:
        """Return the advantage in each block, (blocks,)."""
        compiled = find_kernel(ruleset)
        if compiled is None:
            raise InvalidError(f"{ruleset.name} has no compiled game here, so nothing can be tuned")
        other = read_player(games.find_game(ruleset.game), self.against)
        return duel_advantages(compiled, self.make_candidate(ruleset, point), other, seed, range(blocks))


def make_tuning(rulesets: Sequence[str], strategy: str, against: str, names: Sequence[str] = ()) -> Tuning:
    """Settle what to tune: all weights of a strategy or those named. Raises InvalidError for what does not exist."""
    catalogue = Catalogue()
    found = tuple(catalogue.find_ruleset(name) for name in rulesets)
    game = games.find_game(found[0].game)
    weights = tuple(
        parameter
        for parameter in read_player(game, strategy).strategy.parameters
        if parameter.is_weight and (not names or parameter.name in names)
    )
    if not weights:
        raise InvalidError(
            f"strategy {strategy!r} has no such weights; known: {', '.join(built_in_strategies(game))}"
        )
    return Tuning(found, strategy, against, weights)


def default_point(weights: Sequence[Parameter]) -> NDArray[np.float64]:
    """(weights,) Return the point of the unit cube at which the weights are as they stand."""
    return np.array([(weight.default - weight.low) / (weight.high - weight.low) for weight in weights])


def search_weights(
    one: Tuning, *, blocks: int, generations: int, seed: int, spread: float = 0.15
) -> NDArray[np.float64]:
    """(weights,) Search from the weights as they stand; return the centre of the last generation.

    The gain of a candidate is its mean advantage, in standard deviations of the advantages in that generation, meaned
    over the rulesets. `spread` is the first step in the unit cube.
    """
    from cmaes import CMA  # noqa: PLC0415 - an extra that only tuning needs

    start = default_point(one.weights)
    bounds = np.array([[0.0, 1.0]] * len(start))
    search = CMA(mean=start, sigma=spread, bounds=bounds, seed=seed % (1 << 32))
    for generation in range(generations):
        points = [search.ask() for _ in range(search.population_size)]
        gains = np.zeros(len(points))
        for ruleset in one.rulesets:
            means = np.array(
                [one.block_advantages(ruleset, point, seed + generation, blocks).mean() for point in points]
            )
            gains += (means - means.mean()) / max(float(means.std()), 1e-12)
            _print_progress(
                f"{generation + 1}/{generations} {ruleset.name}: best {means.max():.3f}, mean {means.mean():.3f}"
            )
        search.tell([(point, -float(gain)) for point, gain in zip(points, gains, strict=True)])
    return np.asarray(search.mean, dtype=np.float64)


def format_weights_toml(
    strategy: str, command: str, weights: Sequence[Parameter], values: Mapping[str, float]
) -> str:
    """Return the weights as they stand in a game's `weights.toml`."""
    lines = [f"[{strategy}]", f'tuned = "{command}"']
    for weight in weights:
        lines += [
            f"[{strategy}.weights.{weight.name}]",
            f'title = "{weight.title}"',
            f"default = {values[weight.name]:.15g}",
            f"low = {weight.low:.15g}",
            f"high = {weight.high:.15g}",
        ]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Tune from the command line; the weights go to standard output, what happens on the way to standard error."""
    given = _parse_arguments(words)
    try:
        one = make_tuning(given.rulesets, given.strategy, given.against, given.weights)
        point = search_weights(
            one, blocks=given.blocks, generations=given.generations, seed=given.seed, spread=given.spread
        )
        _print_progress("on luck that tuned nothing:")
        for name, at in (("before", default_point(one.weights)), ("after", point)):
            for ruleset, found in zip(
                one.rulesets, one.judge_point(at, given.seed + JUDGING_SEED_OFFSET, given.judge), strict=True
            ):
                said = (
                    f"{found.estimate:.3f} ({found.low:.3f} to {found.high:.3f})"
                    if found
                    else "one block only"
                )
                _print_progress(f"  {name}: {ruleset.name}: {said}")
    except InvalidError as error:
        sys.exit(f"reroll: {error}")
    command = f"python -m pipelines.measure.tune {' '.join(words if words is not None else sys.argv[1:])}"
    sys.stdout.write(
        format_weights_toml(given.strategy.partition(":")[0], command, one.weights, one.weight_values(point))
        + "\n"
    )


def _parse_arguments(words: Sequence[str] | None) -> Any:  # noqa: ANN401 - argparse gives a namespace
    parser = argparse.ArgumentParser(
        prog="python -m pipelines.measure.tune", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("rulesets", nargs="+", metavar="RULESET")
    parser.add_argument("strategy", metavar="STRATEGY", help="the strategy whose weights are tuned")
    parser.add_argument("--against", default="greedy", metavar="STRATEGY")
    parser.add_argument("--weights", nargs="*", default=(), metavar="NAME", help="only these")
    parser.add_argument("--blocks", type=int, default=500, help="blocks a candidate and generation")
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--judge", type=int, default=2000, help="blocks that judge the result")
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument(
        "--spread", type=float, default=0.15, help="first step, as a share of each weight's range"
    )
    return parser.parse_args(words)


def _print_progress(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
