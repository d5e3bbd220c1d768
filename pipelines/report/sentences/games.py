"""The sentence on the games that come first in an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from pipelines.design.ruleset_titles import format_ruleset
from pipelines.design.short_names import short_names
from pipelines.questions.games.sorts import SORTS_OF_ONE_WINNER
from pipelines.report import wording
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.questions.games.answer import GamesAnswer, ListedGame
    from pipelines.questions.games.sorts import SortKey
    from pipelines.runs.run import Run


def describe_games(answer: GamesAnswer) -> str:
    """Return what comes first in each game and of how many; a sentence that there is none if no game fits."""
    question = answer.question
    order = f"{question.order_title}{' with one winner' if question.sort in SORTS_OF_ONE_WINNER else ''}"
    if not answer.games:
        return f"None of {wording.format_count(answer.searched, 'game')} has a {order}."
    first = answer.games[0]
    among = wording.format_count(answer.searched, "game")
    among += " without what-ifs" if answer.has_whatifs_left_out else ""
    if len(answer.by_game) > 1:
        firsts = [
            f"{games.find_game(name).title} {format_value(found[0], question.sort)}{note_fewest(name, question.sort)}"
            for name, found in answer.by_game.items()
        ]
        return f"The {order} of {among}, game by game: {', '.join(firsts)}."
    (name,) = answer.by_game
    return (
        f"The {order} of {among}{note_fewest(name, question.sort)}: {describe_number(first, question.sort)}."
    )


def note_fewest(name: str, sort: SortKey = "score", what: str = "fewest points win") -> str:
    """Return the words, in brackets, that the fewest points win; empty for a game that the most win, and for other orders."""
    return f" ({what})" if sort == "score" and games.find_game(name).ruleset.lowest_wins else ""


def format_value(game: ListedGame, sort: SortKey) -> str:
    """Return the number that a game was sorted by, as people count."""
    return set_minus_signs(f"{game.value + (sort == 'game'):,g}")


def describe_number(game: ListedGame, sort: SortKey) -> str:
    """Return the number that a game was sorted by, in words, and whom it is about."""
    number = format_value(game, sort)
    who = "" if game.seat is None else name_player(game, game.seat)
    margin = f"by {wording.format_count(int(game.value), 'point')}" if game.value else "on the tie-break"
    said: dict[SortKey, str] = {
        "score": f"{who} scores {number}",
        "margin": f"{who} wins {margin}",
        "comeback": f"{who} is {wording.format_count(int(game.value), 'point')} behind and wins",
        "lead": f"the lead changes {wording.format_count(int(game.value), 'time')}",
        "length": f"{wording.format_count(game.plies, 'move')} in {wording.format_count(game.rounds, 'round')}",
        "luck": f"{number} points for {wording.format_player(game.seat or 0)}",
        "game": f"game {number}",
    }
    return said[sort]


def describe_players(game: ListedGame) -> str:
    """Return the number of a game and its strategies by seat, such as "Game 137: builder against greedy"."""
    names = short_names(game.strategies)
    between = " against " if len(game.strategies) == 2 else ", "
    return f"Game {game.game_id + 1:,}: {between.join(names[strategy] for strategy in game.strategies)}"


def name_player(game: ListedGame, seat: int) -> str:
    """Return the strategy of a seat with its player, counted from 1, such as "greedy (player 2)"."""
    return f"{short_names(game.strategies)[game.strategies[seat]]} ({wording.format_player(seat)})"


def name_ruleset(game: ListedGame, runs: Collection[Run]) -> str:
    """Return what people call the ruleset of a game of one of the runs; empty if they have no other ruleset of its game."""
    rulesets = [one for run in runs for one in run.summary.rulesets]
    own = next(one for one in rulesets if one.name == game.ruleset)
    has_others = any(one.game == own.game and one.name != own.name for one in rulesets)
    return format_ruleset(own) if has_others else ""
