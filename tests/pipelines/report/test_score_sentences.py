"""The sentence above the picture of scores claims no more than its intervals."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.design.lineups import make_lineup
from pipelines.questions.measured import Measured
from pipelines.questions.scores.distributions import (
    GroupScores,
    MeansComparison,
    add_half_widths,
    choose_best,
    choose_compared,
)
from pipelines.report.score_sentences import describe_comparison, describe_lead
from pipelines.statistics import Distribution, Interval, mean_interval
from pipelines.statistics.intervals import hold_for_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.runs.library import Run

    Measure = Callable[[GroupScores, GroupScores], Interval]


def make_mean(ruleset: str, strategy: str, mean: float, half: float, results: int = 1200) -> GroupScores:
    scores = Distribution(np.array([0]), np.array([results]))
    measured = Measured(Interval(mean, mean - half, mean + half), results)
    name = strategy.partition(":")[0]
    return GroupScores(ruleset, ruleset, ruleset, strategy, name, scores, measured, results)


def measure_by_half_widths(a: GroupScores, b: GroupScores) -> Interval:
    return add_half_widths(a.mean.interval, b.mean.interval)


def compare_rulesets(
    means: Sequence[GroupScores], unit: str, measure: Measure = measure_by_half_widths
) -> str:
    """Return what an answer with these means says of the best strategy."""
    compared = choose_compared(means, lowest_wins=False)
    if not compared:
        return ""
    base, *others = compared[0]
    pairs = tuple((one, measure(one, base)) for one in others)
    return describe_comparison(MeansComparison(base, pairs, is_of_rulesets=True), unit)


def compare_strategies(
    means: Sequence[GroupScores], runs: Sequence[Run], *, lowest_wins: bool
) -> MeansComparison:
    base, *others = choose_best(means, runs, lowest_wins=lowest_wins)
    pairs = tuple((one, measure_by_half_widths(base, one)) for one in others)
    return MeansComparison(base, pairs, is_of_rulesets=False)


def describe_strategies(
    means: Sequence[GroupScores], unit: str, runs: Sequence[Run], *, lowest_wins: bool
) -> str:
    return describe_comparison(compare_strategies(means, runs, lowest_wins=lowest_wins), unit)


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
        "greedy scores about 67 fewer points with rest than with plain (65.0 to 69.0), and not clearly more or fewer with touch "
        "(between 0.3 fewer and 1.3 more; 1,200 results each; 95 % intervals)."
    )
    assert compare_rulesets([means[0], means[2]], "points") == (
        "greedy scores not clearly more or fewer points with touch than with plain (between 0.3 fewer and 1.3 more; 1,200 results each; "
        "95 % intervals)."
    )


def test_the_largest_of_several_differences_has_an_interval_that_holds_for_all_of_them() -> None:
    means = [
        make_mean("plain", "greedy", 45, 0.4),
        make_mean("rest", "greedy", -22, 1.6),
        make_mean("touch", "greedy", 45.5, 0.4),
        make_mean("mini", "greedy", 44.5, 0.4),
    ]
    widened = hold_for_all(measure_by_half_widths(means[1], means[0]), 3)
    assert widened.half_width > 1.2 * measure_by_half_widths(means[1], means[0]).half_width
    assert f"({-widened.high:.1f} to {-widened.low:.1f}; 1,200 results each" in compare_rulesets(
        means, "points"
    )


def test_a_strategy_that_did_not_play_everywhere_is_not_compared() -> None:
    means = [make_mean("plain", "planner", 50, 1), make_mean("rest", "greedy", 5, 1)]
    assert not compare_rulesets(means, "points")


def test_each_strategy_that_played_everywhere_is_compared_the_best_one_first() -> None:
    means = [
        make_mean(ruleset, strategy, mean, 1)
        for ruleset, strategy, mean in (
            ("plain", "greedy", 26),
            ("plain", "random", 41),
            ("plain", "keeper", 20),
            ("small", "greedy", 20),
            ("small", "random", 32),
        )
    ]
    for lowest_wins, order in ((True, ["greedy", "random"]), (False, ["random", "greedy"])):
        compared = choose_compared(means, lowest_wins=lowest_wins)
        assert [groups[0].strategy for groups in compared] == order
        assert all([group.ruleset for group in groups] == ["plain", "small"] for groups in compared)


def test_only_strategies_of_the_same_runs_are_compared() -> None:
    planner = "planner:candidates=4"
    runs = [make_run("first", "greedy", "random"), make_run("second", "greedy", planner)]
    means = [make_mean("plain", planner, 50, 1), make_mean("plain", "greedy", 45, 1)]
    assert describe_strategies(means, "points", runs, lowest_wins=False) == (
        "planner scores about 50 points with plain (49.0 to 51.0; 1,200 results; 95 % intervals)."
    )
    means.append(make_mean("plain", "random", -20, 1))
    said = describe_strategies(means[1:], "points", runs[:1], lowest_wins=False)
    assert said.endswith("; random about 65 fewer (63.0 to 67.0; 1,200 results each; 95 % intervals).")
    assert "random scores" in describe_strategies(means[1:], "points", runs[:1], lowest_wins=True)


def test_a_difference_that_was_measured_is_given_instead_of_the_sum_of_half_widths() -> None:
    means = [make_mean("plain", "greedy", 45, 1), make_mean("rest", "greedy", 44, 1)]

    def measure(a: GroupScores, b: GroupScores) -> Interval:
        assert (a.ruleset, b.ruleset) in {("rest", "plain"), ("plain", "rest")}
        return Interval(a.estimate - b.estimate, -1.2, -0.8)

    assert "not clearly more or fewer" in compare_rulesets(means, "points")
    assert "about 1 fewer points with rest than with plain (0.8 to 1.2;" in compare_rulesets(
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


def check_about(text: str, number: float, half: float) -> None:
    """Check that a number said with "about" lies inside of its interval: in whole points, or as exact as the interval."""
    assert abs(read_number(text) - number) <= (0.5 if half >= 0.5 else half / 2) + 1e-9


def check_told(texts: tuple[str, ...], numbers: tuple[float, ...], half: float) -> None:
    """Check that each text is its number, rounded to a digit that the interval supports; in narrow ones to that of the mean."""
    for text, number in zip(texts, numbers, strict=True):
        assert abs(read_number(text) - number) <= (half / 5 if half >= 0.5 else half / 2 + 1e-9)


def check_start(said: str, name: str, ruleset: str, numbers: Numbers) -> str:
    """Check the mean at the beginning of a sentence, and return the rest."""
    mean, half, _ = numbers
    start = re.match(rf"{name} scores about {NUMBER} points? with {ruleset} \({NUMBER} to {NUMBER}", said)
    assert start
    check_about(start[1], mean, half)
    check_told(start.groups()[1:], (mean - half, mean + half), half)
    decimals = {len(text.partition(".")[2]) for text in start.groups()[1:]}
    if half < 0.5 and len(decimals) == 1:
        assert read_number(start[1]) == round(mean, decimals.pop())
    return said[start.end() :]


def check_difference(text: str, about: str, difference: float, width: float) -> None:
    """Check what is said of a difference: more or fewer only where its interval, `width` on each side, excludes 0."""
    if abs(difference) <= width:
        unclear = re.search(
            rf"not clearly more or fewer{about} \(between {NUMBER} fewer and {NUMBER} more", text
        )
        assert unclear
        check_told(unclear.groups(), (width - difference, width + difference), width)
        return
    clear = re.search(rf"about {NUMBER} (more|fewer){about} \({NUMBER} to {NUMBER}", text)
    assert clear
    assert clear[2] == ("more" if difference > 0 else "fewer")
    check_about(clear[1], abs(difference), width)
    check_told((clear[3], clear[4]), (abs(difference) - width, abs(difference) + width), width)
    assert read_number(clear[1]) > 0
    assert read_number(clear[3]) > 0


def check_lead(lead: str, first: str, second: str, difference: float, width: float) -> None:
    """Check what is said of the best two: a lead only where its interval, `width` on each side, excludes 0."""
    if abs(difference) <= width:
        unclear = rf"scores between {NUMBER} points? fewer and {NUMBER} more than {second} \(95 % interval\)"
        told = re.fullmatch(rf"too close to call: {first} {unclear}", lead)
        assert told
        check_told(told.groups(), (width + difference, width - difference), width)
        return
    fewest = "fewer points win; " if difference > 0 else ""
    by = rf"by {NUMBER} points? a game \({fewest}95 % interval {NUMBER} to {NUMBER}\)"
    told = re.fullmatch(rf"{first} beats {second} {by}", lead)
    assert told
    check_told(told.groups(), (abs(difference), abs(difference) - width, abs(difference) + width), width)
    assert read_number(told[2]) > 0


@settings(deadline=None)
@given(st.lists(numbers_of_mean, min_size=2, max_size=4))
def test_the_comparison_of_rulesets_claims_more_or_less_only_where_zero_is_excluded(
    drawn: list[Numbers],
) -> None:
    means = [make_mean(f"rules-{at}", "greedy", *numbers) for at, numbers in enumerate(drawn)]
    said = compare_rulesets(means, "points")
    wider = (
        hold_for_all(Interval(0.0, -1.0, 1.0), 3).high if len(drawn) == 4 else 1.0
    )  # of three one is picked
    others = [(mean - drawn[0][0], wider * (half + drawn[0][1]), n) for mean, half, n in drawn[1:]]
    is_clear = [abs(difference) > half for difference, half, _ in others]
    assert said.startswith("greedy scores not clearly") or any(is_clear)
    at = int(re.search(r"with rules-(\d)", said)[1])  # type: ignore[index]
    difference, half, n = others[at - 1]
    sizes = [abs(one) for one, _, _ in others]
    assert abs(difference) == max(
        size for size, clear in zip(sizes, is_clear, strict=True) if clear or not any(is_clear)
    )
    check_difference(
        f", {said.removeprefix('greedy scores ')}",
        f" points with rules-{at} than with rules-0",
        difference,
        half,
    )
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
    compared = compare_strategies(means, [make_run("one", *names)], lowest_wins=lowest_wins)
    said, lead = describe_comparison(compared, "points"), describe_lead(compared, lowest_wins=lowest_wins)
    order = sorted(range(len(drawn)), key=lambda at: drawn[at][0] if lowest_wins else -drawn[at][0])
    best = drawn[order[0]]
    rest = check_start(said, names[order[0]], "plain", best)
    if len(drawn) == 1:
        assert re.fullmatch(rf"; {best[2]:,} results?; 95 % intervals\)\.", rest)
        alone = re.fullmatch(
            rf"ada scores {NUMBER} points? a game \(95 % interval {NUMBER} to {NUMBER}\)", lead
        )
        assert alone
        check_told(alone.groups(), (best[0], best[0] - best[1], best[0] + best[1]), best[1])
        return
    second = drawn[order[1]]
    assert rest.startswith(f"); {names[order[1]]} ")
    difference = second[0] - best[0]
    check_difference(rest, "", difference, best[1] + second[1])
    if "about" in rest:
        assert ("more" in rest) == lowest_wins
    check_lead(lead, names[order[0]], names[order[1]], difference, best[1] + second[1])
    counts = {f"{best[2]:,}", f"{second[2]:,}"}
    assert counts <= set(re.findall(r"[\d,]+", rest.partition("; ")[2].partition("; ")[2]))
