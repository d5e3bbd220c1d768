"""The table of games in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.short_names import short_names
from pipelines.questions.games.sorts import SORTS
from pipelines.report import wording
from pipelines.report.tables.table import Table
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.questions.games.answer import GamesAnswer, ListedGame


def tabulate_games(answer: GamesAnswer) -> Table:
    """Return a row for each game: the number that it was sorted by, its result, and where it is."""
    question = answer.question
    return Table(
        question.order_title.capitalize(),
        (
            SORTS[question.sort].number,
            "of",
            "result",
            "players",
            "won by",
            "rounds",
            "moves",
            "ruleset",
            "run",
            "game",
        ),
        tuple(
            (
                game.value if game.value % 1 else int(game.value) + (question.sort == "game"),
                "" if game.seat is None else wording.format_player(game.seat),
                format_result(game),
                ", ".join(list_names(game)),
                ", ".join(list_names(game)[seat] for seat in game.winners),
                game.rounds,
                game.plies,
                game.ruleset,
                game.run,
                game.game_id + 1,
            )
            for game in answer.games
        ),
        "The results and the players are in the order of the seats.",
    )


def list_names(game: ListedGame) -> list[str]:
    """Return the short names of the strategies by seat."""
    names = short_names(game.strategies)
    return [names[strategy] for strategy in game.strategies]


def format_result(game: ListedGame) -> str:
    """Return the scores by seat, such as "41 : 38"."""
    return " : ".join(set_minus_signs(str(score)) for score in game.scores)
