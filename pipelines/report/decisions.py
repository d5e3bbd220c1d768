"""What the decisions and rolls of reviewed games look like: who loses how much and where, a chart, and the decisions of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine.wording import capitalise, format_count, name_amount
from pipelines.design.short_names import base_name
from pipelines.experiments.review_results import BAD_CLASSES
from pipelines.questions.address import write_path
from pipelines.questions.game import write_replay_link
from pipelines.questions.scores.decisions import (
    PER_GAME,
    DecisionGroup,
    DecisionsAnswer,
    ListedDecision,
    LuckyGame,
    name_chosen,
)
from pipelines.questions.scores.distributions import add_half_widths
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_interval, format_intervals, name_ends
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import format_player, join_words
from pipelines.statistics import Interval
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.questions.games import GameLuck
    from pipelines.questions.scores.question import ReviewMeasure
    from pipelines.viewer.palette import SeriesLook

MAX_GROUPS_SHOWN: Final = 24
"""Groups of a strategy that people read; files have all."""
HOLDS_FOR_ALL: Final = "The intervals hold for all reviewed games of all runs at once: the luckiest of many looks luckier than it was."
"""Below a table of what luck helped most."""
WORST_OF_MANY: Final = (
    "The 95 % intervals hold for all decisions {among} at once: the worst of many looks worse than it was. "
    "Best moves and lessons play on more often, so they may say other numbers."
)
WORST_CLASS_FIRST: Final = (
    "The worst class first: by the wins that were lost, or by the points where the win was nearly decided."
)


class _MeasureWords(NamedTuple):
    """How people read a measure."""

    axis: str
    """What is drawn, with its unit."""
    sentence: str
    """What is said of a strategy if its interval is above 0."""
    nothing: str
    """What is said of it otherwise; empty for a measure that is never 0."""
    about: str
    """What the measure is."""
    scale: float = 1.0


MEASURES: Final[dict[ReviewMeasure, _MeasureWords]] = {
    "lost points": _MeasureWords(
        "points lost a game",
        "{who} loses {amount} points a game by its choices",
        "{who} loses too little to tell from 0",
        "What a choice loses against the best other move, summed over a game of one player.",
    ),
    "lost wins": _MeasureWords(
        "wins of 100 lost a game",
        "{who} loses {amount} wins of 100 a game by its choices",
        "{who} loses too little to tell from 0",
        "How much of the win a choice loses against the best other move, summed over a game of one player.",
        100,
    ),
    "slips": _MeasureWords(
        "slips of 100 decisions",
        "",
        "",
        "Classes are those of the review of one game, where there was more than one move.",
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
        "",
        "Legal moves where there was more than one.",
    ),
}
LOSSES: Final[frozenset[ReviewMeasure]] = frozenset(("lost points", "lost wins", "slips"))
"""Measures that cannot be below 0; their estimates and intervals are cut there."""
UNKNOWN_FACTOR: Final = 5
"""How many times the estimate an interval reaches if it says next to nothing."""
MAX_GROUPS_NAMED: Final = 3
"""Groups that a sentence names; of more it names the largest ones."""


def describe_decisions(answer: DecisionsAnswer) -> tuple[str, ...]:
    """Return for each strategy how much its decisions lose, or what its rolls give, and in which group most."""
    if not answer.has_reviews:
        run = answer.unreviewed[0] if answer.unreviewed else answer.scope.runs[0].name
        many = "these games are" if len(answer.unreviewed) == 1 else "the games of these runs are"
        return (f"{many} not reviewed yet", f"this command reviews them: reroll review {run} --games all")
    if answer.question.measure == "luck":
        return tuple(map(set_minus_signs, _describe_luck(answer)))
    if not any(total.mean for total in answer.totals.values()):
        are = "game is" if answer.games == 1 else "games are"
        return (f"{answer.games:,} {are} reviewed; averages need {MIN_BLOCKS} with different luck",)
    if answer.question.measure == "slips":
        sentences = list(_describe_slips(answer))
    else:
        sentences = [_describe_strategy(answer, strategy, total) for strategy, total in answer.totals.items()]
    if answer.question.measure in LOSSES:
        sentences[1:1] = _describe_contradiction(answer)
    return tuple(map(set_minus_signs, sentences))


def _describe_slips(answer: DecisionsAnswer) -> Iterator[str]:
    """Yield how often each strategy slips, in one sentence, then for each one in which groups it slips most."""
    clauses: list[str] = []
    for strategy, total in answer.totals.items():
        if mean := _cut_losses(answer, total.mean):
            verb, ends = ("", "") if clauses else ("slips ", "95 % interval ")
            unit = "" if clauses else " of 100 decisions"
            amount, low, high = format_interval_numbers(mean)
            few = ": too few games to say more" if mean.high > UNKNOWN_FACTOR * mean.estimate else ""
            clauses.append(
                f"{answer.scope.names[strategy]} {verb}in {amount}{unit} ({ends}{low} to {high}{few})"
            )
    yield "; ".join(clauses)
    for strategy in answer.totals:
        if clear := _describe_clear(answer, strategy):
            yield f"{answer.scope.names[strategy]}: {clear.removeprefix('; ')}"


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
        yield f"this does not rank them: by its results, {names[better]} is better than {names[worse]}"


def _cut_losses(answer: DecisionsAnswer, mean: Interval | None) -> Interval | None:
    """Return a mean as people read it, in the unit of the measure: a loss cannot be below 0."""
    if mean is None:
        return None
    scaled = mean.times(MEASURES[answer.question.measure].scale)
    return Interval(*(max(0.0, end) for end in scaled)) if answer.question.measure in LOSSES else scaled


def _describe_luck(answer: DecisionsAnswer) -> Iterator[str]:
    """Yield whether luck is even on average, and the luckiest game."""
    if not answer.totals:
        yield "there is no luck in these games: nothing is rolled"
        return
    every = f"over {format_count(answer.games, 'reviewed game')} luck"
    known = {
        strategy: total.mean
        for strategy, total in answer.totals.items()
        if total.mean and any(group.mean for group in answer.groups[strategy])  # the chart shows these
    }
    for strategy, mean in known.items():
        sign, (points, low, high) = split_sign(mean)
        if sign:
            verb = "helps" if sign > 0 else "harms"
            yield f"{every} {verb} {answer.scope.names[strategy]} by {name_amount(points)} a game (95 % interval {low} to {high})"
    if known and not any(split_sign(mean)[0] for mean in known.values()):
        amounts = [
            f"{answer.scope.names[strategy]} {format_interval(mean, signed=True)}"
            for strategy, mean in known.items()
        ]
        yield f"{every} clearly helps nobody: {join_words(amounts)} points a game (95 % intervals)"
    for game in answer.lucky_games[:1]:
        who = f"{answer.scope.names[game.strategy]} ({format_player(game.seat)})"
        names = [answer.scope.names.get(name, name) for name in game.others]
        yield (
            f"the most one-sided rolls of {format_count(answer.games, 'game')} are those of {_name_game(answer, game)}: "
            f"{describe_edge(who, names, game.luck)}; {describe_deciding_roll(game)}"
        )


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


def describe_deciding_roll(luck: LuckyGame | GameLuck) -> str:
    """Return which roll of a game added most to the win of its luckiest player, with an interval that holds for all rolls at once."""
    if round(100 * luck.wins) < 1:
        return "no roll moved the win chance"
    moved = "moved" if luck.wins_interval.low > 0 else "may have moved"
    return f"the roll {luck.roll} in round {luck.round + 1} {moved} the win chance most, by {_write_wins(luck)} of 100"


def _write_wins(luck: LuckyGame | GameLuck) -> str:
    return format_interval(luck.wins_interval, scale=100, signed=True, decimals=0)


def tabulate_luck(luck: LuckyGame | GameLuck, who: str, edge: Interval) -> dict[str, Cell]:
    """Return the cells of a row that say whom the rolls of a game helped, by `edge`, and which roll moved the win most."""
    return {
        "helped": who if edge.low > 0 else f"perhaps {who}",
        "deciding roll": luck.roll,
        "in round": f"{luck.round + 1}",
        "wins of 100 by it": _write_wins(luck),
    }


def _name_game(answer: DecisionsAnswer, row: LuckyGame | ListedDecision) -> str:
    """Return the number of a game, with its run if there are several."""
    return f"game {row.game_id + 1:,}{f' of {row.run}' if len(answer.scope.runs) > 1 else ''}"


def _describe_strategy(answer: DecisionsAnswer, strategy: str, total: DecisionGroup) -> str:
    words, who = MEASURES[answer.question.measure], answer.scope.names[strategy]
    if total.mean is None:
        return f"not enough games to say what {who} does ({format_count(total.blocks, 'block')})"
    mean = _cut_losses(answer, total.mean) or total.mean
    amount, low, high = format_interval_numbers(mean)
    games = judges = ""
    if answer.question.measure in {"lost points", "lost wins"} and strategy == next(iter(answer.totals)):
        games = f"; {format_count(answer.games, 'reviewed game')}"
        judges = f" if {_name_judges(answer)} play on"
    if words.nothing and mean.low <= 0:
        ends = name_ends(mean, f"{low} to {high} {words.axis}; 95 % interval")
        return f"{words.nothing.format(who=who)} ({ends}{games}){judges}"
    ends = name_ends(mean, f"95 % interval {low} to {high}")
    sentence = words.sentence.format(who=who, amount=amount)
    return f"{sentence} ({ends}{games}){judges}{_describe_clear(answer, strategy)}"


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
    clauses = []
    for name in clear[:MAX_GROUPS_NAMED]:
        mean = (
            Interval(*(max(0.0, end) for end in means[name]))
            if answer.question.measure in LOSSES
            else means[name]
        )
        amount, low, high = format_interval_numbers(mean)
        clauses.append(f"{at}{name} ({amount}, {name_ends(mean, f'{low} to {high}')})")
    return f"; clearly more than elsewhere {join_words(clauses)}" if clear else ""


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
    estimates = [
        estimate for strategy in answer.groups for estimate in _list_estimates(answer, strategy, looks)
    ]
    if estimates and (len(groups) > 1 or answer.slips):  # one alone stands in the sentence
        title = f"{words.axis.capitalize()}, by {question.grouping}"
        mark = Mark(0, "no luck") if question.measure == "luck" else None
        yield Part(
            "groups",
            Intervals(
                estimates,
                words.axis,
                title,
                mark=mark,
                starts_at_zero=question.measure in LOSSES,
                part_names=BAD_CLASSES if answer.slips else (),
            ),
            caption=_write_caption(answer),
        )
    if answer.lucky_games and not question.only:
        yield Part("games", _tabulate_games(answer))
    if answer.listed:
        yield Part("listed", _tabulate_listed(answer))
    if groups:
        # the chart shows the same, unless no group has a mean
        if question.grouping != "strategy":
            groups += [(strategy, total._replace(name="all")) for strategy, total in answer.totals.items()]
        table, numbers = _tabulate_groups(answer, groups), _tabulate_numbers(answer)
        yield Part(NUMBERS, table, "details" if estimates else "beside", numbers=numbers)


def write_decision_fields(answer: DecisionsAnswer) -> dict[str, object]:
    """Return the numbers as JSON data."""
    prefix = "luck" if answer.question.measure == "luck" else "lost"
    listed = answer.listed and [
        {
            f"{prefix}_{key}" if key.startswith(("points", "wins")) else key: value
            for key, value in row.items()
            if key != "better_cells"
        }
        for row in map(ListedDecision._asdict, answer.listed)
    ]
    fields = {"totals": answer.totals, "groups": answer.groups, "listed": listed}
    return fields | ({"games": answer.lucky_games} if answer.lucky_games else {})


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
            is_chosen=answer.chosen in {(strategy, group), ("", group)},
            parts=tuple(100 * count / group.n for count in answer.slips.get((strategy, group.key), ())),
        )
        for group in answer.groups[strategy][:MAX_GROUPS_SHOWN]
        if (mean := _cut_losses(answer, group.mean)) and any(mean)
    ]


def _write_caption(answer: DecisionsAnswer) -> str:
    """Return what a measure is, and who judged."""
    is_empty = any(
        group.mean and not any(group.mean) for groups in answer.groups.values() for group in groups
    )
    few = [
        f"{join_words(names) if len(names) <= MAX_GROUPS_NAMED else f'{len(names)} groups'}{f' of {answer.scope.names[strategy]}' if len(answer.groups) > 1 else ''}"
        for strategy, groups in answer.groups.items()
        if (names := [group.name for group in groups if not group.mean])
    ]
    again = " many times, so they find slips of their own," if answer.question.measure in LOSSES else ""
    return (
        f"{MEASURES[answer.question.measure].about} {capitalise(_name_judges(answer))} play on{again} in the reviews. "
        f"The 95 % intervals hold for all groups of a strategy at once.{' Groups in which no game lost anything are not drawn.' if is_empty else ''}"
        f"{f' Left out, because fewer than {MIN_BLOCKS} blocks have some: {join_words(few)}.' if few else ''}"
    )


def _tabulate_games(answer: DecisionsAnswer) -> Table:
    """Return the games with the most one-sided rolls, each with a link to the roll that moved the win most."""
    rows: list[dict[str, Cell]] = [
        {
            "points more than the others, 95 % interval"
            if len(game.others) > 1
            else "points more, 95 % interval": more,
            **tabulate_luck(
                game,
                f"{answer.scope.names.get(game.strategy, game.strategy)} ({format_player(game.seat)})",
                game.luck,
            ),
            "game": _number_game(answer, game),
        }
        for game, more in zip(
            answer.lucky_games, format_intervals([game.luck for game in answer.lucky_games]), strict=True
        )
    ]
    links = tuple(
        f"{write_replay_link(game.run, game.game_id, game.ply)}&review=1" for game in answer.lucky_games
    )
    unclear = (
        ""
        if any(game.luck.low > 0 for game in answer.lucky_games)
        else "In none of these games is it clear whom they helped. "
    )
    return make_table("The most one-sided rolls of a game", rows, f"{unclear}{HOLDS_FOR_ALL}")._replace(
        links=links
    )


def _tabulate_groups(answer: DecisionsAnswer, groups: list[tuple[str, DecisionGroup]]) -> Table:
    """Return a row for each group, which leads to its decisions."""
    question, words = answer.question, MEASURES[answer.question.measure]
    noun = "rolls" if question.measure == "luck" else "decisions"
    means, each = (
        [mean and format_interval(_cut_losses(answer, mean), when_equal="in all games") for mean in column]
        for column in ([group.mean for _, group in groups], [group.each for _, group in groups])
    )
    rows: list[dict[str, Cell]] = []
    for number, (strategy, group) in enumerate(groups):
        row: dict[str, Cell] = {"strategy": answer.scope.names[strategy]} if len(answer.groups) > 1 else {}
        row |= {question.grouping: group.name} if question.grouping != "strategy" or not row else {}
        row |= {noun: group.n, "blocks": group.blocks}
        row |= {f"{words.axis}, 95 % interval": means[number]} if any(means) else {}
        row |= {f"for each of the {noun}": each[number]} if any(each) and question.measure in PER_GAME else {}
        rows.append(row)
    names = [name_chosen(group.name, answer.scope.names[name]) if group.key else "" for name, group in groups]
    links = tuple(write_path(question.model_copy(update={"only": name}))[1:] for name in names)
    few = f"A mean needs {MIN_BLOCKS} blocks: games with different luck that have such {noun}."
    has_means = any(total.mean for total in answer.totals.values())
    caption = few if has_means and not all(means) else ""  # without any mean, the verdict says it
    title = f"{question.measure.capitalize()} by {question.grouping}"
    table = make_table(title, rows, caption, optional=("blocks",))
    return table._replace(links=links)


def _number_game(answer: DecisionsAnswer, row: LuckyGame | ListedDecision) -> str:
    """Return the number of a game for a cell, with its run if there are several."""
    return f"{row.game_id + 1}{f' of {row.run}' if len(answer.scope.runs) > 1 else ''}"


def _tabulate_listed(answer: DecisionsAnswer) -> Table:
    """Return the decisions or rolls of a group, or the luckiest rolls, each with a link to its board."""
    listed, question = answer.listed or (), answer.question
    is_luck = question.measure == "luck"
    links = tuple(f"{write_replay_link(row.run, row.game_id, row.ply)}&review=1" for row in listed)
    points = format_intervals([row.points_interval for row in listed], signed=is_luck)
    wins = format_intervals([row.wins_interval for row in listed], scale=100)
    rows: list[dict[str, Cell]] = []
    for decision, lost_points, lost_wins in zip(listed, points, wins, strict=True):
        row: dict[str, Cell]
        if is_luck:
            row = {"points, 95 % interval": lost_points, "roll": decision.played}
        else:
            lost: dict[str, Cell] = {"wins of 100 lost": lost_wins, "points lost": lost_points}
            if question.measure == "lost points":
                lost = dict(reversed(lost.items()))
            elif question.measure != "lost wins":
                lost = {"class": decision.judged, "by": decision.judged_by, **lost}
            row = {**lost, "played": decision.played, "better": decision.better}
        strategy = answer.scope.names.get(decision.strategy, decision.strategy)
        row |= {"player": f"{strategy} ({format_player(decision.seat)})", "move": decision.ply + 1}
        rows.append(row | {"game": _number_game(answer, decision)})
    subject, caption = {
        "lost points": ("choices with the most lost points", ""),
        "lost wins": ("choices with the most lost wins", ""),
        "luck": ("luckiest rolls", ""),
        "choices": ("decisions with the most choices", ""),
    }.get(question.measure, ("worst mistakes", f"{WORST_CLASS_FIRST} "))
    if question.only and is_luck:
        subject = "rolls that gave or took most"
    where = f": {question.only}" if question.only else ""
    among = "of this group" if question.only else "of all groups"
    many = "" if is_luck else WORST_OF_MANY.format(among=among)
    return make_table(f"The {subject}{where}", rows, f"{caption}{many}", {"move": "d"})._replace(links=links)


def _tabulate_numbers(answer: DecisionsAnswer) -> Table:
    """Return a row of numbers for each group, and one for all groups of a strategy."""
    rows: list[dict[str, Cell]] = []
    for strategy, listed in answer.groups.items():
        for group in (answer.totals[strategy]._replace(name="all"), *listed):
            row: dict[str, Cell] = {
                "strategy": strategy,
                "group": group.name,
                "n": group.n,
                "blocks": group.blocks,
                "measure": answer.question.measure,
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
