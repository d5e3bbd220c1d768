"""What the values of first moves look like: which one does best, a chart, a table, and the squares that good first moves cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import games
from engine.wording import capitalise, format_count, name_amount
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for, name_square
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_interval, format_intervals
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet, SquareMaps, SquareScale, SquareValues
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import join_words
from pipelines.statistics.intervals import hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.scene import Scene
    from pipelines.experiments.openings import Openings
    from pipelines.questions.openings import OpeningsAnswer
    from pipelines.viewer.palette import SeriesLook

ALWAYS_THE_SAME: Final = (
    "All games of a first move are the same: neither the rules nor the players draw anything. The numbers hold for these players "
    "alone; players who vary, such as noisy, would say more on the moves."
)


FEW_RESULTS: Final = 4
"""It is said how many different results there are if there are this many times as many games."""
SQUARES_CAPTION: Final = (
    "How much higher the mean score is of the first moves that cover a square than that of all first moves, with the same luck: the "
    "games of the first stage, in which all play."
)


def compose_openings(answer: OpeningsAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the values of first moves, also of one whose games are still played."""
    openings, question = answer.openings, answer.question
    ruleset = openings.ruleset
    return Sheet(
        kind="openings",
        title=f"Which first {openings.by} of {format_ruleset_for(ruleset)} does best?",
        verdict=f"{'' if answer.is_finished else 'so far, '}{describe_openings(openings, answer.lineup)}",
        warnings=(ALWAYS_THE_SAME,) if openings.is_one_game else (),
        basis=(
            f"{format_count(openings.games, 'game')}: {format_count(openings.tried, 'first move')} of player 1 with the same luck, then "
            f"{name_players(answer.lineup)}. The better ones played more games; the numbers are from others again, "
            f"{format_count(max(value.games for value in openings.values), 'game')} of each.{_write_equal_games(openings)}"
            f"{' The lowest score wins.' if ruleset.lowest_wins else ''}"
        ),
        parts=tuple(_list_parts(openings, find_looks(answer.lineup)[answer.lineup[0]])),
        facts=(
            Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),
            Fact("Who plays on", ", ".join(answer.lineup)),
            Fact("Seed", str(question.seed)),
            Fact(
                "Rule",
                "all play a first stage, and the better half by mean score plays as often again, until few enough are left; games of "
                "other luck choose number one, and games of yet other luck give all values",
            ),
        ),
        commands=(question.command,),
        fields={
            "question": question.model_dump(),
            "values": openings.values,
            "tried": openings.tried,
            "is_finished": answer.is_finished,
        },
    )


def name_players(lineup: Sequence[str]) -> str:
    """Return who plays on after a first move, such as "greedy plays on"."""
    names = list(short_names(lineup).values())
    return f"{join_words(names)} {'plays' if len(names) == 1 else 'play'} on"


def _write_equal_games(openings: Openings) -> str:
    """Return, as a sentence, that the games of a first move have few different results, for players who hardly vary."""
    games = max(value.games for value in openings.values)
    if openings.is_one_game or not 0 < FEW_RESULTS * openings.results <= games:
        return ""
    return f" These have at most {format_count(openings.results, 'different result')}, because the players hardly vary."


def describe_openings(openings: Openings, lineup: Sequence[str]) -> str:
    """Return which first move or piece does best. It is called the best only if all others are clearly behind."""
    first = openings.values[0]
    sentence = _describe_wins(openings) if openings.is_by_wins else _describe_points(openings)
    return f"if {name_players(lineup)}, {sentence}" if len(openings.values) > 1 and first.above else sentence


def _name_group(openings: Openings) -> str:
    """Return what was compared."""
    if openings.by == "piece":
        return f"the {len(openings.values)} first pieces"
    return f"the {openings.tried:,} first moves"


def _describe_wins(openings: Openings) -> str:
    """Return which first move wins most games."""
    first, *others = openings.values
    number = len(openings.values)
    edges = [
        hold_for_all(value.wins_above, number, value.games) for value in openings.values if value.wins_above
    ]
    rivals = sum(edge.high >= edges[0].low for edge in edges[1:])
    wins = format_intervals([value.wins for value in openings.values], scale=100, exact=(0.0, 100.0))[0]
    points = format_intervals([value.above for value in openings.values], signed=True)[0]
    best = "wins most games" if not rivals else "is among those that win most games"
    return set_minus_signs(
        f"{first.name} {best} of {_name_group(openings)}: {wins} of 100, with {points} points more than "
        f"{_name_mean(openings)}{_write_rivals(rivals, len(others))}"
    )


def _name_mean(openings: Openings) -> str:
    """Return what the values are compared with."""
    number = len(openings.values)
    if number == openings.tried or openings.by == "piece":
        return "their mean"
    return f"the mean of the best {number} of them"


def _write_rivals(rivals: int, others: int) -> str:
    """Return how many others may do as well, as the end of a sentence."""
    if not rivals:
        return ""
    text = "all others" if rivals == others else "one other" if rivals == 1 else f"{rivals} others"
    return f"; {text} may do as well"


def _describe_points(openings: Openings) -> str:
    """Return which first move scores most."""
    first, *others = openings.values
    noun, sign = openings.by, -1 if openings.ruleset.lowest_wins else 1
    if not others:
        return f"there is no choice: every game begins with {first.name}"
    if first.above is None:
        return f"not enough games to compare the first {noun}s"
    number = len(openings.values)
    group, mean = _name_group(openings), _name_mean(openings)
    ends = hold_for_all(first.above.times(sign), number, first.games)
    rivals = sum(
        value.above is not None
        and hold_for_all(value.above.times(sign), number, value.games).high >= ends.low
        for value in others
    )
    direction, (points, low, high) = split_sign(first.above.times(sign))
    interval = f"95 % interval {low} to {high}"
    if direction <= 0:
        is_ahead = first.above.estimate * sign >= 0
        points, low, high = format_interval_numbers(first.above.times(sign if is_ahead else -sign))
        return set_minus_signs(
            f"none of {group} clearly does best; the one that did best before, {first.name}, scores {name_amount(points)} "
            f"{'better' if is_ahead else 'worse'} than {mean} (95 % interval {low} to {high})"
        )
    if rivals:
        return (
            f"{first.name} is among the best of {group}, {name_amount(points)} better than {mean} ({interval})"
            f"{_write_rivals(rivals, len(others))}"
        )
    return f"{first.name} does best of {group}, {name_amount(points)} better than {mean} ({interval})"


def _list_parts(openings: Openings, look: SeriesLook) -> Iterator[Part]:
    same = "with the same luck and the same roll" if openings.by == "piece" else "with the same luck"
    number_one = "The first one was the best in other games; the others follow by these numbers."
    if openings.is_by_wins:
        measured = [(value, value.wins and value.wins.times(100)) for value in openings.values]
        axis, mark, meaning = (
            "wins of 100 games",
            None,
            f"How many of 100 games player 1 wins, {same}, with 95 % intervals.",
        )
    else:
        measured = [(value, value.above) for value in openings.values]
        axis, mark = "points more than the mean", Mark(0, "mean")
        meaning = f"By how much the mean score of player 1 differs from the mean of those compared, {same}, with its 95 % interval."
    estimates = [
        Estimate(value.name, "", "", interval, value.games, look) for value, interval in measured if interval
    ]
    if estimates:
        chart = Intervals(estimates, axis, f"{capitalise(axis)}, by first {openings.by}", "game", mark)
        yield Part("openings", chart, caption=f"{meaning} {number_one}")
    numbers = tabulate_measures(
        "The values in numbers",
        [
            (
                {f"first {openings.by}": value.name, "games": value.games},
                (value.score, value.above, value.wins),
            )
            for value in openings.values
        ],
    )
    yield Part("values", _tabulate_openings(openings), "beside", numbers=numbers)
    scene = games.find_game(openings.ruleset.game).scene(openings.ruleset, [])
    if openings.squares:
        yield _map_squares(openings, scene)
        yield Part("squares", _tabulate_squares(openings, scene), "details")


def _tabulate_openings(openings: Openings) -> Table:
    """Return a row for each first move or piece, number one first."""
    columns = (
        format_intervals([value.above for value in openings.values], signed=True),
        format_intervals([value.wins for value in openings.values], scale=100, exact=(0.0, 100.0)),
    )
    rows: list[dict[str, Cell]] = [
        {
            f"first {openings.by}": value.name,
            "wins of 100": wins,
            "points more than the mean": above,
        }
        for value, above, wins in zip(openings.values, *columns, strict=True)
    ]
    return make_table(f"The values of the first {openings.by}s", rows)


def _map_squares(openings: Openings, scene: Scene) -> Part:
    """Return the board with the value of each square."""
    board = scene["boards"][0]
    cells = range(board["columns"] * board["rows"])
    values = tuple(openings.squares[cell].estimate if cell in openings.squares else None for cell in cells)
    notes = tuple(
        f"{name_square(board, cell)}: {format_interval(openings.squares[cell], signed=True)}"
        if cell in openings.squares
        else f"{name_square(board, cell)}: no first move covers it"
        for cell in cells
    )
    return Part(
        "map",
        SquareMaps(
            "Which squares good first moves cover",
            {**scene, "boards": scene["boards"][:1], "trays": []},
            (
                SquareValues(
                    f"All first moves · {format_count(openings.square_blocks, 'block')}", values, notes
                ),
            ),
            SquareScale.of_differences(values, lambda end: set_minus_signs(f"{end:+.1f} points")),
        ),
        "beside",
        SQUARES_CAPTION,
    )


def _tabulate_squares(openings: Openings, scene: Scene) -> Table:
    board = scene["boards"][0]
    rows: list[dict[str, Cell]] = [
        {
            "square": name_square(board, cell),
            "above mean": mean.estimate,
            "from": mean.low,
            "to": mean.high,
            "blocks": openings.square_blocks,
        }
        for cell, mean in sorted(openings.squares.items())
    ]
    return make_table(
        "The values of the squares",
        rows,
        SQUARES_CAPTION,
        formats=dict.fromkeys(("above mean", "from", "to"), ".2f"),
    )
