"""Sentences on opponents of people: how a person did against them, and what stands behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.counted_nouns import capitalise, format_count
from engine.opponents import find_opponent, list_opponents
from engine.strategies import read_player
from pipelines.design.lineups import base_name
from pipelines.records.ladder import find_ladder_record
from pipelines.report.wording import format_thinking_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset
    from pipelines.questions.hand_game import OwnResults


def name_opponent(game: str, player: str) -> str:
    """Return what a page calls an opponent, given by its full name: its strength if it has one.

    >>> name_opponent("bloxx", "greedy"), name_opponent("bloxx", "random")
    ('medium (greedy)', 'random')
    """
    opponent = find_opponent(game, player)
    return f"{opponent.strength} ({base_name(player)})" if opponent else player


def write_own_results(own: Iterable[OwnResults], ruleset: Ruleset, players: Iterable[str]) -> str:
    """Return how often a person has won against each of some players, given by their full names; nothing on others.

    Hints and moves that were taken back are help.
    """
    found = {one.opponent: one for one in own if one.sha256 == ruleset.sha256}
    sentences = []
    for one in (found[player] for player in dict.fromkeys(players) if player in found):
        name = name_opponent(ruleset.game, one.opponent)
        shared = f" and shared the win of {one.shared}" if one.shared else ""
        helped = f" ({one.helped} with help)" if one.helped else ""
        sentences.append(
            f"Against {name} you won {one.won}{shared} of {format_count(one.games, 'game')}{helped}."
        )
    return " ".join(sentences)


def write_opponents(ruleset: Ruleset) -> list[str]:
    """Return a line for each opponent of a game: its strategy, its parameters and its time for a move; then the processor."""
    game, lines, processors = games.find_game(ruleset.game), [], []
    for one in list_opponents(ruleset.game):
        player, record = read_player(game, one.strategy), find_ladder_record(ruleset, one.strategy)
        parts = [f"{capitalise(one.strength)} is {base_name(one.strategy)}: {player.strategy.title}"]
        parts += [
            f"{capitalise(parameter.title)}: {player.parameters[parameter.name]:g}."
            for parameter in player.strategy.parameters
            if not parameter.is_weight
        ]
        if record and record.microseconds is not None:
            parts.append(f"About {format_thinking_time(record.microseconds / 1e6)} a move.")
            processors.append(f"These times were measured on {record.processor}.")
        lines.append(" ".join(parts))
    return [*lines, *dict.fromkeys(processors)]
