"""What the decisions and rolls of reviewed games look like: who loses how much and where, a chart, and the decisions of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from engine.wording import format_count
from pipelines.design.short_names import base_name
from pipelines.questions.address import write_path
from pipelines.questions.game import write_replay_link
from pipelines.questions.scores.decisions import PER_GAME
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_intervals, name_ends
from pipelines.report.sheet import NUMBERS, Part
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import join_words
from pipelines.statistics.intervals import hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.questions.scores.decisions import DecisionGroup, DecisionsAnswer
    from pipelines.questions.scores.question import ReviewMeasure
    from pipelines.viewer.palette import SeriesLook

MAX_GROUPS_SHOWN: Final = 24
"""Groups of a strategy that people read; files have all."""


class _MeasureWords(NamedTuple):
    """How people read a measure."""

    axis: str
    """What is drawn, with its unit."""
    sentence: str
    """What is said of a strategy if its interval is above 0."""
    clear: str
    """How the group that stands out is named."""
    scale: float = 1.0


MEASURES: Final[dict[ReviewMeasure, _MeasureWords]] = {
    "lost points": _MeasureWords(
        "points lost a game", "{who} loses {amount} points a game by its choices", "most"
    ),
    "lost wins": _MeasureWords(
        "% of a win given away a game",
        "{who} gives away {amount} % of a win a game, added up over its choices",
        "most",
        100,
    ),
    "slips": _MeasureWords(
        "slips of 100 decisions", "{who} slips in {amount} of 100 decisions", "most often", 100
    ),
    "luck": _MeasureWords("points of luck a game", "luck gives {who} {amount} points a game", "most"),
    "choices": _MeasureWords("choices at a decision", "{who} has {amount} choices at a decision", "most"),
}


def describe_decisions(answer: DecisionsAnswer) -> tuple[str, ...]:
    """Return for each strategy how much its decisions lose, or what its rolls give, and in which group most."""
    if not answer.has_reviews:
        run = answer.unreviewed[0] if answer.unreviewed else answer.scope.runs[0].name
        many = "these games are" if len(answer.unreviewed) == 1 else "the games of these runs are"
        return (f"{many} not reviewed yet", f"this command reviews them: reroll review {run} --games all")
    if answer.question.measure == "luck" and not answer.totals:
        return ("there is no luck in these games: nothing is rolled",)
    return tuple(
        set_minus_signs(_describe_strategy(answer, strategy, total))
        for strategy, total in answer.totals.items()
    )


def _describe_strategy(answer: DecisionsAnswer, strategy: str, total: DecisionGroup) -> str:
    words, who = MEASURES[answer.question.measure], answer.scope.names[strategy]
    if total.mean is None:
        return f"not enough games to say what {who} does ({format_count(total.blocks, 'block')})"
    mean = total.mean.times(words.scale)
    amount, low, high = format_interval_numbers(mean)
    ends = name_ends(mean, f"95 % interval {low} to {high}")
    is_luck = answer.question.measure == "luck"
    if mean.low <= 0 <= mean.high or (mean.high < 0 and not is_luck):
        nothing = {
            "luck": f"luck gives {who} neither clearly more nor clearly less than expected",
            "slips": f"{who} shows no slip",
        }.get(answer.question.measure, f"the choices of {who} lose nothing that these games show")
        return f"{nothing} ({ends} {words.axis})"
    if mean.high < 0:
        amount, low, high = format_interval_numbers(mean.times(-1))
        return f"luck takes {amount} points a game from {who} ({name_ends(mean, f'95 % interval {low} to {high}')})"
    return f"{words.sentence.format(who=who, amount=amount)} ({ends}){_describe_largest(answer, strategy)}"


def _describe_largest(answer: DecisionsAnswer, strategy: str) -> str:
    """Return in which group a strategy loses most, as the end of a sentence; empty if too few groups can be compared."""
    words = MEASURES[answer.question.measure]
    groups = answer.groups[strategy]
    measured = {group.name: group.mean for group in groups if group.mean}
    if len(measured) < 2 or 2 * sum(group.n for group in groups if group.mean) < answer.totals[strategy].n:
        return ""
    wide = {name: hold_for_all(mean.times(words.scale), len(measured)) for name, mean in measured.items()}
    largest = max(wide, key=lambda name: wide[name].estimate)
    amount, low, high = format_interval_numbers(wide[largest])
    rivals = sum(mean.high >= wide[largest].low for name, mean in wide.items() if name != largest)
    at = f"{'with ' if answer.question.grouping in {'piece', 'kind of move', 'roll'} else 'in '}{largest}"
    if answer.question.grouping in {"lead", "player"}:
        at = f"{'when ' if answer.question.grouping == 'lead' else 'as '}{largest}"
    ends = f"{amount}, {name_ends(wide[largest], f'{low} to {high}')}"
    if not rivals:
        return f"; {words.clear} {at} ({ends})"
    others = "one other may be as much" if rivals == 1 else f"{rivals:,} others may be as much"
    return f"; {words.clear} {at} so far ({ends}), but {others}"


def list_decision_parts(answer: DecisionsAnswer, looks: Mapping[str, SeriesLook]) -> Iterator[Part]:
    """Yield a chart of the groups, a table of them with a link to their decisions, and the decisions of the group that is named."""
    question, words = answer.question, MEASURES[answer.question.measure]
    groups = [
        (strategy, group) for strategy, listed in answer.groups.items() for group in listed[:MAX_GROUPS_SHOWN]
    ]
    estimates = [
        Estimate(
            group.name,
            answer.scope.names[strategy]
            if len(answer.groups) > 1 and question.grouping != "strategy"
            else "",
            answer.scope.names[strategy],
            group.mean.times(words.scale),
            group.blocks,
            looks[strategy],
        )
        for strategy, group in groups
        if group.mean
    ]
    if answer.listed is not None:
        yield Part("listed", _tabulate_listed(answer))
    if estimates:
        title = f"{words.axis.capitalize()}, by {question.grouping}"
        mark = Mark(0, "none") if question.measure == "luck" else None
        yield Part(
            "groups", Intervals(estimates, words.axis, title, mark=mark), caption=_write_caption(answer)
        )
    if groups:
        yield Part("table", _tabulate_groups(answer, groups), "beside")
        yield Part(NUMBERS, _tabulate_numbers(answer), "details")


def _write_caption(answer: DecisionsAnswer) -> str:
    """Return what a measure is, and who judged."""
    judges = join_words([base_name(judge) for judge in answer.judges])
    texts: dict[ReviewMeasure, str] = {
        "lost points": "What a choice loses against the best other move, summed over a game of one player.",
        "lost wins": "How much of the win a choice loses against the best other move, summed over a game of one player.",
        "slips": "Inaccuracies, mistakes and blunders, as in the review of one game, where there was more than one move.",
        "luck": "The value of the game for a player after a roll minus its mean over all outcomes, summed over a game.",
        "choices": "Legal moves where there was more than one.",
    }
    return (
        f"{texts[answer.question.measure]} {judges} plays on in the reviews. Bars are 95 % intervals; the one that the "
        "sentence gives for a group is wider, because it holds for all groups at once."
    )


def _tabulate_groups(answer: DecisionsAnswer, groups: list[tuple[str, DecisionGroup]]) -> Table:
    """Return a row for each group, which leads to its decisions."""
    question, words = answer.question, MEASURES[answer.question.measure]
    noun = "rolls" if question.measure == "luck" else "decisions"
    means = format_intervals([group.mean for _, group in groups], scale=words.scale, exact=())
    each = format_intervals([group.each for _, group in groups], scale=words.scale, exact=())
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


def _tabulate_listed(answer: DecisionsAnswer) -> Table:
    """Return the decisions or rolls of a group, each with a link to its board."""
    listed, question = answer.listed or (), answer.question
    is_luck = question.measure == "luck"
    rows: list[dict[str, Cell]] = [
        {
            "run": decision.run,
            "game": decision.game_id + 1,
            "move": decision.ply + 1,
            "player": decision.seat + 1,
            "strategy": answer.scope.names.get(decision.strategy, decision.strategy),
            **(
                {
                    "roll": decision.played,
                    "points of luck": decision.points,
                    "wins of 100": 100 * decision.wins,
                }
                if is_luck
                else {
                    "class": decision.judged,
                    "played": decision.played,
                    "better": decision.better,
                    "points lost": decision.points,
                    "wins of 100 lost": 100 * decision.wins,
                }
            ),
        }
        for decision in listed
    ]
    order = {"luck": "largest", "choices": "with the most choices"}.get(question.measure, "that lost most")
    noun = "rolls" if is_luck else "decisions"
    table = make_table(
        f"{noun.capitalize()}: {question.only}",
        rows,
        f"The {len(rows):,} {noun} {order} first. The numbers of a single one are estimates by few playouts.",
        {"game": "d", "move": "d", "player": "d"}
        | (
            {"points of luck": "+.1f", "wins of 100": "+.1f"}
            if is_luck
            else {"points lost": ".1f", "wins of 100 lost": ".1f"}
        ),
    )
    links = tuple(f"{write_replay_link(row.run, row.game_id, row.ply)}&review=1" for row in listed)
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
            for name, interval in (("mean", group.mean), ("each", group.each)):
                low, high = (interval.low, interval.high) if interval else (None, None)
                row |= {name: interval and interval.estimate, f"{name} from": low, f"{name} to": high}
            rows.append(row)
    formats = {f"{name}{end}": ".4f" for name in ("mean", "each") for end in ("", " from", " to")}
    return make_table(f"All {answer.question.measure} by {answer.question.grouping}", rows, formats=formats)
