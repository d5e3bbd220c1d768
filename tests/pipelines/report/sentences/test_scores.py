"""The sentence above the picture of scores claims no more than its intervals."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.design.lineup import make_lineup
from pipelines.questions.measured import Measured
from pipelines.questions.scores.distributions import (
    GroupScores,
    MeansComparison,
    add_half_widths,
    choose_best,
    choose_compared,
)
from pipelines.report.sentences.scores import describe_comparison
from pipelines.statistics import Distribution, Interval, mean_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.runs.library import Run

    Measure = Callable[[GroupScores, GroupScores], Interval]


def make_mean(ruleset: str, strategy: str, mean: float, half: float, results: int = 1200) -> GroupScores:
    scores = Distribution(np.array([0]), np.array([results]))
    measured = Measured(Interval(mean, mean - half, mean + half), results, "block")
    return GroupScores(ruleset, ruleset, strategy, strategy.partition(":")[0], scores, measured, results)


def measure_by_half_widths(a: GroupScores, b: GroupScores) -> Interval:
    return add_half_widths(a.mean.interval, b.mean.interval)


def compare_rulesets(
    means: Sequence[GroupScores], unit: str, measure: Measure = measure_by_half_widths
) -> str:
    """Return what an answer with these means says."""
    chosen = choose_compared(means)
    if not chosen:
        return ""
    base, *others = chosen
    pairs = tuple((one, measure(one, base)) for one in others)
    return describe_comparison(MeansComparison(base, pairs, is_of_rulesets=True), unit)


def describe_strategies(
    means: Sequence[GroupScores], unit: str, runs: Sequence[Run], *, lowest_wins: bool
) -> str:
    base, *others = choose_best(means, runs, lowest_wins=lowest_wins)
    pairs = tuple((one, measure_by_half_widths(base, one)) for one in others)
    return describe_comparison(MeansComparison(base, pairs, is_of_rulesets=False), unit)


def make_run(name: str, *strategies: str) -> Run:
    lineup = make_lineup(rotate_lineup(strategies))
    return cast("Run", SimpleNamespace(name=name, summary=SimpleNamespace(lineup=lineup)))


def rotate_lineup(strategies: Sequence[str]) -> list[tuple[str, ...]]:
    return [(*strategies[at:], *strategies[:at]) for at in range(len(strategies))]


def test_a_clear_difference_is_given_with_its_interval_and_an_unclear_one_is_not_claimed() -> None:
    means = [
        make_mean("plain", "greedy", 45, 0.4),
        make_mean("rest", "greedy", -22, 1.6),
        make_mean("touch", "greedy", 45.5, 0.4),
        make_mean("plain", "random", -20, 1),
    ]
    assert compare_rulesets(means, "points") == (
        "Compared with plain, greedy scores 67.0 points less a game with rest (65.0 to 69.0) "
        "and not clearly more or less with touch (\u22120.3 to 1.3) (1,200 results each; 95 % intervals)."
    )


def test_a_strategy_that_did_not_play_everywhere_is_not_compared() -> None:
    means = [make_mean("plain", "planner", 50, 1), make_mean("rest", "greedy", 5, 1)]
    assert not compare_rulesets(means, "points")


def test_only_strategies_of_the_same_runs_are_compared() -> None:
    planner = "planner:candidates=4"
    runs = [make_run("first", "greedy", "random"), make_run("second", "greedy", planner)]
    means = [make_mean("plain", planner, 50, 1), make_mean("plain", "greedy", 45, 1)]
    assert describe_strategies(means, "points", runs, lowest_wins=False) == (
        "planner scores 50.0 points a game on average (95 % interval 49.0 to 51.0; 1,200 results)."
    )
    means.append(make_mean("plain", "random", -20, 1))
    said = describe_strategies(means[1:], "points", runs[:1], lowest_wins=False)
    assert said.endswith(", 65.0 more than random (63.0 to 67.0).")
    assert "random scores" in describe_strategies(means[1:], "points", runs[:1], lowest_wins=True)


def test_a_difference_that_was_measured_is_given_instead_of_the_sum_of_half_widths() -> None:
    means = [make_mean("plain", "greedy", 45, 1), make_mean("rest", "greedy", 44, 1)]

    def measure(a: GroupScores, b: GroupScores) -> Interval:
        assert (a.ruleset, b.ruleset) in {("rest", "plain"), ("plain", "rest")}
        return Interval(a.estimate - b.estimate, -1.2, -0.8)

    assert "not clearly" in compare_rulesets(means, "points")
    assert "scores 1.00 points less a game with rest (0.80 to 1.20)" in compare_rulesets(
        means, "points", measure
    )


def test_a_difference_of_means_is_covered_however_the_two_depend_on_each_other() -> None:
    for sign in (1, -1):
        hits = 0
        for seed in range(300):
            luck = np.random.default_rng(seed).normal(size=40)
            pair = [mean_interval(float(x.mean()), float(x.std(ddof=1)), 40) for x in (luck, 2 + sign * luck)]
            assert pair[0]
            assert pair[1]
            found = add_half_widths(pair[1], pair[0])
            hits += found.low <= 2 <= found.high
        assert hits >= 0.925 * 300


Numbers = tuple[float, float, int]
numbers_of_mean = st.tuples(st.floats(-90, 90), st.floats(0.05, 20), st.integers(1, 9999))
"""A mean, half the width of its interval, and the number of results."""
NUMBER = r"(\u2212?[\d.]+)"


def read_number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def check_told(texts: tuple[str, ...], numbers: tuple[float, ...], half: float) -> None:
    """Check that each text is its number, rounded to a digit that the interval supports."""
    for text, number in zip(texts, numbers, strict=True):
        assert abs(read_number(text) - number) <= half / 5


@settings(deadline=None)
@given(st.lists(numbers_of_mean, min_size=2, max_size=4))
def test_the_comparison_of_rulesets_claims_more_or_less_only_where_zero_is_excluded(
    drawn: list[Numbers],
) -> None:
    means = [make_mean(f"rules-{at}", "greedy", *numbers) for at, numbers in enumerate(drawn)]
    said = compare_rulesets(means, "points")
    assert said.startswith("Compared with rules-0, greedy scores ")
    base = drawn[0]
    for at, (mean, half, n) in enumerate(drawn[1:], start=1):
        difference, width = mean - base[0], half + base[1]
        part = re.search(
            rf"((?:[\d.]+ points|not clearly) [\w ]+ with rules-{at}) \({NUMBER} to {NUMBER}\)", said
        )
        assert part
        ends = (difference - width, difference + width)
        if ends[0] <= 0 <= ends[1]:
            assert part[1] == f"not clearly more or less with rules-{at}"
            check_told(part.groups()[1:], ends, width)
        else:
            amount = re.fullmatch(rf"([\d.]+) points (more|less) a game with rules-{at}", part[1])
            assert amount
            assert amount[2] == ("more" if difference > 0 else "less")
            low, high = sorted(map(abs, ends))
            check_told((amount[1], *part.groups()[1:]), (abs(difference), low, high), width)
            assert read_number(part[2]) > 0
        assert f"{n:,}" in said


@settings(deadline=None)
@given(
    drawn=st.lists(numbers_of_mean, min_size=1, max_size=4, unique_by=lambda one: one[0]),
    lowest_wins=st.booleans(),
)
def test_the_best_strategy_is_called_ahead_only_where_zero_is_excluded(
    drawn: list[Numbers], *, lowest_wins: bool
) -> None:
    names = ["ada", "bea", "cyd", "dot"][: len(drawn)]
    means = [make_mean("plain", name, *numbers) for name, numbers in zip(names, drawn, strict=True)]
    said = describe_strategies(means, "points", [make_run("one", *names)], lowest_wins=lowest_wins)
    order = sorted(range(len(drawn)), key=lambda at: drawn[at][0] if lowest_wins else -drawn[at][0])
    mean, half, n = drawn[order[0]]
    start = re.match(
        rf"(\w+) scores {NUMBER} points a game on average \(95 % interval {NUMBER} to {NUMBER}; ([\d,]+) results?\)",
        said,
    )
    assert start
    assert (start[1], start[5]) == (names[order[0]], f"{n:,}")
    check_told(start.groups()[1:4], (mean, mean - half, mean + half), half)
    rest = said[start.end() :]
    if len(drawn) == 1:
        assert rest == "."
        return
    other, other_half, _ = drawn[order[1]]
    difference, width = mean - other, half + other_half
    second = names[order[1]]
    if abs(difference) <= width:
        unclear = re.fullmatch(
            rf"; {second} may score as much \(between {NUMBER} more and {NUMBER} less\)\.", rest
        )
        assert unclear
        check_told(unclear.groups(), (width - difference, difference + width), width)
        return
    clear = re.fullmatch(rf", {NUMBER} (more|less) than {second} \({NUMBER} to {NUMBER}\)\.", rest)
    assert clear
    assert clear[2] == ("more" if difference > 0 else "less")
    assert (clear[2] == "less") == lowest_wins
    low, high = sorted((abs(difference - width), abs(difference + width)))
    check_told((clear[1], clear[3], clear[4]), (abs(difference), low, high), width)
    assert read_number(clear[3]) > 0
