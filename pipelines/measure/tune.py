"""Tune the weights of a strategy with CMA-ES, by duels on common luck.

    python -m pipelines.measure.tune bloxx-3p planner --against greedy --blocks 500 --generations 40 --seed 900000

All candidates of a generation play on the same luck, and each generation has new luck, so that no weight is fitted to
single games. At the end the old and the new weights are judged on luck that was not used for tuning.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import built_in_strategies, read_player
from pipelines.design.lineups import pair_duel_seatings
from pipelines.measure.command_line import make_parser, print_progress
from pipelines.statistics import mean_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from engine.kernels.contract import Kernel
    from engine.ruleset import Ruleset
    from engine.strategy import Parameter, Player
    from pipelines.statistics import Interval

WEIGHT_DIGITS: Final = 3
"""Significant digits of a tuned weight; more would be noise."""
JUDGING_SEED_OFFSET: Final = 1 << 32
"""Added to the seed for the games that judge the new weights."""
PLAYER, OPPONENT = 0, 1
"""The sides of a duel."""


def duel_seatings(player: Player, opponent: Player, seats: int) -> list[list[Player]]:
    """Return the seatings of a duel: for each seat, the player alone there, then the opponent alone there.

    The other of the two has all other seats. With two seats, no seating is played twice.
    """
    return [
        [(player, opponent)[side] for side in seating]
        for seating in pair_duel_seatings(PLAYER, OPPONENT, seats)
    ]


def duel_advantages(
    compiled: Kernel, player: Player, opponent: Player, seed: int, blocks: range
) -> NDArray[np.float64]:
    """Return the advantage of the player over the opponent in each block, (blocks,), in points.

    The advantage is the mean score of the player's seats minus that of the opponent's, averaged over the games of a
    duel. It has the opposite sign in games that the lowest score wins.
    """
    seats = compiled.ruleset.players
    batch = compiled.play(duel_seatings(player, opponent, seats), seed, blocks, logged=False)
    is_player = np.array(pair_duel_seatings(PLAYER, OPPONENT, seats)) == PLAYER
    scores = batch.scores.reshape(len(blocks), len(is_player), seats)
    mean_player = (scores * is_player).sum(axis=2) / is_player.sum(axis=1)
    mean_opponent = (scores * ~is_player).sum(axis=2) / (~is_player).sum(axis=1)
    sign = -1 if compiled.ruleset.lowest_wins else 1
    advantages: NDArray[np.float64] = (mean_player - mean_opponent).mean(axis=1) * sign
    return advantages


@dataclass(frozen=True)
class Tuning:
    """A strategy, its weights that are tuned, and its opponent."""

    rulesets: tuple[Ruleset, ...]
    strategy: str
    """The strategy, with the parameters that do not change."""
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
        """Return the mean advantage over the opponent under each ruleset, with its interval; None for a single block."""
        intervals = []
        for ruleset in self.rulesets:
            values = self.block_advantages(ruleset, point, seed, blocks)
            intervals.append(mean_interval(float(values.mean()), float(values.std(ddof=1)), blocks))
        return intervals

    def block_advantages(
        self, ruleset: Ruleset, point: NDArray[np.float64], seed: int, blocks: int
    ) -> NDArray[np.float64]:
        """Return the advantage over the opponent in each block, (blocks,). Raises InvalidError without a compiled game."""
        compiled = find_kernel(ruleset)
        if compiled is None:
            raise InvalidError(f"{ruleset.name} has no compiled game here, so nothing can be tuned")
        opponent = read_player(games.find_game(ruleset.game), self.against)
        return duel_advantages(compiled, self.make_candidate(ruleset, point), opponent, seed, range(blocks))


def make_tuning(rulesets: Sequence[str], strategy: str, against: str, names: Sequence[str] = ()) -> Tuning:
    """Return the tuning of all weights of a strategy, or of the weights called `names`.

    Raises InvalidError if a ruleset or the strategy does not exist, or if there are no such weights.
    """
    catalogue = Catalogue()
    tuned_rulesets = tuple(catalogue.find_ruleset(name) for name in rulesets)
    game = games.find_game(tuned_rulesets[0].game)
    weights = tuple(
        parameter
        for parameter in read_player(game, strategy).strategy.parameters
        if parameter.is_weight and (not names or parameter.name in names)
    )
    if not weights:
        raise InvalidError(
            f"strategy {strategy!r} has no such weights; strategies: {', '.join(built_in_strategies(game))}"
        )
    return Tuning(tuned_rulesets, strategy, against, weights)


def default_point(weights: Sequence[Parameter]) -> NDArray[np.float64]:
    """Return the point of the unit cube that stands for the current weights, (weights,)."""
    return np.array([(weight.default - weight.low) / (weight.high - weight.low) for weight in weights])


def search_weights(
    tuning: Tuning, *, blocks: int, generations: int, seed: int, spread: float = 0.15
) -> NDArray[np.float64]:
    """Search from the current weights; return the centre of the last generation in the unit cube, (weights,).

    The gain of a candidate under a ruleset is its mean advantage, in standard deviations of the mean advantages of its
    generation; the gains under all rulesets are added. `spread` is the first step size in the unit cube.
    """
    from cmaes import CMA  # noqa: PLC0415 - cmaes takes 2.8 s to import, and is an optional extra

    start = default_point(tuning.weights)
    bounds = np.array([[0.0, 1.0]] * len(start))
    search = CMA(mean=start, sigma=spread, bounds=bounds, seed=seed % (1 << 32))
    for generation in range(generations):
        points = [search.ask() for _ in range(search.population_size)]
        gains = np.zeros(len(points))
        for ruleset in tuning.rulesets:
            means = np.array(
                [
                    tuning.block_advantages(ruleset, point, seed + generation, blocks).mean()
                    for point in points
                ]
            )
            gains += (means - means.mean()) / max(float(means.std()), 1e-12)
            print_progress(
                f"{generation + 1}/{generations} {ruleset.name}: best {means.max():.3f}, mean {means.mean():.3f}"
            )
        search.tell([(point, -float(gain)) for point, gain in zip(points, gains, strict=True)])
    return np.asarray(search.mean, dtype=np.float64)


def format_weights_toml(
    strategy: str, command: str, weights: Sequence[Parameter], values: Mapping[str, float]
) -> str:
    """Return the weights in the format of a game's `weights.toml`."""
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
    """Tune from the command line. The weights go to standard output, the progress to standard error."""
    arguments = _parse_arguments(words)
    try:
        tuning = make_tuning(arguments.rulesets, arguments.strategy, arguments.against, arguments.weights)
        point = search_weights(
            tuning,
            blocks=arguments.blocks,
            generations=arguments.generations,
            seed=arguments.seed,
            spread=arguments.spread,
        )
        _print_judgement(tuning, point, arguments.seed + JUDGING_SEED_OFFSET, arguments.judge)
    except InvalidError as error:
        sys.exit(f"reroll: {error}")
    command = f"python -m pipelines.measure.tune {' '.join(words if words is not None else sys.argv[1:])}"
    strategy = arguments.strategy.partition(":")[0]
    toml = format_weights_toml(strategy, command, tuning.weights, tuning.weight_values(point))
    sys.stdout.write(f"{toml}\n")


def _print_judgement(tuning: Tuning, point: NDArray[np.float64], seed: int, blocks: int) -> None:
    """Print the advantages of the old and the new weights on luck that was not used for tuning."""
    print_progress("on luck that was not used for tuning:")
    for name, at in (("before", default_point(tuning.weights)), ("after", point)):
        for ruleset, interval in zip(tuning.rulesets, tuning.judge_point(at, seed, blocks), strict=True):
            advantage = (
                f"{interval.estimate:.3f} ({interval.low:.3f} to {interval.high:.3f})"
                if interval
                else "no interval, because there is only one block"
            )
            print_progress(f"  {name}: {ruleset.name}: {advantage}")


def _parse_arguments(words: Sequence[str] | None) -> Any:  # noqa: ANN401 - argparse gives a namespace
    parser = make_parser("tune", __doc__)
    parser.add_argument("rulesets", nargs="+", metavar="RULESET")
    parser.add_argument("strategy", metavar="STRATEGY", help="the strategy whose weights are tuned")
    parser.add_argument("--against", default="greedy", metavar="STRATEGY")
    parser.add_argument("--weights", nargs="*", default=(), metavar="NAME", help="tune only these weights")
    parser.add_argument("--blocks", type=int, default=500, help="blocks for each candidate of a generation")
    parser.add_argument("--generations", type=int, default=30)
    parser.add_argument("--judge", type=int, default=2000, help="blocks that judge the new weights")
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument(
        "--spread", type=float, default=0.15, help="first step size, as a share of the range of each weight"
    )
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
