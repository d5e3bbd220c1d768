"""The sentences on scores: how means compare, by part, round and player, too, how long games are, and what is selected.

Each says what its picture shows, with the interval and the number of results. A difference of two means has an interval
that holds however the two depend on each other (`add_half_widths`), and is claimed only if this interval excludes 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.wording import capitalise, name_units
from pipelines.questions.scores.distributions import MeansComparison, add_half_widths
from pipelines.questions.scores.selection import (
    RULESET,
    STRATEGY,
    Selection,
    SelectionReport,
    list_measure_titles,
)
from pipelines.report import wording
from pipelines.report.estimates import (
    NOT_ENOUGH_GAMES,
    count_parts,
    format_interval,
    name_ends,
    set_sentence,
    write_about,
)
from pipelines.report.wording import join_words
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from pipelines.questions.scores.answer import DistributionsAnswer
    from pipelines.questions.scores.means import GameLengths, Line, MeansAnswer
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.questions.scores.selection import SelectionAnswer
    from pipelines.statistics.intervals import Interval

NOTHING_SELECTED: Final = "no result is selected"
COMMON_SHARE: Final = 0.9
"""The sentence on the course speaks of rounds that at least this share of the games reached."""
CENTRAL_SHARE: Final = 0.9
"""The share of games that the sentence on lengths describes by a range."""


def describe_distributions(answer: DistributionsAnswer) -> str:
    """Return how means compare: between rulesets, or of the best two strategies; empty if nothing can be compared."""
    if answer.comparison is None:
        return ""
    unit = f"points of {answer.question.part}" if answer.part else "points"
    return describe_comparison(answer.comparison, unit)


def describe_comparison(comparison: MeansComparison, unit: str) -> str:
    """Return the mean of one strategy and how it differs under other rulesets, or the best mean and how far the next is from it."""
    base = comparison.base
    if base.mean.interval is None:
        return ""
    sentence = f"{base.name} scores {name_units(write_about(base.mean.interval), unit)} with {base.ruleset_name} {write_span(base.mean.interval)}"
    if comparison.is_of_rulesets:
        others = comparison.others
        clauses = [compare_amounts(difference, f"with {group.ruleset_name}") for group, difference in others]
        return add_basis(
            f"{sentence}, {join_words(clauses)}", [base.scores.n, *(group.scores.n for group, _ in others)]
        )
    for second, difference in comparison.others[:1]:
        amount = compare_amounts(difference.times(-1))
        compared = add_basis(f"{sentence}; {second.name} {amount}", [base.scores.n, second.scores.n])
        opposite = describe_opposite_wins(comparison)
        return f"{compared} {set_sentence(f'but {opposite}')}" if opposite else compared
    return add_basis(sentence, [base.scores.n])


def describe_lead(comparison: MeansComparison, *, lowest_wins: bool) -> str:
    """Return who of two strategies beats whom and by how much, or that this is not clear; of one strategy what it scores.

    It has no full stop, and is empty if there are too few blocks.
    """
    base = comparison.base
    if base.mean.interval is None:
        return ""
    if not comparison.others:
        estimate, low, high = format_interval_numbers(base.mean.interval)
        ends = name_ends(base.mean.interval, f"95 % interval {low} to {high}")
        return set_minus_signs(f"{base.name} scores {wording.name_amount(estimate)} a game ({ends})")
    second, difference = comparison.others[0]
    sign, (estimate, low, high) = split_sign(difference)
    if sign == 0:
        span = f"between {wording.name_amount(low.removeprefix('-'))} fewer and {high} more"
        return f"too close to call: {base.name} scores {span} than {second.name} (95 % interval)"
    winner, loser = (second, base) if (sign < 0) != lowest_wins else (base, second)
    fewest = "fewer points win; " if lowest_wins else ""
    ends = name_ends(difference, f"95 % interval {low} to {high}")
    opposite = describe_opposite_wins(comparison)
    but = f", but {opposite}" if opposite else ""
    return f"{winner.name} beats {loser.name} by {wording.name_amount(estimate)} a game ({fewest}{ends}){but}"


def describe_opposite_wins(comparison: MeansComparison) -> str:
    """Return who wins more games, if that is not the strategy with the better mean score; else an empty text."""
    if not comparison.opposite_wins:
        return ""
    names = (comparison.base.name, comparison.others[0][0].name)
    (fewer, loser), (more, winner) = sorted(zip(comparison.opposite_wins, names, strict=True))
    return f"{winner} wins more games: {100 * more:.0f} of 100, {loser} {100 * fewer:.0f}"


def describe_means(answer: MeansAnswer) -> tuple[str, ...]:
    """Return what the means show, of the lines that can be compared fairly; an empty text without them."""
    if not answer.lines:
        return ("",)
    is_of_rulesets = len(answer.scope.rulesets) > 1
    if answer.question.view == "Players":
        lowest_wins = any(ruleset.lowest_wins for ruleset in answer.scope.rulesets)
        groups = [answer.lines] if is_of_rulesets else [(line,) for line in answer.lines]
        return tuple(describe_players(lines, lowest_wins=lowest_wins) for lines in groups)
    base, *others = answer.lines
    if is_of_rulesets:
        return ((compare_parts if answer.question.view == "Parts" else compare_courses)(base, others),)
    describe = describe_parts if answer.question.view == "Parts" else describe_course
    return (describe(base, next(iter(others), None)),)


def describe_parts(line: Line, other: Line | None = None) -> str:
    """Return in which part another strategy clearly differs most from a strategy; of one strategy, from which part most points come.

    The lines hold the means of the parts of the score.
    """
    largest = largest_clear_difference(other, line) if other else None
    if other and largest:
        amount = compare_amounts(largest[1], f"points there than {line.name}")
        where = f"The largest difference lies in {_lower(largest[0])}"
        return add_basis(f"{where}: {other.name} gets {amount}", [line.results])
    if other:
        return add_basis(
            f"{capitalise(other.name)} does not clearly differ from {line.name} in any part", [line.results]
        )
    first, *rest = sorted(line.points, key=lambda point: -point.mean.estimate)
    sentence = f"{line.name} gets {wording.name_amount(write_about(first.mean))} from {_lower(first.at)} {write_span(first.mean)}"
    if rest and first.mean.low > max(point.mean.high for point in rest):
        sentence += ", more than from any other part"
    return add_basis(capitalise(sentence), [first.results])


def compare_parts(base: Line, others: Sequence[Line]) -> str:
    """Return which part of a strategy's score differs most under other rulesets than under that of `base`."""
    clauses = []
    for line in others:
        largest = largest_clear_difference(line, base)
        clauses.append(
            compare_amounts(largest[1], f"from {_lower(largest[0])} with {line.ruleset_name}")
            if largest
            else f"in no part clearly more or fewer with {line.ruleset_name}"
        )
    counts = [base.results, *(line.results for line in others)]
    return add_basis(f"Compared with {base.ruleset_name}, {base.name} gets {join_words(clauses)}", counts)


def largest_clear_difference(line: Line, other: Line) -> tuple[str | int, Interval] | None:
    """Return the place where two lines differ most of all places where they differ clearly, or None."""
    pairs = [(point, other.find_point(point.at)) for point in line.points]
    differences = [(point.at, add_half_widths(point.mean, beside.mean)) for point, beside in pairs if beside]
    clear = [(place, difference) for place, difference in differences if split_sign(difference)[0]]
    return max(clear, key=lambda entry: abs(entry[1].estimate), default=None)


def describe_course(line: Line, other: Line | None = None) -> str:
    """Return since when two strategies clearly differ, and how much at the end; of one strategy, its means half way and at the end.

    The lines hold the means by round. The end is the last round that nearly all games reached.
    """
    whole = line
    line, other = _keep_common_rounds(line), other and _keep_common_rounds(other)
    difference = last_difference(line, other) if other else None
    if other and difference:
        than, end = f"than {other.name}", f"after round {difference.at}"
        if difference.at != whole.points[-1].at:
            end += ", the last that nine in ten games reach,"
        sign = split_sign(difference.interval)[0]
        if not sign:
            sentence = f"{end} {line.name} has {compare_amounts(difference.interval, than)}"
        else:
            more = "more" if sign > 0 else "fewer"
            since = f"from round {difference.clear_from} on {line.name} has clearly {more} points {than}"
            sentence = f"{since}, {end} {compare_amounts(difference.interval)}"
        return add_basis(capitalise(sentence), [difference.counts[0]])
    last, middle = line.points[-1], line.points[(len(line.points) - 1) // 2]
    means = [
        f"{wording.name_amount(write_about(point.mean))} after round {point.at} {write_span(point.mean)}"
        for point in dict.fromkeys((middle, last))
    ]
    return add_basis(capitalise(f"{line.name} has {join_words(means)}"), [last.results])


def compare_courses(base: Line, others: Sequence[Line]) -> str:
    """Return how the score of a strategy at the end differs under other rulesets than that of `base`, and from which round."""
    base = _keep_common_rounds(base)
    clauses: list[str] = []
    counts: list[int] = []
    for line in map(_keep_common_rounds, others):
        difference = last_difference(line, base)
        if difference is None:
            return ""
        counts += difference.counts
        about = f"after round {difference.at} with {line.ruleset_name}"
        since = f"clear from round {difference.clear_from} on"
        clauses.append(compare_amounts(difference.interval, about, since))
    text = f"Compared with {base.ruleset_name}, {base.name} has {join_words(clauses)}"
    return add_basis(text, counts if len(set(counts)) == 1 else sorted(set(counts)))


def _keep_common_rounds(line: Line) -> Line:
    """Return a line up to the last round that nearly all games reached: later means are those of long games only."""
    return line._replace(
        points=tuple(point for point in line.points if point.results >= COMMON_SHARE * line.results)
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
    pairs = [(point, beside) for point in line.points if (beside := other.find_point(point.at))]
    if not pairs:
        return None
    differences = [
        (int(point.at), add_half_widths(point.mean, beside.mean)) for point, beside in reversed(pairs)
    ]
    at, interval = differences[0]
    sign = split_sign(interval)[0]
    start = at
    for place, difference in differences:
        if sign == 0 or split_sign(difference)[0] != sign:
            break
        start = place
    return LastDifference(at, interval, start, (pairs[-1][0].results, pairs[-1][1].results))


def describe_players(lines: Sequence[Line], *, lowest_wins: bool = False) -> str:
    """Return whether starting helps a strategy; the lines hold its means by player, one for a ruleset.

    Player 1 is compared with the mean of the others. Without player 1, the highest mean is compared with the lowest: half the
    widths of two intervals add up to more than the range that up to five equal means have in 95 of 100 samples, so this comparison
    needs no correction.
    """
    lines = [line for line in lines if len(line.points) > 1]
    if not lines:
        return ""
    counts = [point.results for line in lines for point in line.points]
    low, high = min(counts), max(counts)
    results = wording.format_count(high, "result") if low == high else f"{low:,} to {high:,} results"
    clauses = [
        _describe_start(line, f" with {line.ruleset_name}" if len(lines) > 1 else "", lowest_wins=lowest_wins)
        for line in lines
    ]
    text, basis = capitalise("; ".join(clauses)), f"{results} for each player; 95 % intervals)."
    return f"{text[:-1]}; {basis}" if text.endswith(")") else f"{text} ({basis}"


def _describe_start(line: Line, where: str, *, lowest_wins: bool) -> str:
    """Return whether a strategy scores more as player 1 than as another one, and what that says about starting.

    `where` names the ruleset, if there are several.
    """
    difference = line.start
    if difference is None:
        return _describe_seats(line, where)
    sign = split_sign(difference)[0]
    help_words = ("does not clearly help", "helps", "is a drawback for")[-sign if lowest_wins else sign]
    second = next(point.at for point in line.points if point.at != 1)
    than = f"than as player {second}" if len(line.points) == 2 else "than as the others on average"
    amount = _compare_seats(difference, than)
    return (
        f"starting {help_words} {line.name}{where}: as player 1 it scores {amount}{_describe_seat_wins(line)}"
    )


def _describe_seat_wins(line: Line) -> str:
    """Return how many of 100 games a strategy wins as player 1 and, of two players, as the other one; empty if not known."""
    shares = [(point.at, point.wins) for point in line.points if point.wins]
    if len(shares) < len(line.points):
        return ""
    wins = {at: format_interval(share, scale=100, exact=(0, 100), decimals=0) for at, share in shares}
    second = "".join(f", {text} as player {at}" for at, text in wins.items() if at != 1)
    return f"; it wins {wins[1]} of 100 games as player 1{second if len(shares) == 2 else ''}"


def _describe_seats(line: Line, where: str) -> str:
    """Return whether the players with the highest and the lowest mean differ clearly."""
    low, *_, high = sorted(line.points, key=lambda point: point.mean.estimate)
    difference = add_half_widths(high.mean, low.mean)
    matters = "matters" if split_sign(difference)[0] else "does not clearly matter"
    amount = _compare_seats(difference, f"than as player {low.at}")
    return f"the seat {matters} for {line.name}{where}: as player {high.at} it scores {amount}"


def _compare_seats(difference: Interval, than: str) -> str:
    """Return how many points more or fewer a strategy scores in one seat than in another, or what is possible."""
    sign, numbers = split_sign(difference, count_parts(difference))
    if sign:
        return compare_amounts(difference, than)
    return (
        f"between {wording.name_amount(numbers.low.removeprefix('-'))} fewer and {numbers.high} more {than}"
    )


def describe_lengths(lengths: Sequence[GameLengths], unit: str, *, is_compared: bool = True) -> str:
    """Return how long games are on average, between which lengths nine in ten of them are, and how rulesets differ.

    They differ fairly only if the same line-up played under all of them (`is_compared`).
    """
    first, *others = lengths
    clauses = [_describe_length(first, unit)]
    for other in others:
        if (
            not is_compared
            or first.mean.interval is None
            or other.mean.interval is None
            or _is_constant(other)
        ):
            clauses.append(_describe_length(other, unit))
            continue
        difference = add_half_widths(other.mean.interval, first.mean.interval)
        sign, numbers = split_sign(difference, count_parts(difference))
        games = wording.format_count(other.lengths.n, "game")
        if sign == 0:
            shorter = numbers.low.removeprefix("-")
            much = f"perhaps as long (between {shorter} {unit} shorter and {numbers.high} longer; {games})"
        else:
            clear = difference.times(sign)
            direction = "longer" if sign > 0 else "shorter"
            much = f"{name_units(write_about(clear), unit)} {direction} {write_span(clear, games)}"
        clauses.append(f"games of {other.ruleset_name} are {much}")
    return f"{capitalise('; '.join(clauses))}."


def _is_constant(lengths: GameLengths) -> bool:
    return len(lengths.lengths.values) == 1


def _describe_length(lengths: GameLengths, unit: str) -> str:
    games = wording.format_count(lengths.lengths.n, "game")
    if _is_constant(lengths):
        many = f"all {games}" if lengths.lengths.n > 1 else "the only game"
        return f"{many} of {lengths.ruleset_name} took {name_units(str(lengths.lengths.quantile(1)), unit)}"
    mean = lengths.mean.interval
    if mean is None:
        return f"{games} of {lengths.ruleset_name} took {lengths.lengths.quantile(0)} to {lengths.lengths.quantile(1)} {unit}"
    tail = (1 - CENTRAL_SHARE) / 2
    return (
        f"games of {lengths.ruleset_name} take {name_units(write_about(mean), unit)} {write_span(mean, f'{games}; 95 % interval')}, and nine in ten "
        f"or more took {lengths.lengths.quantile(tail)} to {lengths.lengths.quantile(1 - tail)}"
    )


def _lower(place: str | int) -> str:
    text = str(place)
    return text[:1].lower() + text[1:]


def describe_selection(selection: Selection, scope: ScoresScope) -> str:
    """Return the selection in words."""
    titles = list_measure_titles(scope)
    clauses = [
        f"{titles[measure]} from {set_minus_signs(f'{low:,} to {high:,}')}"
        for measure, low, high in selection.ranges
    ]
    names = {STRATEGY: list(scope.names.values()), RULESET: list(scope.ruleset_names.values())}
    for group, members in selection.groups:
        chosen = [
            names[group][member] if group in names else wording.format_player(member) for member in members
        ]
        clauses.append(" or ".join(chosen))
    return f"Selected: {'; '.join(clauses)}."


def describe_winners(answer: SelectionAnswer) -> str:
    """Return in which part of the score winners differ most clearly from all others.

    The interval holds for all parts at once, because the part is picked from them.
    """
    winners = answer.cells.winners
    differences = {row: row.difference.difference for row in winners if row.difference}
    if not differences:
        return f"{NOT_ENOUGH_GAMES} to compare winners with all others" if winners else ""
    row, difference = max(
        differences.items(), key=lambda item: abs(item[1].estimate) / (item[1].high - item[1].low)
    )
    basis = (
        f"{wording.format_count(int(answer.cells.counts.sum()), 'result')}, 95 % intervals for "
        f"{wording.format_count(len(winners), 'part')} at once"
    )
    if split_sign(difference)[0] == 0:
        return f"winners do not clearly differ from all others in any part of the score ({basis})"
    means = " against ".join(set_minus_signs(f"{mean:.1f}") for mean in (row.selected_mean, row.other_mean))
    title = list_measure_titles(answer.scope)[row.measure].lower()
    return (
        f"winners differ most clearly from all others in {title}: {means} points, "
        f"{compare_amounts(difference, more=basis)}"
    )


def describe_selection_tests(report: SelectionReport) -> str:
    """Return what the differences between the selected results and all others mean."""
    return (
        "Difference: the mean of the selected results minus that of all others, with its 95 % interval. p: of the test that "
        f"there is no difference, corrected for {wording.format_count(len(report.differences), 'measure')} (Holm). Intervals and "
        "tests count blocks, because the games of a block share their luck. A difference shows what goes together, not "
        "what causes it."
    )


def compare_amounts(difference: Interval, about: str = "", more: str = "") -> str:
    """Return how much more or fewer one has than another, or that this is not clear, with the interval in brackets.

    `about` follows the amount, `more` stands in the brackets of a clear difference.

    >>> from pipelines.statistics import Interval
    >>> compare_amounts(Interval(-4.1, -5.8, -2.4), "with rest"), compare_amounts(Interval(0.5, -1.2, 2.2))
    ('about 4 fewer with rest (2.4 to 5.8)', 'not clearly more or fewer (between 1.2 fewer and 2.2 more)')
    """
    sign, numbers = split_sign(difference, count_parts(difference))
    about = f" {about}" if about else ""
    if sign == 0:
        fewer = numbers.low.removeprefix("-")
        return f"not clearly more or fewer{about} (between {fewer} fewer and {numbers.high} more)"
    clear = difference.times(sign)
    return f"{write_about(clear)} {'more' if sign > 0 else 'fewer'}{about} {write_span(clear, more)}"


def add_basis(sentence: str, counts: Sequence[int]) -> str:
    """Return a sentence with what it rests on, in brackets at its end: `counts` are the numbers of results behind its means.

    >>> add_basis("greedy scores about 41 points (40.4 to 41.8)", [1200, 1200])
    'greedy scores about 41 points (40.4 to 41.8; 1,200 results each; 95 % intervals).'
    """
    last = wording.format_count(counts[-1], "result")
    if len(set(counts)) == 1:
        results = f"{last}{' each' if len(counts) > 1 else ''}"
    else:
        results = join_words([*(f"{count:,}" for count in counts[:-1]), last])
    basis = f"{results}; 95 % intervals)."
    return f"{sentence[:-1]}; {basis}" if sentence.endswith(")") else f"{sentence} ({basis}"


def write_span(interval: Interval, more: str = "") -> str:
    """Return the ends of an interval in brackets, as exact as `write_about` says its estimate."""
    numbers = format_interval_numbers(interval, parts=count_parts(interval))
    end = f"; {more}" if more else ""
    ends = f"{set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}"
    return f"({name_ends(interval, ends)}{end})"
