"""Intervals of what-ifs contain the truth, measured by `benchmarks/whatif_coverage.py`; blocks are kept together."""

from __future__ import annotations

import math

import pytest

from benchmarks.whatif_coverage import (
    GAMES,
    count_contradictions,
    measure_many_games,
    measure_rules,
    measure_single_game,
)

every_game = pytest.mark.parametrize("name", GAMES)


def least_share(intervals: int) -> float:
    """Return 93 % less two and a half standard errors."""
    return 0.93 - 2.5 * math.sqrt(0.93 * 0.07 / intervals)


@pytest.mark.slow
@pytest.mark.parametrize("until_decided", [False, True])
@pytest.mark.parametrize(
    ("name", "experiments", "truth"),
    [("bloxx-2p", 30, 1500), *(pytest.param(name, 300, 6000, marks=pytest.mark.night) for name in GAMES)],
)
def test_intervals_of_one_game_cover_the_truth(
    name: str, experiments: int, truth: int, *, until_decided: bool
) -> None:
    n = 240 if until_decided else 60
    measured = list(
        measure_single_game(name, experiments=experiments, truth=truth, n=n, until_decided=until_decided)
    )
    assert len(measured) == 15
    for found in measured:
        assert found.share >= least_share(found.intervals), found


@pytest.mark.night
@every_game
def test_intervals_of_many_games_cover_the_truth(name: str) -> None:
    for found in measure_many_games(name, experiments=600):
        assert found.share >= least_share(found.intervals), found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "repetitions", "truth"),
    [("bloxx-2p", 12, 600), *(pytest.param(name, 200, 4000, marks=pytest.mark.night) for name in GAMES)],
)
def test_many_continuations_contradict_no_exact_statement_and_few_others(
    name: str, repetitions: int, truth: int
) -> None:
    """A width of zero is never wrong: the rules determine such results. Other intervals of level 95 % may be, now and then."""
    counts = count_contradictions(name, repetitions=repetitions, truth=truth)
    assert counts["statements"] > repetitions / 3
    assert counts["contradicted of width zero"] == 0, counts
    assert counts["contradicted"] <= 0.05 * counts["statements"], counts


def test_stopping_rules_are_rarely_wrong_within_their_promise() -> None:
    shares = dict(measure_rules(200, blocks=1000))
    promised = {what: share for what, share in shares.items() if "outside the promise" not in what}
    assert len(promised) == len(shares) - 4
    for what, share in promised.items():
        assert share <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / 200), what
