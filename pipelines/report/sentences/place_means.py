"""The sentences on the means by part, by round and by player, and on the lengths of games.

Each says what its picture shows, with the interval and the number of results. A difference of two means has an interval
that holds however the two depend on each other (`add_half_widths`), and is claimed only if this interval excludes 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine.counted_nouns import capitalise
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.report import wording
from pipelines.report.estimates import count_parts, write_about
from pipelines.report.sentences.scores import add_basis, compare_amounts, join_words, write_span
from pipelines.statistics.rounding import split_sign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.questions.scores.lengths import GameLengths
    from pipelines.questions.scores.place_means import Line, MeansAnswer
    from pipelines.statistics import Interval

COMMON_SHARE: Final = 0.9
"""The sentence on the course speaks of rounds that at least this share of the games reached."""
CENTRAL_SHARE: Final = 0.9
"""The share of games that the sentence on lengths describes by a range."""


def describe_means(answer: MeansAnswer) -> str:
    """Return what the means show, of the lines that can be compared fairly; empty without them."""
    if not answer.lines:
        return ""
    if answer.question.view == "Players":
        lowest_wins = any(one.lowest_wins for one in answer.scope.rulesets)
        return describe_players(answer.lines, lowest_wins=lowest_wins)
    base, *others = answer.lines
    if len(answer.scope.rulesets) > 1:
        return (compare_parts if answer.question.view == "Parts" else compare_courses)(base, others)
    describe = describe_parts if answer.question.view == "Parts" else describe_course
    return describe(base, next(iter(others), None))


def describe_parts(line: Line, other: Line | None = None) -> str:
    """Return from which part most points of a strategy come, and in which part another strategy clearly differs most.

    The lines hold the means of the parts of the score.
    """
    first, *rest = sorted(line.points, key=lambda one: -one.mean.estimate)
    said = (
        f"{line.name} gets {write_about(first.mean)} points from {_lower(first.at)} {write_span(first.mean)}"
    )
    if rest and first.mean.low > max(one.mean.high for one in rest):
        said += ", more than from any other part"
    if other:
        found = largest_clear_difference(other, line)
        said += f"; {other.name} "
        said += (
            f"gets {compare_amounts(found[1], f'from {_lower(found[0])}')}, its clearest difference"
            if found
            else "does not clearly differ in any part"
        )
    return add_basis(capitalise(said), [first.results])


def compare_parts(base: Line, others: Sequence[Line]) -> str:
    """Return which part of a strategy's score differs most under other rulesets than under that of `base`."""
    said = []
    for one in others:
        found = largest_clear_difference(one, base)
        said.append(
            compare_amounts(found[1], f"from {_lower(found[0])} with {one.ruleset}")
            if found
            else f"in no part clearly more or fewer with {one.ruleset}"
        )
    counts = [base.results, *(one.results for one in others)]
    return add_basis(f"Compared with {base.ruleset}, {base.name} gets {join_words(said)}", counts)


def largest_clear_difference(line: Line, other: Line) -> tuple[str | int, Interval] | None:
    """Return the place where two lines differ most of all places where they differ clearly; None if there is none."""
    pairs = [(one, other.find_point(one.at)) for one in line.points]
    found = [(one.at, add_half_widths(one.mean, beside.mean)) for one, beside in pairs if beside]
    clear = [(place, difference) for place, difference in found if split_sign(difference)[0]]
    return max(clear, key=lambda one: abs(one[1].estimate), default=None)


def describe_course(line: Line, other: Line | None = None) -> str:
    """Return the mean score of a strategy half way and at the end, and how many more or fewer points another one then has.

    The lines hold the means by round. The end is the last round that nearly all games reached.
    """
    line, other = _keep_common_rounds(line), other and _keep_common_rounds(other)
    last, middle = line.points[-1], line.points[(len(line.points) - 1) // 2]
    places = [middle, last] if middle.at != last.at else [last]
    means = [f"{write_about(one.mean)} points after round {one.at} {write_span(one.mean)}" for one in places]
    said = f"{line.name} has {join_words(means)}"
    difference = last_difference(other, line) if other else None
    if other and difference:
        at = "" if difference.at == last.at else f" after round {difference.at}"
        since = f"clear from round {difference.clear_from} on"
        said += f"; {other.name}{at} has {compare_amounts(difference.interval, more=since)}"
    return add_basis(capitalise(said), [last.results])


def compare_courses(base: Line, others: Sequence[Line]) -> str:
    """Return how the score of a strategy at the end differs under other rulesets than that of `base`, and from which round."""
    base = _keep_common_rounds(base)
    said: list[str] = []
    counts: list[int] = []
    for one in map(_keep_common_rounds, others):
        difference = last_difference(one, base)
        if difference is None:
            return ""
        counts += difference.counts
        about = f"after round {difference.at} with {one.ruleset}"
        since = f"clear from round {difference.clear_from} on"
        said.append(compare_amounts(difference.interval, about, since))
    text = f"Compared with {base.ruleset}, {base.name} has {join_words(said)}"
    return add_basis(text, counts if len(set(counts)) == 1 else sorted(set(counts)))


def _keep_common_rounds(line: Line) -> Line:
    """Return a line up to the last round that nearly all games reached: later means are those of long games only."""
    return line._replace(
        points=tuple(one for one in line.points if one.results >= COMMON_SHARE * line.results)
    )


class LastDifference(NamedTuple):
    """The difference of two lines at the last round that both have."""

    at: int
    interval: Interval
    clear_from: int
    """The first round from which on the difference is clear, with the same sign, in every round that both have."""
    counts: tuple[int, int]
    """The numbers of results behind both means."""


def last_difference(line: Line, other: Line) -> LastDifference | None:
    """Return the difference of two lines at the last round that both have; None if they have no round in common."""
    pairs = [(one, beside) for one in line.points if (beside := other.find_point(one.at))]
    if not pairs:
        return None
    found = [(int(one.at), add_half_widths(one.mean, beside.mean)) for one, beside in reversed(pairs)]
    at, interval = found[0]
    sign = split_sign(interval)[0]
    start = at
    for place, difference in found:
        if sign == 0 or split_sign(difference)[0] != sign:
            break
        start = place
    return LastDifference(at, interval, start, (pairs[-1][0].results, pairs[-1][1].results))


def describe_players(lines: Sequence[Line], *, lowest_wins: bool = False) -> str:
    """Return whether starting helps a strategy; the lines hold its means by player, one for a ruleset.

    The highest mean of several players is compared with the lowest. Half the widths of two intervals add up to more than
    the range that up to five equal means have in 95 of 100 samples, so this comparison needs no correction.
    """
    lines = [line for line in lines if len(line.points) > 1]
    if not lines:
        return ""
    counts = [one.results for line in lines for one in line.points]
    low, high = min(counts), max(counts)
    results = wording.format_count(high, "result") if low == high else f"{low:,} to {high:,} results"
    said = [
        _describe_extremes(line, f" with {line.ruleset}" if len(lines) > 1 else "", lowest_wins=lowest_wins)
        for line in lines
    ]
    text, basis = capitalise("; ".join(said)), f"{results} for each player; 95 % intervals)."
    return f"{text[:-1]}; {basis}" if text.endswith(")") else f"{text} ({basis}"


def _describe_extremes(line: Line, where: str, *, lowest_wins: bool) -> str:
    """Return whether the players with the highest and the lowest mean differ clearly, and what that says about starting.

    `where` names the ruleset, if there are several.
    """
    ordered = sorted(line.points, key=lambda one: one.mean.estimate)
    low, high = ordered[0], ordered[-1]
    best = low if lowest_wins else high
    difference = add_half_widths(high.mean, low.mean)
    sign, numbers = split_sign(difference, count_parts(difference))
    if sign == 0:
        fewer = numbers.low.removeprefix("-")
        has_first = any(one.at == 1 for one in line.points)
        start = "starting does not clearly help" if has_first else "the seat does not clearly matter for"
        return (
            f"{start} {line.name}{where}: as player {high.at} it scores between {fewer} points fewer "
            f"and {numbers.high} more than as player {low.at}"
        )
    if 1 not in {low.at, high.at}:
        start = f"the seat matters for {line.name}{where}"
    else:
        start = f"starting {'helps' if best.at == 1 else 'is a drawback for'} {line.name}{where}"
    first, second = (low, high) if low.at == 1 else (high, low)
    amount = compare_amounts(difference.times(1 if first is high else -1), f"than as player {second.at}")
    return f"{start}: as player {first.at} it scores {amount}"


def describe_lengths(found: Sequence[GameLengths], unit: str, *, is_compared: bool = True) -> str:
    """Return how long games are on average, between which lengths nine in ten of them are, and how rulesets differ.

    They differ fairly only if the same line-up played under all of them (`is_compared`).
    """
    first, *others = found
    said = [_describe_length(first, unit)]
    for one in others:
        if not is_compared or first.mean.interval is None or one.mean.interval is None or _is_constant(one):
            said.append(_describe_length(one, unit))
            continue
        difference = add_half_widths(one.mean.interval, first.mean.interval)
        sign, numbers = split_sign(difference, count_parts(difference))
        games = wording.format_count(one.lengths.n, "game")
        if sign == 0:
            shorter = numbers.low.removeprefix("-")
            much = f"perhaps as long (between {shorter} {unit} shorter and {numbers.high} longer; {games})"
        else:
            clear = difference.times(sign)
            direction = "longer" if sign > 0 else "shorter"
            much = f"{write_about(clear)} {unit} {direction} {write_span(clear, games)}"
        said.append(f"games of {one.ruleset} are {much}")
    return f"{capitalise('; '.join(said))}."


def _is_constant(one: GameLengths) -> bool:
    return len(one.lengths.values) == 1


def _describe_length(one: GameLengths, unit: str) -> str:
    games = wording.format_count(one.lengths.n, "game")
    if _is_constant(one):
        many = f"all {games}" if one.lengths.n > 1 else "the only game"
        return f"{many} of {one.ruleset} took {one.lengths.quantile(1)} {unit}"
    mean = one.mean.interval
    if mean is None:
        return f"{games} of {one.ruleset} took {one.lengths.quantile(0)} to {one.lengths.quantile(1)} {unit}"
    tail = (1 - CENTRAL_SHARE) / 2
    return (
        f"games of {one.ruleset} take {write_about(mean)} {unit} {write_span(mean, f'{games}; 95 % interval')}, and nine in ten "
        f"or more took {one.lengths.quantile(tail)} to {one.lengths.quantile(1 - tail)}"
    )


def _lower(place: str | int) -> str:
    text = str(place)
    return text[:1].lower() + text[1:]
