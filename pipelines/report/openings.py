"""What the values of first moves look like: which one does best, a chart, a table, and the squares that good first moves cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import games
from engine.wording import capitalise, format_count, name_amount
from pipelines.design.short_names import name_lineup
from pipelines.design.titles import format_ruleset_for, name_square
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_interval, format_intervals
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet, SquareMaps, SquareScale, SquareValues
from pipelines.report.table import Cell, Table, make_table
from pipelines.statistics.intervals import hold_for_all
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs, split_sign

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.scene import Scene
    from pipelines.experiments.openings import Openings
    from pipelines.questions.openings import OpeningsAnswer
    from pipelines.viewer.palette import SeriesLook

ALWAYS_THE_SAME: Final = (
    "All games of a first move are the same: neither the rules nor the players draw anything. The numbers hold for these players "
    "alone; players who vary, such as noisy, would say more on the moves."
)


SQUARES_CAPTION: Final = (
    "How much higher the mean score is of the first moves that cover a square than that of all first moves, with the same luck: the "
    "games of the first stage, in which all play."
)


def compose_openings(answer: OpeningsAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of the values of first moves, also of one whose games are still played."""
    openings, question = answer.openings, answer.question
    ruleset = openings.ruleset
    who = name_lineup(sorted(answer.lineup))
    return Sheet(
        kind="openings",
        title=f"Which first {openings.by} of {format_ruleset_for(ruleset)} does best?",
        verdict=f"{'' if answer.is_finished else 'so far, '}{describe_openings(openings)}",
        warnings=(ALWAYS_THE_SAME,) if openings.is_one_game else (),
        basis=(
            f"{format_count(openings.games, 'game')}: {format_count(openings.tried, 'first move')} tried, player 1 makes it, then {who} "
            f"play on. All have the same luck. {capitalise(format_count(openings.blocks, 'block'))} of luck that chose nothing "
            f"give{'s' if openings.blocks == 1 else ''} the values; 95 % intervals count blocks."
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


def describe_openings(openings: Openings) -> str:
    """Return which first move or piece does best. It is called the best only if all others are clearly behind."""
    first, *others = openings.values
    noun, sign = openings.by, -1 if openings.ruleset.lowest_wins else 1
    if not others:
        return f"there is no choice: every game begins with {first.name}"
    if first.above is None:
        return f"not enough games to compare the first {noun}s"
    number = len(openings.values)
    group = f"the {number} first pieces" if noun == "piece" else f"the {openings.tried:,} first moves"
    mean = (
        "their mean"
        if number == openings.tried or noun == "piece"
        else f"the mean of the best {number} of them"
    )
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
        others_text = (
            "all others" if rivals == len(others) else "one other" if rivals == 1 else f"{rivals} others"
        )
        return (
            f"{first.name} is among the best of {group}, {name_amount(points)} better than {mean} ({interval}); "
            f"{others_text} may do as well"
        )
    return f"{first.name} does best of {group}, {name_amount(points)} better than {mean} ({interval})"


def _list_parts(openings: Openings, look: SeriesLook) -> Iterator[Part]:
    estimates = [
        Estimate(value.name, "", "", value.above, value.games, look)
        for value in openings.values
        if value.above
    ]
    same = "with the same luck and the same roll" if openings.by == "piece" else "with the same luck"
    caption = (
        f"By how much the mean score of player 1 differs from the mean of those compared, {same}, with its 95 % interval. The first one "
        "was number one in games of other luck; the others follow by their values."
    )
    title = f"Points more than the mean, by first {openings.by}"
    if estimates:
        yield Part(
            "openings",
            Intervals(estimates, "points more than the mean", title, "game", Mark(0, "mean")),
            caption=caption,
        )
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
        format_intervals([value.score for value in openings.values]),
        format_intervals([value.above for value in openings.values], signed=True),
        format_intervals([value.wins for value in openings.values], scale=100, exact=(0.0, 100.0)),
    )
    rows: list[dict[str, Cell]] = [
        {
            f"first {openings.by}": value.name,
            "games": value.games,
            "mean score, 95 % interval": score,
            "more than the mean": above,
            "wins of 100": wins,
        }
        for value, score, above, wins in zip(openings.values, *columns, strict=True)
    ]
    return make_table(f"The values of the first {openings.by}s", rows, optional=("games",))


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
