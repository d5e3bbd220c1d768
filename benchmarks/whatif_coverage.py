"""Measure how often intervals of what-ifs and decisions of stopping rules are right.

`python -m benchmarks.whatif_coverage` takes a few minutes; `--experiments 1000 --truth 20000` is more precise. The parts:

* single: a game is forked at three places and continued a few times with each of many seeds. The truth is the mean of
  very many continuations with another seed.
* stopped: the same, but the results decide when to stop.
* many: the same change in many games. The blocks of a run are the population, so that the truth is the mean over the run;
  an experiment draws whole blocks from them, with replacement.
* equal: every statement that rests on equal results of a few continuations is compared with many continuations.
* rules: differences of mean zero are simulated, and the stopping rule looks after every block.

The figures are shares of intervals that contain the truth, which should be at least 0.93, and shares of wrong decisions,
which should be at most 0.05.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player
from pipelines.design.designs import design_simulation
from pipelines.experiments.fork import Change, Fork, PlayedActions, fork_played_actions
from pipelines.experiments.many_games import WhatIfPositions, iter_forks, play_every_fork, select_logged_games
from pipelines.experiments.whatif import WhatIf, play_whatif
from pipelines.simulate.simulate import simulate_run
from pipelines.statistics import StoppingRule
from pipelines.statistics.sequential import MIN_DIFFERING_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.statistics import Interval
    from pipelines.statistics.intervals import Floats

GAMES: Final = {
    "bloxx-2p": "greedy",
    "blokus-duo": "noisy",
    "blokus-dice-2p": "greedy",
    "spexxx-2p": "greedy",
}
"""One ruleset of every game, and the strategy that plays on all seats. In Blokus there are no dice, so it needs noise."""
PLACES: Final = (0.3, 0.65, 0.9)
"""Places of the forks, as shares of the plies of a game."""
PARTS: Final = ("single", "stopped", "many", "equal", "rules")
METRICS: Final = ("score", "margin", "rank", "win_share", "changed_win_share")
TRUTH_SEED: Final = 1_000_000
EXPERIMENT_BLOCKS: Final = 20
POOL_BLOCKS: Final = 80
RARE_SHAPES: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "wins, 3 % each way": ((1, 0.03), (-1, 0.03)),
    "wins, 25 % each way": ((1, 0.25), (-1, 0.25)),
    "+9 in 1 %, -1 in 9 %": ((9, 0.01), (-1, 0.09)),
    "+9 in 10 %, -1 in 90 %": ((9, 0.1), (-1, 0.9)),
    "+19 in 0.5 %, -1 in 9.5 % (outside the promise)": ((19, 0.005), (-1, 0.095)),
    "+99 in 1 %, -1 in 99 % (outside the promise)": ((99, 0.01), (-1, 0.99)),
}
"""Values other than zero with their probabilities; the mean is zero."""


class Coverage(NamedTuple):
    """How many intervals of a metric contain the truth."""

    what: str
    covered: int
    intervals: int

    @property
    def share(self) -> float:
        return self.covered / self.intervals

    def __str__(self) -> str:
        return f"{self.what}: {self.share:.3f} of {self.intervals}"


def fork_played_game(name: str, place: float, *, seed: int = 5) -> Fork:
    """Play a game and fork it at the first decision after a place; from there on its seat plays randomly."""
    ruleset = Catalogue().find_ruleset(name)
    game = games.find_game(ruleset.game)
    seated = [GAMES[name]] * ruleset.players
    deciders = [read_player(game, strategy).decide for strategy in seated]
    actions = [ply.action for ply in play_out(game.start(ruleset), deciders, Luck(seed, 0))[1]]
    states = list(replay_actions(game.start(ruleset), actions))
    decisions = [
        ply for ply in range(len(actions)) if states[ply].seat != CHANCE and len(states[ply].actions) > 1
    ]
    first = int(place * len(actions))
    ply = next((ply for ply in decisions if ply >= first), decisions[-1])
    played = PlayedActions(ruleset, actions, seated)
    return fork_played_actions(played, ply, Change({states[ply].seat: "random"}))


def play_to_end(fork: Fork, n: int, seed: int, *, until_decided: bool = False) -> WhatIf:
    """Return the last answer to a what-if question."""
    *_, last = play_whatif(fork, n=n, seed=seed, until_decided=until_decided)
    return last


def seat_intervals(answer: WhatIf) -> dict[str, Interval]:
    """Return the intervals of the seat of the question, by metric."""
    effect = answer.seat_effect(answer.fork.seat)
    return {metric: getattr(effect, metric) for metric in METRICS if getattr(effect, metric)}


def measure_single_game(
    name: str, *, experiments: int, truth: int, n: int, until_decided: bool = False
) -> Iterator[Coverage]:
    """Yield the coverage of every metric over the forks of one game."""
    covered: Counter[str] = Counter()
    intervals: Counter[str] = Counter()
    for place in PLACES:
        fork = fork_played_game(name, place)
        wanted = {
            metric: interval.estimate
            for metric, interval in seat_intervals(play_to_end(fork, truth, TRUTH_SEED)).items()
        }
        for seed in range(experiments):
            for metric, found in seat_intervals(
                play_to_end(fork, n, seed, until_decided=until_decided)
            ).items():
                intervals[f"{metric} at {place}"] += 1
                covered[f"{metric} at {place}"] += found.low - 1e-9 <= wanted[metric] <= found.high + 1e-9
    yield from (Coverage(what, covered[what], intervals[what]) for what in intervals)


def measure_many_games(name: str, *, experiments: int, n: int = 10) -> Iterator[Coverage]:
    """Yield the coverage of score, win share and share of differing positions over games of drawn blocks."""
    ruleset = Catalogue().find_ruleset(name)
    lineup = [GAMES[name], *["noisy:sigma=4"] * (ruleset.players - 1)]
    with tempfile.TemporaryDirectory() as folder:
        run = simulate_run(
            design_simulation(ruleset, lineup, blocks=POOL_BLOCKS, seed=3),
            Path(folder) / "pool.duckdb",
            workers=1,
        )
        plies = max(run.game(game).plies for game in range(run.summary.games))
        where = str(int(0.6 * plies))
        chosen = select_logged_games(run, "all", run.summary.games)
        forks = list(iter_forks(run, chosen, where, Change({0: "random"}), {}))
    by_block: dict[int, list[WhatIf]] = {}
    for answer in play_every_fork(forks, n=n, seed=1):
        by_block.setdefault(answer.fork.block, []).append(answer)
    pool, measures = list(by_block.values()), ("score", "win_share", "differing_share")
    population = WhatIfPositions(tuple(answer for block in pool for answer in block), {})
    truth = {measure: getattr(population, measure).estimate for measure in measures}
    rng, covered = np.random.default_rng(11), Counter[str]()
    for _ in range(experiments):
        drawn = [
            replace(answer, fork=replace(answer.fork, block=number))
            for number, block in enumerate(rng.integers(0, len(pool), EXPERIMENT_BLOCKS))
            for answer in pool[block]
        ]
        positions = WhatIfPositions(tuple(drawn), {})
        for measure in measures:
            found = getattr(positions, measure)
            covered[measure] += found.low - 1e-9 <= truth[measure] <= found.high + 1e-9
    yield from (Coverage(measure, covered[measure], experiments) for measure in measures)


def count_contradictions(
    name: str, *, repetitions: int, truth: int, sizes: Sequence[int] = (4, 10, 20)
) -> Counter[str]:
    """Count statements on equal results of a few continuations, and those that many continuations contradict."""
    counts: Counter[str] = Counter()
    for number in range(repetitions):
        fork = fork_played_game(name, 0.75 + 0.24 * (number % 25) / 25, seed=number)
        few = seat_intervals(play_to_end(fork, sizes[number % len(sizes)], number))
        equal = {metric: found for metric, found in few.items() if found.estimate in {-1.0, 0.0, 1.0}}
        if not equal:
            continue
        many = seat_intervals(play_to_end(fork, truth, TRUTH_SEED + number))
        for metric, found in equal.items():
            counts["statements"] += 1
            counts["of width zero"] += not found.half_width
            if not found.low - 1e-9 <= many[metric].estimate <= found.high + 1e-9:
                counts["contradicted"] += 1
                counts["contradicted of width zero"] += not found.half_width
    return counts


def sample_null(shape: str, experiments: int, blocks: int) -> Floats:
    """Return differences of mean zero, shape (experiments, blocks)."""
    rng, size = np.random.default_rng(40), (experiments, blocks)
    if shape in RARE_SHAPES:
        draws, sample, before = rng.random(size), np.zeros(size), 0.0
        for value, chance in RARE_SHAPES[shape]:
            sample[(before <= draws) & (draws < before + chance)] = value
            before += chance
        return sample
    if shape == "normal":
        return rng.normal(0, 5, size)
    return (
        rng.exponential(1, size) - 1 if shape == "exponential" else rng.lognormal(0, 1, size) - math.exp(0.5)
    )


def wrong_decision_share(sample: Floats, rule: StoppingRule) -> float:
    """Return the share of experiments in which the rule names a sign at any look; the mean of the sample is zero."""
    blocks = np.arange(1.0, sample.shape[1] + 1)
    means, squares, cubes = (np.cumsum(sample**power, axis=1) / blocks for power in (1, 2, 3))
    variances = np.maximum(squares - means**2, 0)
    flat = variances < 1e-9
    thirds = cubes - 3 * means * squares + 2 * means**3
    skews = np.where(flat, 0, thirds / np.where(flat, 1, variances) ** 1.5)
    sds = np.where(flat, 0, np.sqrt(variances * blocks / np.maximum(blocks - 1, 1)))
    lows, highs = rule.interval_bounds(means, sds, skews, np.broadcast_to(blocks, sds.shape))
    can_decide = np.cumsum(sample != 0, axis=1) >= MIN_DIFFERING_BLOCKS
    wrong = ((lows > 0) | (highs < 0)) & can_decide
    return float(wrong[:, rule.first_look - 1 :].any(axis=1).mean())


def measure_rules(experiments: int, blocks: int = 2000) -> Iterator[tuple[str, float]]:
    """Yield the share of wrong decisions for differences of every shape."""
    for shape in ("normal", "exponential", "lognormal", *RARE_SHAPES):
        for first_look in (60, 100):
            rule = StoppingRule(budget=blocks, first_look=first_look)
            yield (
                f"{shape}, first look {first_look}",
                wrong_decision_share(sample_null(shape, experiments, blocks), rule),
            )


def measure_parts(asked: argparse.Namespace) -> Iterator[str]:
    """Yield one line for each figure of the parts that the command line names."""
    chosen = (asked.only,) if asked.only else PARTS
    for name in asked.games:
        for part, n in (("single", asked.n), ("stopped", 480)):
            if part in chosen:
                measured = measure_single_game(
                    name,
                    experiments=asked.experiments,
                    truth=asked.truth,
                    n=n,
                    until_decided=part == "stopped",
                )
                yield from (f"{part} {name} {found}" for found in measured)
        if "many" in chosen:
            for found in measure_many_games(name, experiments=3 * asked.experiments):
                yield f"many {name} {found}"
        if "equal" in chosen:
            counts = count_contradictions(name, repetitions=asked.experiments, truth=asked.truth)
            yield f"equal {name}: {dict(counts)}"
    if "rules" in chosen:
        for what, share in measure_rules(5 * asked.experiments):
            yield f"rules {what}: {share:.3f} wrong"


def main() -> None:
    """Measure the parts that the command line names and print the figures as they become known."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=PARTS, help="measure one part")
    parser.add_argument("--games", nargs="+", choices=tuple(GAMES), default=tuple(GAMES))
    parser.add_argument("--experiments", type=int, default=100, help="experiments for each figure")
    parser.add_argument("--truth", type=int, default=4000, help="continuations that count as the truth")
    parser.add_argument("-n", type=int, default=60, help="continuations of an experiment with one game")
    for line in measure_parts(parser.parse_args()):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
