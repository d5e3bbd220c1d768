"""What the decisions and rolls of reviewed games look like: who loses how much and where, a chart, and the decisions of a group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.wording import capitalise, format_count, name_amount
from pipelines.design.short_names import base_name
from pipelines.questions.address import write_path
from pipelines.questions.game import write_replay_link
from pipelines.questions.scores.decisions import PER_GAME
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.report.charts import Estimate, Intervals, Mark, list_ends
from pipelines.report.estimates import format_interval, name_ends
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import format_player, join_words
from pipelines.statistics import Interval
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.questions.scores.decisions import (
        DecisionGroup,
        DecisionsAnswer,
        ListedDecision,
        LuckyGame,
    )
    from pipelines.questions.scores.question import ReviewMeasure
    from pipelines.viewer.palette import SeriesLook

MAX_GROUPS_SHOWN: Final = 24
"""Groups of a strategy that people read; files have all."""
HOLDS_FOR_ALL: Final = "The intervals hold for all at once: the luckiest of many looks luckier than it was."
"""Below a table of what luck helped most."""


class _MeasureWords(NamedTuple):
    """How people read a measure."""

    axis: str
    """What is drawn, with its unit."""
    sentence: str
    """What is said of a strategy if its interval is above 0."""
    nothing: str
    """What is said of it otherwise."""
    about: str
    """What the measure is."""
    scale: float = 1.0


MEASURES: Final[dict[ReviewMeasure, _MeasureWords]] = {
    "lost points": _MeasureWords(
        "points lost a game",
        "{who} loses {amount} points a game by its choices",
        "the choices of {who} lose no points that these games show",
        "What a choice loses against the best other move, summed over a game of one player.",
    ),
    "lost wins": _MeasureWords(
        "% of a win given away a game",
        "the choices of {who} give away {amount} % of a win a game",
        "the choices of {who} give away no win that these games show",
        "How much of the win a choice loses against the best other move, summed over a game of one player.",
        100,
    ),
    "slips": _MeasureWords(
        "slips of 100 decisions",
        "{who} slips in {amount} of 100 decisions",
        "{who} shows no slip",
        "Inaccuracies, mistakes and blunders, as in the review of one game, where there was more than one move.",
        100,
    ),
    "luck": _MeasureWords(
        "points of luck a game",
        "",
        "",
        "The value of the game for a player after a roll minus its mean over all outcomes, summed over a game.",
    ),
    "choices": _MeasureWords(
        "choices at a decision",
        "{who} has {amount} choices at a decision",
        "{who} has no choice",
        "Legal moves where there was more than one.",
    ),
}
LOSSES: Final[frozenset[ReviewMeasure]] = frozenset(("lost points", "lost wins", "slips"))
"""Measures that cannot be below 0; their estimates and intervals are cut there."""
MAX_GROUPS_NAMED: Final = 3
"""Groups that a sentence names; of more it names the largest ones."""
SHARED_SCALE: Final = 3.0
"""Strategies share a chart unless what one of them shows is this many times as wide as that of another one."""


def describe_decisions(answer: DecisionsAnswer) -> tuple[str, ...]:
    """Return for each strategy how much its decisions lose, or what its rolls give, and in which group most."""
    if not answer.has_reviews:
        run = answer.unreviewed[0] if answer.unreviewed else answer.scope.runs[0].name
        many = "these games are" if len(answer.unreviewed) == 1 else "the games of these runs are"
        return (f"{many} not reviewed yet", f"this command reviews them: reroll review {run} --games all")
    if answer.question.measure == "luck":
        return tuple(map(set_minus_signs, _describe_luck(answer)))
    sentences = [_describe_strategy(answer, strategy, total) for strategy, total in answer.totals.items()]
    if (
        sentences
        and answer.question.measure in LOSSES
        and any(total.mean for total in answer.totals.values())
    ):
        sentences[0] = f"if {_name_judges(answer)} play on, {sentences[0]}"
        sentences += _describe_contradiction(answer)
    return tuple(map(set_minus_signs, sentences))


def _name_judges(answer: DecisionsAnswer) -> str:
    """Return who plays on in the reviews, as a plural."""
    names = join_words([base_name(judge) for judge in answer.judges])
    return f"quick players ({names})" if answer.is_quick else f"players such as {names}"


def _describe_contradiction(answer: DecisionsAnswer) -> Iterator[str]:
    """Yield that losses do not rank strategies, where results name another strategy as the better one."""
    if not answer.ranking:
        return
    better, worse = answer.ranking
    means = [total.mean for name in answer.ranking if (total := answer.totals.get(name))]
    if len(means) == 2 and means[0] and means[1] and means[0].estimate >= means[1].estimate:
        names = answer.scope.names
        yield (
            f"this does not rank them: {names[better]} scores better than {names[worse]}, although it loses no less by this judge, who "
            f"plays as {join_words([base_name(judge) for judge in answer.judges])}"
        )


def _cut_losses(answer: DecisionsAnswer, mean: Interval | None) -> Interval | None:
    """Return a mean as people read it, in the unit of the measure: a loss cannot be below 0."""
    if mean is None:
        return None
    scaled = mean.times(MEASURES[answer.question.measure].scale)
    return Interval(*(max(0.0, end) for end in scaled)) if answer.question.measure in LOSSES else scaled


def _describe_luck(answer: DecisionsAnswer) -> Iterator[str]:
    """Yield the luckiest game, the luckiest roll, and whether luck is even on average."""
    if not answer.totals:
        yield "there is no luck in these games: nothing is rolled"
        return
    for game in answer.lucky_games[:1]:
        who = f"{answer.scope.names[game.strategy]} ({format_player(game.seat)})"
        names = [answer.scope.names.get(name, name) for name in game.others]
        yield (
            f"the most one-sided rolls of {format_count(answer.games, 'game')} are those of {_name_game(answer, game)}: "
            f"{describe_edge(who, names, game.luck)}"
        )
    for roll in answer.listed or ():
        if roll.luck:
            points, low, high = format_interval_numbers(roll.luck)
            yield (
                f"the luckiest roll, {roll.played} in {_name_game(answer, roll)}, helps {answer.scope.names[roll.strategy]} by "
                f"{name_amount(points)} (95 % interval {low} to {high})"
            )
            break
    known = {strategy: total.mean for strategy, total in answer.totals.items() if total.mean}
    for strategy, mean in known.items():
        sign, (points, low, high) = split_sign(mean)
        if sign:
            verb = "helps" if sign > 0 else "harms"
            yield f"over all games luck {verb} {answer.scope.names[strategy]} by {name_amount(points)} a game (95 % interval {low} to {high})"
    if known and not any(split_sign(mean)[0] for mean in known.values()):
        amounts = [
            f"{answer.scope.names[strategy]} {format_interval(mean, signed=True)}"
            for strategy, mean in known.items()
        ]
        yield f"over all games luck clearly helps nobody: {join_words(amounts)} points a game (95 % intervals)"


def describe_edge(who: str, others: Sequence[str], edge: Interval) -> str:
    """Return how much more the rolls of a game helped its luckiest player than the others.

    >>> describe_edge("keeper (player 1)", ["greedy"], Interval(10.5, 3.1, 17.9))
    'they help keeper (player 1) by 10 points more than greedy (95 % interval 3 to 18)'
    """
    points, low, high = format_interval_numbers(edge)
    more = (
        f" more than {others[0]}"
        if len(others) == 1
        else " more than the others on average"
        if others
        else ""
    )
    helps = "they help" if edge.low > 0 else "they may help"
    return f"{helps} {who} by {name_amount(points)}{more} (95 % interval {low} to {high})"


def _name_game(answer: DecisionsAnswer, row: LuckyGame | ListedDecision) -> str:
    """Return the number of a game, with its run if there are several."""
    return f"game {row.game_id + 1:,}{f' of {row.run}' if len(answer.scope.runs) > 1 else ''}"


def _describe_strategy(answer: DecisionsAnswer, strategy: str, total: DecisionGroup) -> str:
    words, who = MEASURES[answer.question.measure], answer.scope.names[strategy]
    if total.mean is None:
        return f"not enough games to say what {who} does ({format_count(total.blocks, 'block')})"
    mean = _cut_losses(answer, total.mean) or total.mean
    amount, low, high = format_interval_numbers(mean)
    ends = name_ends(mean, f"95 % interval {low} to {high}")
    if mean.low <= 0:
        return f"{words.nothing.format(who=who)} ({ends} {words.axis})"
    sentence = words.sentence.format(who=who, amount=amount)
    return f"{sentence} ({ends}){_describe_clear(answer, strategy)}"


def _describe_clear(answer: DecisionsAnswer, strategy: str) -> str:
    """Return which groups are clearly above the mean of the others, as the end of a sentence; empty if too few can be compared."""
    words, by = MEASURES[answer.question.measure], answer.question.grouping
    groups = [group for group in answer.groups[strategy] if group.mean]
    if len(groups) < 2 or 2 * sum(group.n for group in groups) < answer.totals[strategy].n:
        return ""
    means = {group.name: group.mean.times(words.scale) for group in groups if group.mean}
    clear = sorted(
        (name for name in means if _is_above_others(name, means)), key=lambda name: -means[name].estimate
    )
    at = {"lead": "when ", "player": "as "}.get(
        by, "with " if by in {"piece", "kind of move", "roll"} else "in "
    )
    if not clear:
        return f"; no {by} clearly stands out"
    clauses = []
    for name in clear[:MAX_GROUPS_NAMED]:
        mean = (
            Interval(*(max(0.0, end) for end in means[name]))
            if answer.question.measure in LOSSES
            else means[name]
        )
        amount, low, high = format_interval_numbers(mean)
        clauses.append(f"{at}{name} ({amount}, {name_ends(mean, f'{low} to {high}')})")
    return f"; clearly more than elsewhere {join_words(clauses)}"


def _is_above_others(name: str, means: Mapping[str, Interval]) -> bool:
    """Return whether a mean is clearly above the mean of all others, whatever they have in common."""
    others = [mean for other, mean in means.items() if other != name]
    average = Interval(*(sum(ends) / len(others) for ends in zip(*others, strict=True)))
    return add_half_widths(means[name], average).low > 0


def list_decision_parts(answer: DecisionsAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield a chart of the groups, a table of them with a link to their decisions, and the decisions of the group that is named."""
    question, words = answer.question, MEASURES[answer.question.measure]
    groups = [
        (strategy, group) for strategy, listed in answer.groups.items() for group in listed[:MAX_GROUPS_SHOWN]
    ]
    if answer.lucky_games:
        yield Part("games", _tabulate_games(answer))
    if answer.listed is not None:
        yield Part("listed", _tabulate_listed(answer))
    charts = _divide_by_scale([_list_estimates(answer, strategy, looks) for strategy in answer.groups])
    for number, estimates in enumerate(charts):
        whose = f" of {estimates[0].name}" if len(charts) > 1 else ""
        title = f"{words.axis.capitalize()}{whose}, by {question.grouping}"
        mark = Mark(0, "none") if question.measure == "luck" else None
        caption = _write_caption(answer) if number == len(charts) - 1 else ""
        yield Part(f"groups-{number}", Intervals(estimates, words.axis, title, mark=mark), caption=caption)
    if groups:
        yield Part("table", _tabulate_groups(answer, groups), "beside")
        yield Part(NUMBERS, _tabulate_numbers(answer), "details")


def _list_estimates(
    answer: DecisionsAnswer, strategy: str, looks: Mapping[str, SeriesLook]
) -> list[Estimate]:
    """Return what a chart draws of a strategy: all groups in which something was lost or given."""
    name = answer.scope.names[strategy]
    has_panels = len(answer.groups) > 1 and answer.question.grouping != "strategy"
    return [
        Estimate(
            group.name,
            name if has_panels else "",
            name,
            mean,
            group.blocks,
            looks[strategy],
        )
        for group in answer.groups[strategy][:MAX_GROUPS_SHOWN]
        if (mean := _cut_losses(answer, group.mean)) and any(mean)
    ]


def _divide_by_scale(lines: list[list[Estimate]]) -> list[list[Estimate]]:
    """Return the estimates of each chart: all in one, or those of each strategy in one of its own, if their scales differ much."""
    drawn = [line for line in lines if line]
    spans = [max(list_ends(line)) - min(0, *list_ends(line)) for line in drawn]
    if not drawn or max(spans) > SHARED_SCALE * min(spans):
        return [[replace(estimate, panel="") for estimate in line] for line in drawn]
    return [[estimate for line in drawn for estimate in line]]


def _write_caption(answer: DecisionsAnswer) -> str:
    """Return what a measure is, and who judged."""
    is_empty = any(
        group.mean and not any(group.mean) for groups in answer.groups.values() for group in groups
    )
    return (
        f"{MEASURES[answer.question.measure].about} {capitalise(_name_judges(answer))} play on in the reviews. The 95 % intervals hold for all groups of a "
        f"strategy at once.{' Groups in which no game lost anything are not drawn.' if is_empty else ''}"
    )


def _tabulate_games(answer: DecisionsAnswer) -> Table:
    """Return the games with the most one-sided rolls, each with a link to the roll that added most."""
    rows: list[dict[str, Cell]] = [
        {
            "helped": f"{answer.scope.names.get(game.strategy, game.strategy)} ({format_player(game.seat)})",
            "points more than the others, 95 % interval"
            if len(game.others) > 1
            else "points more, 95 % interval": format_interval(game.luck),
            "most by the roll": game.roll,
            "game": _number_game(answer, game),
        }
        for game in answer.lucky_games
    ]
    links = tuple(
        f"{write_replay_link(game.run, game.game_id, game.ply)}&review=1" for game in answer.lucky_games
    )
    return make_table("The most one-sided rolls of a game", rows, HOLDS_FOR_ALL)._replace(links=links)


def _tabulate_groups(answer: DecisionsAnswer, groups: list[tuple[str, DecisionGroup]]) -> Table:
    """Return a row for each group, which leads to its decisions."""
    question, words = answer.question, MEASURES[answer.question.measure]
    noun = "rolls" if question.measure == "luck" else "decisions"
    means, each = (
        [format_interval(_cut_losses(answer, mean), when_equal="in all games") for mean in column]
        for column in ([group.mean for _, group in groups], [group.each for _, group in groups])
    )
    rows: list[dict[str, Cell]] = []
    for number, (strategy, group) in enumerate(groups):
        row: dict[str, Cell] = {"strategy": answer.scope.names[strategy]} if len(answer.groups) > 1 else {}
        row |= {question.grouping: group.name} if question.grouping != "strategy" or not row else {}
        row |= {noun: group.n, "blocks": group.blocks, f"{words.axis}, 95 % interval": means[number]}
        row |= {f"for each of the {noun}": each[number]} if question.measure in PER_GAME else {}
        rows.append(row)
    links = tuple(
        write_path(question.model_copy(update={"only": group.name, "strategies": (strategy,)}))[1:]
        for strategy, group in groups
    )
    table = make_table(f"{question.measure.capitalize()} by {question.grouping}", rows, optional=("blocks",))
    return table._replace(links=links)


def _number_game(answer: DecisionsAnswer, row: LuckyGame | ListedDecision) -> str:
    """Return the number of a game for a cell, with its run if there are several."""
    return f"{row.game_id + 1}{f' of {row.run}' if len(answer.scope.runs) > 1 else ''}"


def _tabulate_listed(answer: DecisionsAnswer) -> Table:
    """Return the decisions or rolls of a group, or the luckiest rolls, each with a link to its board."""
    listed, question = answer.listed or (), answer.question
    is_luck, has_wins = question.measure == "luck", question.measure in {"lost wins", "slips"}
    links = tuple(f"{write_replay_link(row.run, row.game_id, row.ply)}&review=1" for row in listed)
    rows: list[dict[str, Cell]] = []
    for decision in listed:
        row: dict[str, Cell] = {}
        if is_luck and decision.luck:
            row |= {
                "points, 95 % interval": format_interval(decision.luck, signed=True),
                "roll": decision.played,
            }
        elif is_luck:
            row |= {"points of luck": decision.points, "roll": decision.played}
        else:
            row |= {
                "class": decision.judged,
                "played": decision.played,
                "better": decision.better,
                "points lost": decision.points,
                **({"wins of 100 lost": 100 * decision.wins} if has_wins else {}),
            }
        strategy = answer.scope.names.get(decision.strategy, decision.strategy)
        row |= {"player": f"{strategy} ({format_player(decision.seat)})", "move": decision.ply + 1}
        rows.append(row | {"game": _number_game(answer, decision)})
    if answer.lucky_games:
        return make_table("The luckiest rolls", rows, formats={"move": "d"})._replace(links=links)
    noun, order = {
        "luck": ("rolls", "that gave or took most"),
        "choices": ("decisions", "with the most choices"),
    }.get(question.measure, ("decisions", "that lost most"))
    numbers = {"points of luck": "+.1f"} if is_luck else {"points lost": ".1f"}
    numbers |= {"wins of 100 lost": ".1f"} if has_wins else {}
    table = make_table(
        f"{noun.capitalize()}: {question.only}",
        rows,
        f"The {len(rows):,} {noun} {order}. The numbers of a single one are estimates by few playouts.",
        {"move": "d"} | numbers,
    )
    return table._replace(links=links)


def _tabulate_numbers(answer: DecisionsAnswer) -> Table:
    """Return a row of numbers for each group, and one for all groups of a strategy."""
    rows: list[dict[str, Cell]] = []
    for strategy, listed in answer.groups.items():
        for group in (answer.totals[strategy]._replace(name="all"), *listed):
            row: dict[str, Cell] = {
                "strategy": strategy,
                answer.question.grouping if answer.question.grouping != "strategy" else "group": group.name,
                "n": group.n,
                "blocks": group.blocks,
            }
            for name, mean in (("mean", group.mean), ("each", group.each)):
                interval = (
                    mean and Interval(*(max(0.0, end) for end in mean))
                    if answer.question.measure in LOSSES
                    else mean
                )
                low, high = (interval.low, interval.high) if interval else (None, None)
                row |= {name: interval and interval.estimate, f"{name} from": low, f"{name} to": high}
            rows.append(row)
    formats = {f"{name}{end}": ".4f" for name in ("mean", "each") for end in ("", " from", " to")}
    return make_table(f"All {answer.question.measure} by {answer.question.grouping}", rows, formats=formats)
