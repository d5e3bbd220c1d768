"""The table of games in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.design.short_names import short_names
from pipelines.questions.games.sorts import SORTS
from pipelines.report import wording
from pipelines.report.tables.table import Table
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.questions.games.answer import GamesAnswer, ListedGame


COLUMNS: Final = ("of", "result", "players", "won by", "rounds", "moves", "ruleset", "run", "game")
"""The columns after the number that the games are sorted by."""


def tabulate_games(answer: GamesAnswer) -> Table:
    """Return a row for each game: the number that it was sorted by, its result, and where it is."""
    number = SORTS[answer.question.sort].number
    rows = [
        {
            number: game.value if game.value % 1 else int(game.value),
            "of": "" if game.seat is None else wording.format_player(game.seat),
            "result": format_result(game),
            "players": ", ".join(list_names(game)),
            "won by": ", ".join(list_names(game)[seat] for seat in game.winners),
            "rounds": game.rounds,
            "moves": game.plies,
            "ruleset": game.ruleset,
            "run": game.run,
            "game": game.game_id + 1,
        }
        for game in answer.games
    ]
    return Table(
        answer.question.order_title.capitalize(),
        tuple(dict.fromkeys((number, *COLUMNS))),  # games may be in the order of one of these columns
        tuple(tuple(row.values()) for row in rows),
        "The results and the players are in the order of the seats.",
    )


def list_names(game: ListedGame) -> list[str]:
    """Return the short names of the strategies by seat."""
    names = short_names(game.strategies)
    return [names[strategy] for strategy in game.strategies]


def format_result(game: ListedGame) -> str:
    """Return the scores by seat, such as "41 : 38"."""
    return " : ".join(set_minus_signs(str(score)) for score in game.scores)
