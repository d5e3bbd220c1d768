"""The sentences on the means by part, by round and by player, and on the lengths of games.

Each says what its picture shows, with the interval and the number of results. A difference of two means has an interval
that holds however the two depend on each other (`add_half_widths`), and is claimed only if this interval excludes 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine.counted_nouns import capitalise
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.report import wording
from pipelines.report.sentences.scores import join_words, write_span
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

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
        return describe_players(answer.lines)
    base, *others = answer.lines
    if len(answer.scope.rulesets) > 1:
        return (compare_parts if answer.question.view == "Parts" else compare_courses)(base, others)
    describe = describe_parts if answer.question.view == "Parts" else describe_course
    return describe(base, next(iter(others), None))


def describe_parts(line: Line, other: Line | None = None) -> str:
    """Return from which part most points of a strategy come, and which part clearly differs most from another strategy.

    The lines hold the means of the parts of the score.
    """
    first, *rest = sorted(line.points, key=lambda one: -one.mean.estimate)
    said = f"{line.name} gets {_write_mean(first.mean)} points a game from {_lower(first.at)}"
    if rest and first.mean.low > max(one.mean.high for one in rest):
        said += ", more than from any other part"
    said += f" ({_write_interval(first.mean)}; {wording.format_count(first.results, 'result')})"
    if other is None:
        return _finish(said)
    found = largest_clear_difference(line, other)
    if found is None:
        return _finish(f"{said}; in no part do these intervals show a difference from {other.name}")
    place, difference = found
    sign, numbers = split_sign(difference)
    return _finish(
        f"{said}; the largest clear difference from {other.name} lies in {_lower(place)}: {numbers.estimate} "
        f"{_more(sign)} {write_span(numbers)}"
    )


def compare_parts(base: Line, others: Sequence[Line]) -> str:
    """Return which part of a strategy's score differs most under other rulesets than under that of `base`."""
    said = []
    for one in others:
        found = largest_clear_difference(one, base)
        if found is None:
            said.append(f"in no part clearly more or less with {one.ruleset}")
            continue
        sign, numbers = split_sign(found[1])
        said.append(
            f"{numbers.estimate} points {_more(sign)} from {_lower(found[0])} with {one.ruleset} {write_span(numbers)}"
        )
    return _compare_rulesets(base, "gets", said, [base.results, *(one.results for one in others)])


def largest_clear_difference(line: Line, other: Line) -> tuple[str | int, Interval] | None:
    """Return the place where two lines differ most of all places where they differ clearly; None if there is none."""
    pairs = [(one, other.find_point(one.at)) for one in line.points]
    found = [(one.at, add_half_widths(one.mean, beside.mean)) for one, beside in pairs if beside]
    clear = [(place, difference) for place, difference in found if split_sign(difference)[0]]
    return max(clear, key=lambda one: abs(one[1].estimate), default=None)


def describe_course(line: Line, other: Line | None = None) -> str:
    """Return the mean score of a strategy half way and at the end, and how far it then is ahead of or behind another one.

    The lines hold the means by round. The end is the last round that nearly all games reached.
    """
    line, other = _keep_common_rounds(line), other and _keep_common_rounds(other)
    last, middle = line.points[-1], line.points[(len(line.points) - 1) // 2]
    said = f"{line.name} has "
    if middle.at != last.at:
        numbers = format_interval_numbers(middle.mean)
        said += f"{set_minus_signs(numbers.estimate)} points on average after round {middle.at} {write_span(numbers)} and "
    said += (
        f"{_write_mean(last.mean)}{' points on average' if middle.at == last.at else ''} after round {last.at} ({_write_interval(last.mean)}; "
        f"{wording.format_count(last.results, 'result')})"
    )
    difference = last_difference(line, other) if other else None
    if other is None or difference is None:
        return _finish(said)
    sign, numbers = split_sign(difference.interval)
    at = "" if difference.at == last.at else f" after round {difference.at}"
    if sign == 0:
        return _finish(
            f"{said}; these intervals do not show whether it is ahead of {other.name}{at} {write_span(numbers)}"
        )
    return _finish(
        f"{said}, {numbers.estimate} {_more(sign)} than {other.name}{at} {write_span(numbers)}; this difference is clear "
        f"from round {difference.clear_from} on"
    )


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
        sign, numbers = split_sign(difference.interval)
        if sign == 0:
            said.append(
                f"not clearly more or less after round {difference.at} with {one.ruleset} {write_span(numbers)}"
            )
            continue
        said.append(
            f"{numbers.estimate} points {_more(sign)} after round {difference.at} with {one.ruleset} "
            f"{write_span(numbers, f'clear from round {difference.clear_from} on')}"
        )
    return _compare_rulesets(base, "has", said, counts)


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


def describe_players(lines: Sequence[Line]) -> str:
    """Return whether it matters for a strategy which player it is; the lines hold its means by player, one for a ruleset.

    The highest mean of several players is compared with the lowest. Half the widths of two intervals add up to more than
    the range that up to five equal means have in 95 of 100 samples, so this comparison needs no correction.
    """
    lines = [line for line in lines if len(line.points) > 1]
    if not lines:
        return ""
    results = _write_counts([one.results for line in lines for one in line.points])
    said = [_describe_extremes(line, f" with {line.ruleset}" if len(lines) > 1 else "") for line in lines]
    text, basis = "; ".join(said), f"{results} for each player; 95 % intervals)"
    return _finish(f"{text[:-1]}; {basis}" if text.endswith(")") else f"{text} ({basis}")


def _describe_extremes(line: Line, where: str) -> str:
    """Return how much more the player with the highest mean scores than the one with the lowest, or that this is not clear.

    `where` names the ruleset, if there are several.
    """
    ordered = sorted(line.points, key=lambda one: one.mean.estimate)
    low, high = ordered[0], ordered[-1]
    difference = add_half_widths(high.mean, low.mean)
    sign, numbers = split_sign(difference)
    if sign == 0:
        fewer = format_interval_numbers(difference.times(-1)).high
        return (
            f"starting does not clearly help {line.name}{where}: as player {high.at} it scores between {fewer} points fewer "
            f"and {numbers.high} more than as player {low.at}"
        )
    return (
        f"{line.name} scores {numbers.estimate} points more as player {high.at} than as player {low.at}{where} "
        f"{write_span(numbers)}"
    )


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
        sign, numbers = split_sign(add_half_widths(one.mean.interval, first.mean.interval))
        much = "not clearly" if sign == 0 else f"{numbers.estimate} {unit}"
        direction = "longer or shorter" if sign == 0 else "longer" if sign > 0 else "shorter"
        games = wording.format_count(one.lengths.n, "game")
        said.append(f"games of {one.ruleset} are {much} {direction} {write_span(numbers, games)}")
    return _finish("; ".join(said))


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
        f"games of {one.ruleset} take {_write_mean(mean)} {unit} on average ({_write_interval(mean)}; {games}), "
        f"and nine in ten or more took {one.lengths.quantile(tail)} to {one.lengths.quantile(1 - tail)}"
    )


def _compare_rulesets(base: Line, verb: str, said: Sequence[str], counts: Sequence[int]) -> str:
    results, each = _write_counts(counts), " each" if len(set(counts)) == 1 else ""
    return f"Compared with {base.ruleset}, {base.name} {verb} {join_words(said)} ({results}{each}; 95 % intervals)."


def _write_counts(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return wording.format_count(high, "result") if low == high else f"{low:,} to {high:,} results"


def _more(sign: int) -> str:
    return "more" if sign > 0 else "less"


def _write_mean(mean: Interval) -> str:
    return set_minus_signs(format_interval_numbers(mean).estimate)


def _write_interval(mean: Interval) -> str:
    numbers = format_interval_numbers(mean)
    return f"95 % interval {set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}"


def _lower(place: str | int) -> str:
    text = str(place)
    return text[:1].lower() + text[1:]


def _finish(sentence: str) -> str:
    return f"{capitalise(sentence)}."
