"""The sentences above the pictures of parts, rounds, players and lengths say what the numbers behind them say, and no more."""

from __future__ import annotations

import re
from operator import itemgetter

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipelines.questions.measured import Measured
from pipelines.questions.scores.means import GameLengths, Line, PlaceMean, SeatEdges, list_lines
from pipelines.report.score_sentences import (
    compare_courses,
    compare_parts,
    describe_course,
    describe_lengths,
    describe_parts,
    describe_players,
)
from pipelines.statistics import Distribution, Interval

Numbers = tuple[float, float, int]
means = st.tuples(st.floats(-80, 200), st.floats(0.05, 40), st.integers(1, 9999))
"""A mean, half the width of its interval and the number of results."""


def make_line(
    numbers: list[Numbers], strategy: str, ruleset: str = "plain", places: list[str] | None = None
) -> Line:
    points = [
        PlaceMean(
            places[at] if places else at + 1,
            ruleset,
            ruleset,
            strategy,
            strategy,
            Interval(mean, mean - half, mean + half),
            n,
            n,
        )
        for at, (mean, half, n) in enumerate(numbers)
    ]
    (line,) = list_lines(points)
    return line


def is_clear(a: Numbers, b: Numbers) -> bool:
    """Return whether the two intervals are further apart than their half widths together."""
    return abs(a[0] - b[0]) > a[1] + b[1]


def numbers_in(said: str) -> list[float]:
    return [float(text) for text in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", said.replace("−", "-"))]


def has_near(said: str, number: float, width: float) -> bool:
    """Return whether a sentence contains a number, rounded as its interval allows; in narrow ones as the mean."""
    allowed = width / 5 if width >= 0.5 else width / 2 + 1e-5
    return any(abs(one - number) <= allowed for one in numbers_in(said.replace(",", "")))


def says_about(said: str, number: float, half: float) -> bool:
    """Return whether a sentence says "about" and this number: in whole numbers, or as exact as the interval."""
    allowed = 0.5 + 1e-9 if half >= 0.5 else half / 2 + 1e-5
    found = re.findall(r"about (−?[\d.]+)", said)
    return any(abs(float(text.replace("−", "-")) - number) <= allowed for text in found)


@settings(deadline=None)
@given(st.lists(means, min_size=2, max_size=4), st.lists(means, min_size=2, max_size=4))
def test_parts_name_the_largest_difference_and_claim_only_a_clear_one(
    numbers: list[Numbers], others: list[Numbers]
) -> None:
    places = ["Rows", "Columns", "Blocks", "Gaps"]
    said = describe_parts(
        make_line(numbers, "greedy", places=places), make_line(others, "random", places=places)
    )
    pairs = list(zip(numbers, others, strict=False))
    clear = [index for index, (a, b) in enumerate(pairs) if is_clear(a, b)]
    assert said.startswith("The largest difference lies in ") == bool(clear)
    assert said.startswith("Random does not clearly differ from greedy in any part (") == (not clear)
    assert f"{max(n for *_, n in numbers):,} result" in said
    if clear:
        largest = max(clear, key=lambda index: abs(pairs[index][0][0] - pairs[index][1][0]))
        difference = pairs[largest][1][0] - pairs[largest][0][0]
        half = pairs[largest][0][1] + pairs[largest][1][1]
        kind = "more" if difference > 0 else "fewer"
        assert f"lies in {places[largest].lower()}: random gets about " in said
        assert f" {kind} points there than greedy (" in said
        assert says_about(said, abs(difference), half)
        for end in (difference - half, difference + half):
            assert has_near(said, abs(end), half)


@settings(deadline=None)
@given(st.lists(means, min_size=2, max_size=4))
def test_the_largest_part_of_one_strategy_is_named(numbers: list[Numbers]) -> None:
    places = ["Rows", "Columns", "Blocks", "Gaps"]
    said = describe_parts(make_line(numbers, "greedy", places=places))
    at = max(range(len(numbers)), key=lambda index: numbers[index][0])
    mean, half, n = numbers[at]
    assert re.search(rf" points? from {places[at].lower()} \(", said)
    assert says_about(said, mean, half)
    assert has_near(said, mean - half, half)
    assert f"{n:,} result" in said
    rest = [one for index, one in enumerate(numbers) if index != at]
    assert ("than from any other part" in said) == all(mean - half > one[0] + one[1] for one in rest)


@settings(deadline=None)
@given(st.lists(st.tuples(means, means), min_size=1, max_size=6))
def test_a_course_says_since_when_two_strategies_clearly_differ_and_how_much_at_the_end(
    pairs: list[tuple[Numbers, Numbers]],
) -> None:
    a, b = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    said = describe_course(make_line(a, "greedy"), make_line(b, "random"))
    # Only rounds count that nearly all games reached.
    known_a, known_b = (
        {at for at, one in enumerate(x) if one[2] >= 0.9 * max(x, key=itemgetter(2))[2]} for x in (a, b)
    )
    both = sorted(known_a & known_b)
    if not both:
        assert said == describe_course(make_line(a, "greedy"))
        return
    signs = [np.sign(a[at][0] - b[at][0]) if is_clear(a[at], b[at]) else 0 for at in both]
    is_last = both[-1] == len(a) - 1
    ending = f"after round {both[-1] + 1}{'' if is_last else ', the last that nine in ten games reach,'} "
    assert ending in said.lower()
    assert f"{a[both[-1]][2]:,} result" in said
    assert ("greedy has not clearly more or fewer than random (" in said) == (signs[-1] == 0)
    if signs[-1]:
        start = next(at for at in range(len(signs)) if set(signs[at:]) == {signs[-1]})
        kind = "more" if signs[-1] > 0 else "fewer"
        assert said.startswith(
            f"From round {both[start] + 1} on greedy has clearly {kind} points than random, after round "
        )
        difference, half = a[both[-1]][0] - b[both[-1]][0], a[both[-1]][1] + b[both[-1]][1]
        assert says_about(said, abs(difference), half)
        for end in (difference - half, difference + half):
            assert has_near(said, abs(end), half)


@settings(deadline=None)
@given(st.lists(means, min_size=1, max_size=6))
def test_the_course_of_one_strategy_is_its_mean_half_way_and_at_the_end(numbers: list[Numbers]) -> None:
    said = describe_course(make_line(numbers, "greedy"))
    rounds = [at for at, one in enumerate(numbers) if one[2] >= 0.9 * max(numbers, key=itemgetter(2))[2]]
    assert f"after round {rounds[-1] + 1} (" in said
    assert f"{numbers[rounds[-1]][2]:,} result" in said
    for mean, half, _ in (numbers[rounds[(len(rounds) - 1) // 2]], numbers[rounds[-1]]):
        assert says_about(said, mean, half)
        assert has_near(said, mean + half, half)


def make_edges(*numbers: tuple[float, float], first: int = 1, ruleset: str = "plain") -> SeatEdges:
    edges = {first + at: Interval(mean, mean - half, mean + half) for at, (mean, half) in enumerate(numbers)}
    return SeatEdges(ruleset, ruleset, ("greedy",), ("greedy",), edges, 40, {})


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(-80, 80), st.floats(0.05, 40)), min_size=1, max_size=4), st.booleans())
def test_player_1_is_compared_with_the_others_and_only_a_clear_difference_is_claimed(
    numbers: list[tuple[float, float]],
    lowest_wins: bool,  # noqa: FBT001 - drawn
) -> None:
    said = describe_players(make_edges(*numbers), lowest_wins=lowest_wins)
    difference, half = numbers[0]
    assume(abs(abs(difference) - half) > 1e-9)
    is_unclear = abs(difference) < half
    assert (
        said.startswith("Starting does not clearly help greedy: as player 1 it scores between ") == is_unclear
    )
    assert ("than as player 2" in said) == (len(numbers) == 1)
    assert ("than all players on average" in said) == (len(numbers) > 1)
    assert has_near(said, abs(difference + half), half)
    assert has_near(said, abs(difference - half), half)
    if not is_unclear:
        assert says_about(said, abs(difference), half)
        assert said.startswith("Starting helps greedy: as player 1 ") == ((difference > 0) != lowest_wins)
    assert "40 blocks; 95 % intervals" in said


def test_the_ruleset_is_named_where_there_are_several() -> None:
    assert describe_players(make_edges((-4, 2)), is_of_rulesets=True) == (
        "Starting is a drawback for greedy with plain: as player 1 it scores about 4 points fewer than as player 2 (2.0 to 6.0; 40 blocks; "
        "95 % intervals)."
    )


def test_one_sentence_says_under_which_of_several_rulesets_starting_helps() -> None:
    edges = [
        make_edges((mean, 2), ruleset=name)._replace(names=("greedy", "random"))
        for mean, name in ((-4, "plain"), (0, "rest"), (3, "touch"), (1, "wide"))
    ]
    assert describe_players(*edges, is_of_rulesets=True) == (
        "Starting is a drawback for greedy and random with plain: as player 1 they score about 4 points fewer than as player 2 (2.0 to 6.0; "
        "40 blocks; 95 % intervals); with rest (greedy and random) and wide (greedy and random) it does not clearly help; with touch (greedy and random) it helps."
    )
    alone = [make_edges((-4, 2)), make_edges((0, 2))._replace(names=("random",))]
    assert describe_players(*alone).endswith("95 % intervals); it does not clearly help random.")


def test_nothing_is_said_of_starting_where_the_strategy_never_starts() -> None:
    assert describe_players(make_edges((-0.5, 1), (0.5, 1), first=2)) == (
        "The seat does not clearly matter for greedy: as player 2 it scores between 1.5 points fewer and 0.5 more than all players on "
        "average (40 blocks; 95 % intervals that hold for all players at once)."
    )


def test_the_player_who_is_clearly_best_off_is_named_where_starting_does_not_help() -> None:
    edges = make_edges((0.4, 1.5), (0, 1.5), (2, 1.5), (-2.4, 1.5))
    assert "; best off is player 3, about 2 more (0.5 to 3.5); worst off is player 4, about 2 fewer" in (
        describe_players(edges)
    )


def test_the_player_who_is_clearly_worst_off_is_named_and_strategies_together_are_they() -> None:
    edges = make_edges((4, 1.5), (0, 1.5), (0, 1.5), (-4, 1.5))._replace(names=("greedy", "random"))
    assert describe_players(edges) == (
        "Starting helps greedy and random: as player 1 they score about 4 points more than all players on average (2.5 to 5.5); worst off "
        "is player 4, about 4 fewer (2.5 to 5.5; 40 blocks; 95 % intervals that hold for all players at once)."
    )


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 60), min_size=4, max_size=40), min_size=1, max_size=3))
def test_lengths_are_described_by_their_mean_and_by_a_range_that_holds_nine_in_ten_games(
    samples: list[list[int]],
) -> None:
    found = []
    for at, sample in enumerate(samples):
        values, counts = np.unique(sample, return_counts=True)
        half = float(np.std(sample)) / len(sample) ** 0.5
        mean = float(np.mean(sample))
        found.append(
            GameLengths(
                f"rules-{at}",
                f"rules-{at}",
                Distribution(values, counts),
                Measured(Interval(mean, mean - half, mean + half), len(sample)),
            )
        )
    said = describe_lengths(found, "rounds")
    assert f"{len(samples[0])} games" in said
    first = found[0]
    if len(set(samples[0])) == 1:
        assert said.startswith(f"All {len(samples[0])} games of rules-0 took {samples[0][0]} round")
    else:
        mean_length = first.mean.interval
        assert mean_length
        assert says_about(said, mean_length.estimate, mean_length.half_width)
        low, high = map(int, re.findall(r"nine in ten or more took (\d+) to (\d+)", said)[0])
        inside = [length for length in samples[0] if low <= length <= high]
        assert len(inside) >= 0.9 * len(samples[0])
    for other in found[1:]:
        if len(other.lengths.values) == 1 or not first.mean.interval or not other.mean.interval:
            continue
        clear = (
            abs(other.mean.interval.estimate - first.mean.interval.estimate)
            > first.mean.interval.half_width + other.mean.interval.half_width + 1e-9
        )
        part = next(text for text in said.split("; ") if f"games of {other.ruleset} are" in text)
        assert ("perhaps as long" in part) == (not clear)
        if clear:
            assert ("longer (" in part) == (other.mean.interval.estimate > first.mean.interval.estimate)


@settings(deadline=None)
@given(st.lists(means, min_size=2, max_size=4), st.lists(means, min_size=2, max_size=4))
def test_parts_under_another_ruleset_claim_the_largest_clear_difference_and_nothing_unclear(
    numbers: list[Numbers], others: list[Numbers]
) -> None:
    places = ["Rows", "Columns", "Blocks", "Gaps"]
    base = make_line(numbers, "greedy", "plain", places)
    said = compare_parts(base, [make_line(others, "greedy", "rest", places)])
    pairs = list(zip(numbers, others, strict=False))
    clear = [index for index, (a, b) in enumerate(pairs) if is_clear(a, b)]
    assert ("in no part clearly more or fewer with rest" in said) == (not clear)
    if clear:
        at = max(clear, key=lambda index: abs(pairs[index][1][0] - pairs[index][0][0]))
        difference, half = pairs[at][1][0] - pairs[at][0][0], pairs[at][0][1] + pairs[at][1][1]
        assert f" {'more' if difference > 0 else 'fewer'} from {places[at].lower()} with rest (" in said
        assert says_about(said, abs(difference), half)
        for number in (difference - half, difference + half):
            assert has_near(said, abs(number), half)


@settings(deadline=None)
@given(st.lists(st.tuples(means, means), min_size=1, max_size=6))
def test_courses_under_another_ruleset_say_the_difference_at_the_end_and_since_when_it_is_clear(
    pairs: list[tuple[Numbers, Numbers]],
) -> None:
    known = []
    for numbers in zip(*pairs, strict=True):  # only rounds count that nearly all games reached
        most = max(n for _, _, n in numbers)
        known.append({at for at, (_, _, n) in enumerate(numbers) if n >= 0.9 * most})
    base, other = (
        make_line([pair[which] for pair in pairs], "greedy", ruleset)
        for which, ruleset in enumerate(("plain", "rest"))
    )
    said = compare_courses(base, [other])
    both = sorted(known[0] & known[1])
    if not both:
        assert said == ""
        return
    signs = [int(np.sign(pairs[at][1][0] - pairs[at][0][0])) * is_clear(*pairs[at]) for at in both]
    a, b = pairs[both[-1]]
    difference, half = b[0] - a[0], a[1] + b[1]
    where = f"after round {both[-1] + 1} with rest ("
    assert (f"not clearly more or fewer {where}" in said) == (signs[-1] == 0)
    assert (f" more {where}" in said and "about" in said) == (signs[-1] > 0)
    assert (f" fewer {where}" in said.replace("more or fewer", "")) == (signs[-1] < 0)
    for number in (difference - half, difference + half):
        assert has_near(said, abs(number), half)
    if signs[-1]:
        assert says_about(said, abs(difference), half)
        start = next(at for at in range(len(signs)) if set(signs[at:]) == {signs[-1]})
        assert f"clear from round {both[start] + 1} on" in said


def test_several_rulesets_are_compared_with_the_first_one() -> None:
    places = ["Rows", "Gaps"]
    plain = make_line([(40, 1, 1200), (-5, 0.5, 1200)], "greedy", "plain", places)
    rest = make_line([(20, 1, 1200), (-45, 0.5, 1200)], "greedy", "rest", places)
    touch = make_line([(40.5, 1, 1200), (-5, 0.5, 1200)], "greedy", "touch", places)
    assert compare_parts(plain, [rest, touch]) == (
        "Compared with plain, greedy gets about 40 fewer from gaps with rest (39.0 to 41.0) and in no part clearly more or fewer "
        "with touch (1,200 results each; 95 % intervals)."
    )
    plain = make_line([(1, 1, 1200), (9, 1, 1200), (20, 1, 1100), (90, 1, 90)], "greedy", "plain")
    rest = make_line([(1, 1, 1200), (5, 1, 1200), (12, 1, 1100)], "greedy", "rest")
    touch = make_line([(1, 1, 600), (8, 1, 600), (19, 1, 600)], "greedy", "touch")
    assert compare_courses(plain, [rest, touch]) == (
        "Compared with plain, greedy has about 8 fewer after round 3 with rest (6.0 to 10.0; clear from round 2 on) and not "
        "clearly more or fewer after round 3 with touch (between 3.0 fewer and 1.0 more; 600 and 1,100 results; 95 % intervals)."
    )


def test_a_lead_that_was_lost_meanwhile_is_clear_from_its_return_on() -> None:
    greedy = make_line([(9, 1, 1200), (5, 1, 1200), (9, 1, 1200)], "greedy")
    random = make_line([(4, 1, 1200)] * 3, "random")
    assert describe_course(greedy, random) == (
        "From round 3 on greedy has clearly more points than random, after round 3 about 5 more (3.0 to 7.0; 1,200 results; 95 % intervals)."
    )
