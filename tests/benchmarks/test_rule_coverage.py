"""Intervals of what a rule changes contain the truth, and common luck makes them shorter, measured by `benchmarks/rule_coverage.py`."""

from __future__ import annotations

import pytest

from benchmarks.rule_coverage import (
    COVERED_VALUES,
    LINEUPS,
    RuleValue,
    measure_coverage,
    measure_variance_ratios,
    play_effect,
    split_experiments,
)


@pytest.mark.parametrize(
    "changed", [COVERED_VALUES[0], COVERED_VALUES[1], COVERED_VALUES[3], COVERED_VALUES[5]], ids=str
)
def test_intervals_of_differences_contain_the_truth_in_about_95_of_100_experiments(
    changed: RuleValue,
) -> None:
    """The binomial error of 500 experiments is 1 percentage point; 60 blocks are fewer than an answer has by default."""
    shares = measure_coverage(changed, experiments=500, truth=40_000, blocks=60)
    assert min(shares.values()) >= 0.93 - 0.01


def test_common_luck_saves_most_games_where_few_moves_change() -> None:
    ratios = measure_variance_ratios(RuleValue("bloxx-2p", "row_later", 4), LINEUPS["bloxx-2p"], 500)
    assert ratios["greedy"] < 0.5


def test_experiments_share_no_block() -> None:
    changed = COVERED_VALUES[0]
    effect = play_effect(changed, LINEUPS[changed.ruleset], 21, 3)
    first, second = split_experiments(effect, 10)
    assert first.blocks == second.blocks == 10
    assert first.results[1].scores.tolist() == effect.results[1].scores[:10].tolist()
    assert second.results[1].scores.tolist() == effect.results[1].scores[10:20].tolist()
