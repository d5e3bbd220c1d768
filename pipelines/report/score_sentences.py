"""The sentences on scores: how means compare, by part, round and player, too, how long games are, and what is selected.

Each says what its picture shows, with the interval and the number of results. A difference of two means has an interval
that holds however the two depend on each other (`add_half_widths`), and is claimed only if this interval excludes 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.wording import capitalise, name_units
from pipelines.questions.scores.distributions import MeansComparison, add_half_widths
from pipelines.questions.scores.selection import (
    RULESET,
    STRATEGY,
    Selection,
    SelectionAnswer,
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
from pipelines.statistics.intervals import hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from pipelines.questions.scores.answer import DistributionsAnswer
    from pipelines.questions.scores.distributions import GroupScores
    from pipelines.questions.scores.means import GameLengths, Line, MeansAnswer, SeatEdges
    from pipelines.questions.scores.scope import ScoresScope
    from pipelines.statistics.intervals import Interval

LOWEST_WINS: Final = "the lowest score wins"
NOTHING_SELECTED: Final = "no result is selected"
COMMON_SHARE: Final = 0.9
"""The sentence on the course speaks of rounds that at least this share of the games reached."""
CENTRAL_SHARE: Final = 0.9
"""The share of games that the sentence on lengths describes by a range."""


def describe_distributions(answer: DistributionsAnswer) -> tuple[str, ...]:
    """Return how means compare: those of the best two strategies, or where those of each strategy differ most between rulesets.

    A difference that the rules alone do not explain says so first; what cannot be compared at all is said alone.
    """
    unit = f"points of {answer.question.part}" if answer.part else "points"
    hindrance, comparisons = answer.scope.hindrance, answer.comparisons
    if hindrance and len({ruleset.game for ruleset in answer.scope.rulesets}) == 1:
        comparisons = tuple(_list_comparisons(answer))
    if len(answer.scope.rulesets) > 1:
        comparisons = tuple(
            sorted(comparisons, key=lambda pair: not split_sign(_find_largest_difference(pair)[1])[0])
        )
    sentences = [describe_comparison(comparison, unit) for comparison in comparisons]
    if answer.scope.rulesets[0].lowest_wins and not (answer.part or hindrance) and sentences:
        sentences[0] = f"{LOWEST_WINS}: {sentences[0]}"
    if hindrance and sentences:
        sentences[0] = f"with different line-ups, {sentences[0]}"
    return tuple(sentences) or (hindrance,)


def _list_comparisons(answer: DistributionsAnswer) -> Iterator[MeansComparison]:
    """Yield for each strategy how its means differ between rulesets. It may have met other players under each of them."""
    for strategy in answer.scope.strategies:
        groups = [group for group in answer.groups if group.strategy == strategy and group.seat is None]
        measured = [(group, mean) for group in groups if (mean := group.mean.interval)]
        if measured[1:]:
            (base, first), *others = measured
            differences = tuple((group, add_half_widths(mean, first)) for group, mean in others)
            yield MeansComparison(base, differences, is_of_rulesets=True)


def _find_largest_difference(comparison: MeansComparison) -> tuple[GroupScores, Interval]:
    """Return the other mean that differs most, of those that clearly differ if there are any.

    Of three others or more, sentences name this one alone, so its interval holds for all of them at once.
    """
    number = len(comparison.others) if len(comparison.others) > 2 else 1
    others = [(group, hold_for_all(difference, number)) for group, difference in comparison.others]
    return max(others, key=lambda other: (split_sign(other[1])[0] != 0, abs(other[1].estimate)))


def describe_comparison(comparison: MeansComparison, unit: str) -> str:
    """Return where the mean of a strategy differs most between rulesets, or the best mean and how far the next is from it."""
    base = comparison.base
    if base.mean.interval is None:
        return ""
    if comparison.is_of_rulesets:
        group, difference = _find_largest_difference(comparison)
        amount = compare_amounts(
            difference, f"{unit} with {group.ruleset_name} than with {base.ruleset_name}"
        )
        sentence, counts = f"{base.name} scores {amount}", [group.scores.n, base.scores.n]
        for third, lesser in comparison.others if len(comparison.others) == 2 else ():
            if third is not group:
                sentence += f", and {compare_amounts(lesser, f'with {third.ruleset_name}')}"
                counts.append(third.scores.n)
        return add_basis(sentence, counts)
    sentence = f"{base.name} scores {name_units(write_about(base.mean.interval), unit)} with {base.ruleset_name} {write_span(base.mean.interval)}"
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
    is_of_rulesets = len(answer.scope.rulesets) > 1
    if not answer.lines and not (is_of_rulesets and answer.question.view == "Players"):
        return ("",)
    if answer.question.view == "Players":
        return tuple(_describe_seats(answer)) or ("",)
    base, *others = answer.lines
    if is_of_rulesets:
        return ((compare_parts if answer.question.view == "Parts" else compare_courses)(base, others),)
    describe = describe_parts if answer.question.view == "Parts" else describe_course
    sentence = describe(base, next(iter(others), None))
    if not answer.final:
        return (sentence,)
    final = compare_amounts(answer.final, f"points than {others[0].name}", "95 % interval")
    return sentence, f"with every game at its own end, early or late, {base.name} has {final}"


def _describe_seats(answer: MeansAnswer) -> Iterator[str]:
    """Yield whether starting helps, of all strategies together where every seat had the same ones, then who wins how often on which seat.

    Of several rulesets, one where a seat clearly differs comes first; players are compared within each, whatever its line-up is.
    """
    is_of_rulesets = len(answer.scope.rulesets) > 1
    compared = {(line.ruleset, (line.strategy,)) for line in answer.lines}
    every = [
        edges
        for edges in answer.chosen_edges
        if is_of_rulesets or len(edges.strategies) > 1 or (edges.ruleset, edges.strategies) in compared
    ]
    lowest_wins = any(ruleset.lowest_wins for ruleset in answer.scope.rulesets)
    every.sort(key=lambda seats: not any(split_sign(edge)[0] for edge in seats.edges.values()))
    if every:
        yield describe_players(*every, is_of_rulesets=is_of_rulesets, lowest_wins=lowest_wins)
    if not is_of_rulesets and (wins := list(filter(None, map(_describe_seat_wins, answer.lines)))):
        yield "; ".join(wins)


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


def describe_players(
    edges: SeatEdges, *others: SeatEdges, is_of_rulesets: bool = False, lowest_wins: bool = False
) -> str:
    """Return whether starting helps, and which other player is clearly best or worst off; of the others whether it helps them."""
    where = f" with {edges.ruleset_name}" if is_of_rulesets else ""
    joint = "" if edges.is_pair else " that hold for all players at once"
    text = capitalise(_describe_start(edges, where, lowest_wins=lowest_wins))
    basis = f"{wording.format_count(edges.blocks, 'block')}; 95 % intervals{joint})"
    more: dict[str, list[str]] = {}
    for other in others:
        who = join_words(other.names)
        more.setdefault(_name_effect(other, lowest_wins=lowest_wins), []).append(
            f"{other.ruleset_name} ({who})" if is_of_rulesets else who
        )
    clauses = [
        f"; with {join_words(names)} it {effect.removesuffix(' for')}"
        if is_of_rulesets
        else f"; it {effect} {join_words(names)}"
        for effect, names in more.items()
    ]
    return (
        f"{text[:-1]}; {basis}{''.join(clauses)}."
        if text.endswith(")")
        else f"{text} ({basis}{''.join(clauses)}."
    )


def _describe_start(seats: SeatEdges, where: str, *, lowest_wins: bool) -> str:
    """Return whether player 1 scores more than all players on average, and what that says about starting.

    Without player 1, it is about the player with the widest edge. `where` names the ruleset, if there are several.
    """
    edges, good, at = seats.edges, -1 if lowest_wins else 1, _choose_player(seats)
    opening = f"{'starting' if at == 1 else 'the seat'} {_name_effect(seats, lowest_wins=lowest_wins)}"
    than = "than as player 2" if seats.is_pair else "than all players on average"
    amount = _compare_seats(edges[at], than)
    who = join_words(seats.names)
    scores = f"it scores {amount}" if len(seats.names) == 1 else f"they score {amount}"
    ranked = sorted(edges, key=lambda at: good * edges[at].estimate)
    more = "".join(
        f"; {words} is player {seat}, {compare_amounts(edges[seat], '')}"
        for words, seat, side in (("best off", ranked[-1], 1), ("worst off", ranked[0], -1))
        if seat != at and good * split_sign(edges[seat])[0] == side
    )
    return f"{opening} {who}{where}: as player {at} {scores}{more}"


def _choose_player(seats: SeatEdges) -> int:
    """Return player 1, or else the player with the widest edge."""
    return 1 if 1 in seats.edges else max(seats.edges, key=lambda at: abs(seats.edges[at].estimate))


def _name_effect(seats: SeatEdges, *, lowest_wins: bool) -> str:
    """Return whether starting, or without player 1 the seat, helps; whom is left out."""
    at = _choose_player(seats)
    sign = (-1 if lowest_wins else 1) * split_sign(seats.edges[at])[0]
    if at == 1:
        return ("does not clearly help", "helps", "is a drawback for")[sign]
    return f"{'matters' if sign else 'does not clearly matter'} for"


def _describe_seat_wins(line: Line) -> str:
    """Return how many of 100 games a strategy wins as each player; empty if not known."""
    shares = [(point.at, point.wins) for point in line.points if point.wins]
    if len(shares) < len(line.points) or line.find_point(1) is None:
        return ""
    wins = {at: format_interval(share, scale=100, exact=(0, 100), decimals=0) for at, share in shares}
    basis = f"({wording.count_results([point.results for point in line.points])}; 95 % intervals)"
    if len(set(wins.values())) == 1:
        return f"{line.name} wins {wins[1]} of 100 games as each player {basis}"
    others = "".join(f", {text} as player {at}" for at, text in wins.items() if at != 1)
    return f"{line.name} wins {wins[1]} of 100 games as player 1{others} {basis}"


def _compare_seats(difference: Interval, than: str) -> str:
    """Return how many points more or fewer a strategy scores in a seat than in others, or what is possible."""
    sign, numbers = split_sign(difference, count_parts(difference))
    if sign:
        clear, more = difference.times(sign), "more" if sign > 0 else "fewer"
        return f"{name_units(write_about(clear), 'points')} {more} {than} {write_span(clear)}"
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
    basis = f"{wording.count_results(counts)}; 95 % intervals)."
    return f"{sentence[:-1]}; {basis}" if sentence.endswith(")") else f"{sentence} ({basis}"


def write_span(interval: Interval, more: str = "") -> str:
    """Return the ends of an interval in brackets, as exact as `write_about` says its estimate."""
    numbers = format_interval_numbers(interval, parts=count_parts(interval))
    end = f"; {more}" if more else ""
    ends = f"{set_minus_signs(numbers.low)} to {set_minus_signs(numbers.high)}"
    return f"({name_ends(interval, ends)}{end})"
