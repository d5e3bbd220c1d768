"""Measure the answers on a changed rule: how often their intervals are right, and how many games common luck saves.

`python -m benchmarks.rule_coverage` takes half an hour; `--only coverage --experiments 1000` is more precise. The parts:

* coverage: the same strategies play the same blocks under a ruleset and under one with another value of a rule. An
  experiment is as many blocks as an answer has by default. The truth is the mean difference of very many blocks with another seed. The figures are
  the shares of intervals that contain it.
* luck: the variance of the difference of the mean scores, divided by the variance that it would have if both rulesets were
  played with luck of their own. A ratio of 0.2 means that separate luck takes five times as many games.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from engine.catalogue import Catalogue
from pipelines import statistics
from pipelines.design.limits import LIVE_BLOCKS
from pipelines.design.rule_values import read_varied_rule
from pipelines.experiments.rule_effect import RulesEffect, play_rules_effect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.experiments.rule_games import RulesetResults
    from pipelines.statistics import Interval

PARTS: Final = ("coverage", "luck")
TRUTH_SEED: Final = 1_000_000
LINEUPS: Final = {"bloxx-2p": ("greedy", "noisy"), "blokus-dice-2p": ("greedy", "noisy")}
THINKING_LINEUPS: Final = {"bloxx-2p": ("planner", "greedy"), "blokus-dice-2p": ("keeper", "greedy")}


class RuleValue(NamedTuple):
    """Another value of an option of a ruleset."""

    ruleset: str
    option: str
    value: int | str

    def __str__(self) -> str:
        return f"{self.ruleset} {self.option}={self.value}"


COVERED_VALUES: Final = (
    RuleValue("bloxx-2p", "gap_penalty", 3),
    RuleValue("bloxx-2p", "row_first", 8),
    RuleValue("bloxx-2p", "contact", "rest"),
    RuleValue("blokus-dice-2p", "strikes", 2),
    RuleValue("blokus-dice-2p", "strikes", 6),
    RuleValue("blokus-dice-2p", "side", 8),
)
COMPARED_VALUES: Final = (
    *(RuleValue("bloxx-2p", "gap_penalty", value) for value in (0, 2, 3, 4)),
    *(RuleValue("bloxx-2p", "row_first", value) for value in (5, 8)),
    RuleValue("bloxx-2p", "row_later", 4),
    RuleValue("bloxx-2p", "blank_penalty", 2),
    *(RuleValue("bloxx-2p", "contact", value) for value in ("touch", "rest")),
    *(RuleValue("blokus-dice-2p", "strikes", value) for value in (0, 2, 4, 6)),
    *(RuleValue("blokus-dice-2p", "side", value) for value in (8, 10)),
)


def play_effect(changed: RuleValue, lineup: tuple[str, ...], blocks: int, seed: int) -> RulesEffect:
    """Return the results of all blocks under the ruleset and with the other value."""
    rulesets = Catalogue().rulesets
    ruleset = rulesets[changed.ruleset]
    rule = read_varied_rule(f"{changed.option}={changed.value}", ruleset, rulesets)
    values = tuple(sorted(rule.values, key=lambda value: value != rule.base_value))
    *_, effect = play_rules_effect(
        ruleset, [rule._replace(values=values)], rulesets, lineup, blocks=blocks, seed=seed
    )
    return effect


def split_experiments(effect: RulesEffect, blocks: int) -> Iterator[RulesEffect]:
    """Yield the results of each `blocks` blocks: as many experiments, each with luck of its own."""

    def cut_blocks(results: RulesetResults, first: int) -> RulesetResults:
        columns = [field.name for field in fields(results) if field.name != "design"]
        cut: dict[str, Any] = {name: getattr(results, name)[first : first + blocks] for name in columns}
        return replace(results, **cut)

    for first in range(0, effect.blocks - blocks + 1, blocks):
        yield RulesEffect(effect.rules, tuple(cut_blocks(results, first) for results in effect.results))


def difference_intervals(effect: RulesEffect) -> dict[str, Interval]:
    """Return the intervals of all differences between the two rulesets by what they are of."""
    differences = {
        f"{measure.kind} {measure.of}".strip(): effect.list_differences(measure)[1]
        for measure in effect.measures
    }
    return {of: interval for of, interval in differences.items() if interval}


def measure_coverage(
    changed: RuleValue, *, experiments: int, truth: int, blocks: int = LIVE_BLOCKS.default
) -> dict[str, float]:
    """Return the share of intervals that contain the truth, for each difference; experiments too small for an interval do not count."""
    lineup = LINEUPS[changed.ruleset]
    true = difference_intervals(play_effect(changed, lineup, truth, TRUTH_SEED))
    covered, given = Counter[str](), Counter[str]()
    for experiment in split_experiments(play_effect(changed, lineup, experiments * blocks, 1), blocks):
        for of, interval in difference_intervals(experiment).items():
            given[of] += 1
            covered[of] += interval.low - 1e-9 <= true[of].estimate <= interval.high + 1e-9
    return {of: covered[of] / given[of] for of in true if given[of]}


def measure_variance_ratios(changed: RuleValue, lineup: tuple[str, ...], blocks: int) -> dict[str, float]:
    """Return the share of games with another move, and by strategy the variance ratio of the difference in mean score."""
    effect = play_effect(changed, lineup, blocks, 2)
    ratios = {
        strategy: statistics.variance_ratio(*(one.mean_scores(strategy) for one in effect.results))
        for strategy in effect.strategies
    }
    return {
        "moved": effect.moved_share(1).estimate,
        **{strategy: np.nan if ratio is None else ratio for strategy, ratio in ratios.items()},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--experiments", type=int, default=500)
    parser.add_argument(
        "--blocks", type=int, default=LIVE_BLOCKS.default, help="blocks of an experiment (%(default)s)"
    )
    parser.add_argument("--truth", type=int, default=200_000, help="blocks that give the truth (%(default)s)")
    parser.add_argument(
        "--luck-blocks", type=int, default=1000, help="blocks for a variance ratio (%(default)s)"
    )
    options = parser.parse_args()
    write = sys.stdout.write
    if options.only in {None, "coverage"}:
        for changed in COVERED_VALUES:
            shares = measure_coverage(
                changed, experiments=options.experiments, truth=options.truth, blocks=options.blocks
            )
            write(f"{changed}: {', '.join(f'{of} {share:.3f}' for of, share in shares.items())}\n")
    if options.only in {None, "luck"}:
        for changed in COMPARED_VALUES:
            for lineup in (LINEUPS[changed.ruleset], THINKING_LINEUPS[changed.ruleset]):
                ratios = measure_variance_ratios(changed, lineup, options.luck_blocks)
                write(f"{changed}: {', '.join(f'{of} {ratio:.2f}' for of, ratio in ratios.items())}\n")


if __name__ == "__main__":
    main()
