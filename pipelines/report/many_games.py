"""What the answers to what-if questions about many games look like: their sheets, sentences, charts and tables.

Sentences begin with a small letter and have no full stop, so that others can continue them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipelines.design.short_names import short_names
from pipelines.design.titles import name_ruleset
from pipelines.experiments.many_games import ForeseenForks, WhatIfPositions, name_games, parse_place
from pipelines.questions.game import write_replay_link
from pipelines.report.charts import Estimate, Histogram, Intervals
from pipelines.report.estimates import (
    EXACT,
    IntervalText,
    format_intervals,
    set_sentence,
    write_interval_text,
    write_score_change,
    write_win_change,
)
from pipelines.report.runs import list_run_facts
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.whatif import (
    CHANGE_NAME,
    NO_CHANGE,
    RANGES,
    make_change_series,
    name_branches,
    name_strategies,
    write_win_levels,
)
from pipelines.report.wording import format_count, format_player
from pipelines.statistics.planning import MIN_BLOCKS
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipelines.experiments.whatif import WhatIf
    from pipelines.questions.whatif import ManyGamesAnswer
    from pipelines.statistics import Interval
    from pipelines.viewer.palette import SeriesLook

MAX_POSITIONS_SHOWN: Final = 10
"""A sheet shows at most this number of gains and of losses of many games; the files contain all."""
ABOUT_THE_SAME: Final = "about the same"
MIN_DIFFERING: Final = 6
"""Continuations of a position that must differ for its change to have an interval. The sign test (Dixon and Mood 1946) finds nothing in fewer: five
go one way in 6 of 100 cases where there is no change."""
LATE_SHARE: Final = 0.2
"""Share of the moves of a game after which a change has little time."""


def compose_many_games(answer: ManyGamesAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of a what-if question about many games, also of one whose games are still played on."""
    positions, question, run = answer.positions, answer.question, answer.run
    change = positions.played[0].fork.change if positions.played else question.change
    left_out = describe_left_out(positions.skipped, answer.total)
    sentence = positions_sentence(positions, _describe_question(answer))
    return Sheet(
        kind="what-if",
        title=question.describe(run),
        verdict=sentence if answer.is_over or positions.has_enough_blocks else "too few games so far",
        consequences=tuple(filter(None, (*list_win_sentences(positions), left_out))),
        basis=describe_positions_basis(answer),
        parts=tuple(_list_position_parts(positions, question.run, find_looks(positions.by_strategy))),
        facts=(*list_run_facts(run), Fact("Seed of the continuations", str(question.seed))),
        commands=(run.summary.command, question.command),
        fields={
            "run": question.run,
            "sentence": sentence,
            "games": question.games,
            "move": question.where,
            "change": str(change),
            "positions": len(positions.played),
            "blocks": positions.blocks,
            "continuations": question.n,
            "skipped": positions.skipped,
            "score": positions.score,
            "win_share": positions.win_share,
            "differing": positions.differing_share,
            "strategies": {
                name: {
                    "positions": len(group.played),
                    "blocks": group.blocks,
                    "score": group.score,
                    "win_share": group.win_share,
                }
                for name, group in positions.by_strategy.items()
            },
        },
    )


def _list_position_parts(
    positions: WhatIfPositions, run: str, looks: Mapping[str, SeriesLook]
) -> Iterator[Part]:
    """Yield the change over all continuations, and the largest gains and losses; nothing if there is no position yet."""
    if not positions.played:
        return
    n = sum(effect.different for effect in positions.played)
    yield Part(
        "difference",
        position_differences_chart(positions, looks),
        caption=f"How often each change came up in {format_count(n, 'continuation')}. A mean counts every position once; its "
        "95 % interval counts blocks.",
    )
    if positions.played[0].fork.change:
        caption = "Every position counts once; the 95 % intervals count blocks."
        yield Part("wins", position_wins_chart(positions), caption=caption)
    whole = positions_table(positions, run)
    changes, short = whole.list_values("change in score"), _leave_out_constants(whole)
    every = format_count(len(whole.rows), "position")
    for key, kind, step in (("gained", "gains", 1), ("lost", "losses", -1)):
        places = [
            place
            for place, text in enumerate(changes)
            if text != ABOUT_THE_SAME and text.interval and min(step * end for end in text.interval) > 0
        ][::step]
        first = places[:MAX_POSITIONS_SHOWN]
        if first:
            some = f"The {len(first)} largest of {len(places):,}" if places != first else "All"
            table = short._replace(
                title=f"{key.capitalize()} most{short.title}",
                rows=tuple(short.rows[place] for place in first),
                links=tuple(short.links[place] for place in first),
            )
            caption = (
                f"{some} clear {kind} of points in {every}; the largest of many look larger than they are."
            )
            yield Part(key, table, "beside", caption)
    caption = (
        f"{RANGES} of one position, which count its continuations. Where fewer than {MIN_DIFFERING} of these change, the change is called "
        f"{ABOUT_THE_SAME}: so few may all have gone one way by chance."
    )
    table = short._replace(title=f"Position by position{short.title}")
    yield Part("positions", table, "details", caption, numbers=whole)


def _describe_question(answer: ManyGamesAnswer) -> str:
    """Return what was changed from where on in which games."""
    question, run = answer.question, answer.run
    ruleset = question.find_ruleset(run)
    change = question.change.describe(ruleset, question.find_table(run))
    games = format_count(len(answer.positions.played), "game")
    which = name_games(question.games).partition(" games")[2]
    return f"if {change} from {name_place(question.where)} on in {games} of {name_ruleset(ruleset)}{which}"


def positions_sentence(positions: WhatIfPositions, question: str = "") -> str:
    """Return a sentence on the effect over all positions that claims no more than its intervals, after what was asked."""
    score, wins = positions.score, positions.win_share
    basis = count_positions(positions)
    if score is None or wins is None or not positions.has_enough_blocks:
        return f"not enough games: {basis}, but at least {MIN_BLOCKS} blocks are needed"
    start = question or f"over {format_count(len(positions.played), 'game')}"
    clauses = [
        write_score_change(whom, group.score)
        if group.score and group.has_enough_blocks
        else f"there are not enough games of {whom} ({format_count(group.blocks, 'block')})"
        for whom, group in _name_groups(positions).items()
    ]
    if len(clauses) == 1:
        clauses.append(write_win_change(_name_changed_player(positions), wins))
    return f"{start}, {'; '.join(clauses)}"


def list_win_sentences(positions: WhatIfPositions) -> Iterator[str]:
    """Yield how often the player wins on both branches, for each strategy that played the seat, and of several how that changes.

    Nothing is said where the change of one game says none, and of too few games.
    """
    for whom, group in _name_groups(positions).items():
        is_alone = group.played == positions.played
        if not group.has_enough_blocks or not group.win_share:
            continue
        change = "" if is_alone else write_win_change(whom, group.win_share)
        who = _name_changed_player(positions)
        levels = (
            write_win_levels(group.played[0], who, *group.measure_wins())
            if group.played[0].fork.change
            else ""
        )
        if sentence := ": ".join(
            filter(None, (change, levels.removeprefix(f"{who} ") if change else levels))
        ):
            yield sentence


def _name_groups(positions: WhatIfPositions) -> dict[str, WhatIfPositions]:
    """Return the positions of each strategy that played the seat, by the words for the player, such as `player 1 (greedy, 50 games)`."""
    who, groups = _name_changed_player(positions), positions.by_strategy
    names, groups_by_words = short_names(groups), {}
    for name, group in groups.items():
        games = f", {format_count(len(group.played), 'game')}" if len(groups) > 1 else ""
        groups_by_words[f"{who} ({names[name]}{games})"] = group
    return groups_by_words


def _name_changed_player(positions: WhatIfPositions) -> str:
    seats = {position.fork.seat for position in positions.played}
    return format_player(seats.pop()) if len(seats) == 1 else "the acting player"


def describe_positions_basis(answer: ManyGamesAnswer) -> str:
    """Return which games are played on from where, how often, and which are left out."""
    positions, question = answer.positions, answer.question
    so_far = "" if answer.is_over else f" {answer.done:,} of {format_count(answer.total, 'position')} so far."
    place = f"{question.name_games(answer.run)}: {name_games(question.games)}, from {name_place(question.where)} on"
    n = format_count(positions.played[0].n if positions.played else 0, "continuation")
    luck = "Intervals count blocks, because games of one block have the same luck."
    return f"{set_sentence(f'{place}: {n} from each of {count_positions(positions)}')} {luck}{so_far}"


def count_positions(positions: WhatIfPositions) -> str:
    """Return the number of positions and of blocks in words."""
    return f"{format_count(len(positions.played), 'position')} of {format_count(positions.blocks, 'block')}"


def name_place(where: str) -> str:
    """Return in words where games are forked.

    >>> name_place("round:3"), name_place("last-roll"), name_place("15"), name_place("-1")
    ('round 3', 'just before the last roll', 'move 15', 'the last move')
    """
    kind, number = parse_place(where)
    if kind == "last-roll":
        return "just before the last roll"
    if kind == "round":
        return f"round {number + 1}"
    return (
        f"move {number + 1}"
        if number >= 0
        else "the last move"
        if number == -1
        else f"move {-number} from the end"
    )


def describe_left_out(skipped: Mapping[int, str], games: int) -> str:
    """Return how many of the games that were asked about are left out, and why; empty if none is.

    >>> describe_left_out({3: "no round 20", 5: "no round 20", 8: "builder plays for player 1 anyway"}, 200)
    'left out of 200 games: 2 (no round 20), 1 (builder plays for player 1 anyway)'
    """
    reasons = [f"{count:,} ({reason})" for reason, count in Counter(skipped.values()).items()]
    return f"left out of {format_count(games, 'game')}: {', '.join(reasons)}" if reasons else ""


def announce_forks(foreseen: ForeseenForks) -> list[str]:
    """Return what is known before many games are played on: which are left out, and whether the change comes late."""
    sentences = [describe_left_out(foreseen.skipped, foreseen.games)]
    if foreseen.games < foreseen.fitting:
        sentences.insert(0, f"{foreseen.games:,} of {foreseen.fitting:,} such games, spread over the run")
    if foreseen.moves_left < LATE_SHARE * foreseen.moves:
        left = f"{foreseen.moves_left:g} of {format_count(round(foreseen.moves), 'move')}"
        sentences.append(
            f"half of the games have at most {left} left then, so the change has little time to matter"
        )
    return [set_sentence(sentence) for sentence in sentences if sentence]


def position_differences_chart(positions: WhatIfPositions, looks: Mapping[str, SeriesLook]) -> Histogram:
    """Return how often each change of the score came up over all continuations of many positions, at least one.

    Each strategy that played the seat has a line of its own.
    """
    groups = positions.by_strategy
    names, series = short_names(groups), []
    for strategy, group in groups.items():
        differences = np.concatenate(
            [effect.differences[: effect.different, effect.fork.seat] for effect in group.played]
        )
        mean = group.score if group.has_enough_blocks else None
        name, look = (names[strategy], looks[strategy]) if len(groups) > 1 else (CHANGE_NAME, CHOSEN_LOOK)
        series.append(make_change_series(group.played[0], name, differences, mean, look))
    title = "Change in the final score"
    if all(not any(line.scores.values) for line in series):
        title = "The final score never changes"
    return Histogram(series, CHANGE_NAME, title, "continuation", mark=NO_CHANGE)


def position_wins_chart(positions: WhatIfPositions) -> Intervals:
    """Return how often the player wins on each branch, for each strategy that played the seat; without estimates for too few games."""
    groups, looks = positions.by_strategy, (OTHER_LOOK, CHOSEN_LOOK)
    names = short_names(groups)
    estimates = [
        Estimate(
            branch,
            f"{names[strategy]}, {format_count(len(group.played), 'game')}" if len(groups) > 1 else "",
            branch,
            wins.times(100),
            len(group.played),
            look,
        )
        for strategy, group in groups.items()
        for branch, wins, look in zip(
            name_branches(group.played[0]), group.measure_wins(), looks, strict=True
        )
        if wins and group.has_enough_blocks
    ]
    title = f"Wins of {_name_changed_player(positions)}"
    return Intervals(estimates, "wins of 100 games", title, "position", starts_at_zero=True)


def _leave_out_constants(table: Table) -> Table:
    """Return the table of positions without what is the same in all rows, which ends its title."""
    same = {
        name: table.list_values(name)[0]
        for name in ("move", "player", "strategy")
        if len({*table.list_values(name)}) == 1
    }
    places = [place for place, name in enumerate(table.columns) if name not in same]
    always = ", ".join(f"{'' if name == 'strategy' else f'{name} '}{value}" for name, value in same.items())
    return table._replace(
        title=always and f": {always}",
        columns=tuple(table.columns[place] for place in places),
        rows=tuple(tuple(row[place] for place in places) for row in table.rows),
    )


def positions_table(positions: WhatIfPositions, run: str) -> Table:
    """Return one row for each position, the largest gain of points first: what the change does to the seat of the question."""

    def measure_change(whatif: WhatIf) -> float:
        score = whatif.score_difference(whatif.fork.seat)
        return score.estimate if score else 0

    rows: list[dict[str, Cell]] = []
    played = sorted(positions.played, key=measure_change, reverse=True)
    effects = [effect.seat_effect(effect.fork.seat) for effect in played]
    scores = _write_changes(played, [effect.score for effect in effects], attrgetter("differences"))
    wins = _write_changes(
        played,
        [effect.win_share for effect in effects],
        lambda whatif: whatif.changed.win_shares - whatif.base_win_shares,
        scale=100,
    )
    for effect, score, win in zip(played, scores, wins, strict=True):
        fork = effect.fork
        rows.append(
            {
                "game": fork.game_id + 1,
                "move": fork.ply + 1,
                "player": fork.seat + 1,
                "strategy": name_strategies(effect, fork.seat),
                "change in score": score,
                "change in wins of 100": win,
                "logged score": fork.result[fork.seat],
            }
        )
    table = make_table("The change position by position", rows, formats={"game": "d"})
    links = (write_replay_link(run, whatif.fork.game_id, whatif.fork.ply) for whatif in played)
    return table._replace(links=tuple(links))


def _write_changes(
    played: Sequence[WhatIf],
    changes: Sequence[Interval | None],
    differences: Callable[[WhatIf], NDArray[Any]],
    *,
    scale: float = 1.0,
) -> list[IntervalText]:
    """Return the text of the change at each position; the `differences` of its continuations have shape (n, seats)."""
    counts = [int(np.count_nonzero(differences(whatif)[:, whatif.fork.seat])) for whatif in played]
    is_known = [
        whatif.is_single or count >= MIN_DIFFERING for whatif, count in zip(played, counts, strict=True)
    ]
    known = [change if is_told else None for change, is_told in zip(changes, is_known, strict=True)]
    texts = format_intervals(known, scale=scale, signed=True, when_equal=EXACT)
    return [
        text if is_told else write_interval_text(ABOUT_THE_SAME, change)
        for text, is_told, change in zip(texts, is_known, changes, strict=True)
    ]
