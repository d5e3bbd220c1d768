"""What the values of first moves look like: which one does best, a chart, a table, and the squares that good first moves cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine import games
from engine.wording import capitalise, format_count, name_amount
from pipelines.design.short_names import short_names
from pipelines.design.titles import format_ruleset_for, name_square
from pipelines.report.charts import Estimate, Intervals, Mark
from pipelines.report.estimates import format_interval, format_intervals, write_interim
from pipelines.report.score_tables import tabulate_measures
from pipelines.report.sheet import Fact, FindLooks, Part, Sheet, SquareMaps, SquareScale, SquareValues
from pipelines.report.table import Cell, Table, make_table
from pipelines.report.wording import join_words
from pipelines.statistics.rounding import format_interval_numbers, set_minus_signs

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


MAX_NAMED: Final = 3
"""First moves that a sentence names; of more it says how many there are."""
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
        verdict=describe_openings(openings, answer.lineup)
        if answer.is_finished
        else write_interim(openings.blocks, question.blocks, _write_estimate(openings)),
        warnings=(ALWAYS_THE_SAME,) if openings.is_one_game else (),
        basis=(
            f"{format_count(openings.games, 'game')}: {format_count(openings.tried, 'first move')} of player 1 with the same luck, then "
            f"{name_players(answer.lineup)}. {_describe_finalists(openings)}"
            f"{' The lowest score wins.' if ruleset.lowest_wins else ''}"
        ),
        parts=tuple(_list_parts(answer, find_looks(answer.lineup)[answer.lineup[0]])),
        facts=(
            Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),
            Fact("Who plays on", ", ".join(answer.lineup)),
            Fact("Seed", str(question.seed)),
            Fact(
                "Rule",
                "all play a first stage, and the better half plays as often again, until few enough are left; games of "
                "other luck give all values",
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


def _describe_finalists(openings: Openings) -> str:
    """Return which first moves the numbers are about, and from how many games they come."""
    played = [value.games for value in openings.values]
    least = f"{min(played):,} to " if min(played) < max(played) else ""
    games = f"the numbers come from other games, {least}{format_count(max(played), 'game')} of each."
    number = len(openings.values)
    return (
        f"The {number} finalists did best in first stages, by wins if these clearly differ, else by points; {games}"
        if _has_finalists(openings)
        else games.capitalize()
    )


def _write_equal_games(openings: Openings, lineup: Sequence[str]) -> str:
    """Return, as a sentence, that the games of a first move have few different results, for players who hardly vary."""
    if not _has_few_results(openings):
        return ""
    games = max(value.games for value in openings.values)
    return (
        f" The {format_count(games, 'game')} of a first {openings.by} have at most {format_count(openings.results, 'different result')}: "
        f"{name_players(lineup)} nearly the same each time."
    )


def _has_few_results(openings: Openings) -> bool:
    """Return whether the games of a first move have few different results, but more than one."""
    games = max(value.games for value in openings.values)
    return not openings.is_one_game and 0 < FEW_RESULTS * openings.results <= games


def describe_openings(openings: Openings, lineup: Sequence[str]) -> str:
    """Return which first move or piece does best. It is called the best only if all others are clearly behind."""
    first = openings.values[0]
    sentence = _describe_wins(openings) if openings.is_by_wins else _describe_points(openings)
    if len(openings.values) < 2 or not first.above:
        return sentence
    few = f"; its games have at most {format_count(openings.results, 'different result')}" * _has_few_results(
        openings
    )
    return f"if {name_players(lineup)}, {sentence}{few}"


def _write_estimate(openings: Openings) -> str:
    """Return which first move has the largest value."""
    first = openings.values[0]
    interval, unit = (
        (first.wins and first.wins.times(100), "wins of 100")
        if openings.is_by_wins
        else (first.above, f"points more than {_name_mean(openings)}")
    )
    amount = f", with {set_minus_signs(f'{interval.estimate:.1f}')} {unit}" if interval else ""
    return f"{first.name} comes first of {_name_group(openings)}{amount}"


def _name_group(openings: Openings) -> str:
    """Return what was compared."""
    if openings.by == "piece":
        return f"the {len(openings.values)} first pieces"
    return f"the {openings.tried:,} first moves"


def _describe_wins(openings: Openings) -> str:
    """Return which first move wins most games."""
    first, *others = openings.values
    wins = format_intervals([value.wins for value in openings.values], scale=100, exact=(0.0, 100.0))[0]
    is_best = all(value.is_behind for value in others)
    best = "wins most games" if is_best else "is among those that win most games"
    return set_minus_signs(
        f"{first.name} {best} of {_name_group(openings)}: {wins} of 100{_write_rivals(openings)}"
    )


def _has_finalists(openings: Openings) -> bool:
    """Return whether only the best first moves have values."""
    return openings.by == "move" and len(openings.values) < openings.tried


def _name_mean(openings: Openings) -> str:
    """Return what the values are compared with."""
    return f"the mean of the {len(openings.values)} finalists" if _has_finalists(openings) else "their mean"


def _write_rivals(openings: Openings) -> str:
    """Return which others may do as well as number one, and which clearly do worse, as the end of a sentence."""
    others = openings.values[1:]
    rivals, behind = (
        [value.name for value in others if value.is_behind == is_behind] for is_behind in (False, True)
    )
    if not rivals:
        return ""
    noun = "other finalist" if _has_finalists(openings) else "other"
    if not behind:
        return (
            f"; all {noun}s may do as well"
            if len(rivals) > 1
            else f"; the {noun}, {rivals[0]}, may do as well"
        )
    return f"; {_name_some(rivals, noun)} may do as well, {_name_some(behind, '')} clearly {'does' if len(behind) == 1 else 'do'} worse"


def _name_some(names: Sequence[str], noun: str) -> str:
    """Return a few names, or how many there are."""
    return join_words(names) if len(names) <= MAX_NAMED else f"{len(names)} {noun}{'s' * bool(noun)}".rstrip()


def _describe_points(openings: Openings) -> str:
    """Return which first move scores most."""
    first, *others = openings.values
    if not others:
        return f"there is no choice: every game begins with {first.name}"
    if first.above is None:
        return f"not enough games to compare the first {openings.by}s"
    group, mean = _name_group(openings), _name_mean(openings)
    points, low, high = format_interval_numbers(first.above.times(-1 if openings.ruleset.lowest_wins else 1))
    amount = f"{name_amount(points)} better than {mean} (95 % interval {low} to {high})"
    if not any(value.is_behind for value in others):
        return set_minus_signs(f"none of {group} clearly does best; {first.name} is first, {amount}")
    best = "does best" if all(value.is_behind for value in others) else "is among the best"
    return set_minus_signs(f"{first.name} {best} of {group}, {amount}{_write_rivals(openings)}")


def _list_parts(answer: OpeningsAnswer, look: SeriesLook) -> Iterator[Part]:
    openings = answer.openings
    same = "with the same luck and the same roll" if openings.has_rolls else "with the same luck"
    differ = "" if openings.is_by_wins else ", as wins do not clearly differ in the first stage"
    if openings.is_by_wins:
        measured = [(value, value.wins and value.wins.times(100)) for value in openings.values]
        axis, mark, meaning = (
            "wins of 100 games",
            None,
            f"How many of 100 games player 1 wins, {same}, with 95 % intervals that hold for all at once.",
        )
    else:
        measured = [(value, value.above) for value in openings.values]
        axis, mark = "points more than the mean", Mark(0, "mean")
        meaning = f"By how much the mean score of player 1 differs from the mean of those compared, {same}, with 95 % intervals that hold for all at once."
    estimates = [
        Estimate(value.name, "", "", interval, value.games, look) for value, interval in measured if interval
    ]
    if estimates:
        chart = Intervals(estimates, axis, f"{capitalise(axis)}, by first {openings.by}", "game", mark)
        few = _write_equal_games(openings, answer.lineup)
        order = "wins" if openings.is_by_wins else "points"
        if openings.is_by_wins and openings.has_rolls:
            order += f" against the other first {openings.by}s of the same rolls"
        yield Part("openings", chart, caption=f"{meaning} In the order of {order}{differ}.{few}")
    scene = _find_empty_board(openings)
    if not openings.has_rolls and openings.values[0].above:
        yield _draw_best(openings, scene)
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
    if openings.squares:
        yield _map_squares(openings, scene)
        yield Part("squares", _tabulate_squares(openings, scene), "details")


def _find_empty_board(openings: Openings) -> Scene:
    """Return the scene of the start with one board."""
    scene = games.find_game(openings.ruleset.game).scene(openings.ruleset, [])
    return {**scene, "boards": scene["boards"][:1], "trays": []}


def _draw_best(openings: Openings, scene: Scene) -> Part:
    """Return a small board with each of the best first moves; of a piece, with the placement that did best."""
    board, best = scene["boards"][0], openings.values[:MAX_NAMED]
    cells = range(board["columns"] * board["rows"])
    texts = format_intervals([value.above for value in openings.values], signed=True)
    maps = [
        SquareValues(
            f"{place}. {value.name} · {text} points",
            tuple(value.above.estimate if value.above and cell in value.cells else None for cell in cells),
            tuple(
                f"{name_square(board, cell)}{f': {value.name}' if cell in value.cells else ''}"
                for cell in cells
            ),
            outlined=value.cells,
        )
        for place, (value, text) in enumerate(zip(best, texts, strict=False), start=1)
    ]
    ends = (value.above and value.above.estimate for value in openings.values)
    scale = SquareScale.of_differences(ends, lambda end: set_minus_signs(f"{end:+.1f} points"))
    where = "" if openings.by == "move" else ", each where it did best in the first stages"
    caption = (
        f"Numbers 1 to {len(best)}{where}, and how much their mean score differs from {_name_mean(openings)}, with 95 % "
        "intervals that hold for all at once."
    )
    return Part(
        "best",
        SquareMaps(f"The first {openings.by}s that come first", scene, tuple(maps), scale),
        caption=caption,
    )


def _tabulate_openings(openings: Openings) -> Table:
    """Return a row for each first move or piece, number one first."""
    has_worse = openings.is_finished and any(value.is_behind for value in openings.values)
    columns = (
        format_intervals([value.above for value in openings.values], signed=True),
        format_intervals([value.wins for value in openings.values], scale=100, exact=(0.0, 100.0)),
    )
    board = _find_empty_board(openings)["boards"][0]
    rows: list[dict[str, Cell]] = [
        {
            f"first {openings.by}": value.name,
            **({"shape": draw_shape(value.cells, board["columns"])} if value.cells else {}),
            "wins of 100": wins,
            "points more than the mean": above,
            **({"against the first": "clearly worse" if value.is_behind else None} if has_worse else {}),
        }
        for value, above, wins in zip(openings.values, *columns, strict=True)
    ]
    return make_table(f"The values of the first {openings.by}s", rows)


def draw_shape(cells: Sequence[int], columns: int) -> str:
    """Return squares of a board with a number of columns as a picture of text, the top row first.

    >>> print(draw_shape((0, 1, 7), 7))
    \N{FULL BLOCK}\N{FULL BLOCK}
    \N{FULL BLOCK}\N{FULL BLOCK}\N{FULL BLOCK}\N{FULL BLOCK}
    """
    rows, across = zip(*(divmod(cell, columns) for cell in cells), strict=True)
    lines = (
        [
            2 * ("\N{FULL BLOCK}" if row * columns + column in cells else " ")
            for column in range(min(across), max(across) + 1)
        ]
        for row in range(max(rows), min(rows) - 1, -1)
    )
    return "\n".join("".join(line).rstrip() for line in lines)


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
    first = openings.values[0]
    basis = f"All first moves · {format_count(openings.square_blocks, 'block')}; outlined: {first.name}"
    scale = SquareScale.of_differences(values, lambda end: set_minus_signs(f"{end:+.1f} points"))
    squares = (SquareValues(basis, values, notes, outlined=first.cells),)
    maps = SquareMaps("Which squares good first moves cover", scene, squares, scale)
    return Part("map", maps, "beside", SQUARES_CAPTION)


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
