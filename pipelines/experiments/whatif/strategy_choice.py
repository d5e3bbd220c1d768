"""The action that a strategy would have chosen at a ply of a logged game, to ask what if it had been played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import games
from engine.actions import CHANCE
from engine.errors import InvalidError
from pipelines.experiments.whatif.fork import name_move
from pipelines.simulate.checked_players import decide_once, luck_of_game
from pipelines.simulate.compiled_games import play_prefix

if TYPE_CHECKING:
    from pipelines.design.own_strategies import OwnStrategies
    from pipelines.runs.run import Run


def find_strategy_action(run: Run, game_id: int, ply: int, strategy: str, own: OwnStrategies) -> str:
    """Return the notation of the action that a strategy would choose in place of a logged one; a negative ply counts from the end.

    Raises InvalidError if the strategy does not exist, if the ply is a roll, and if the strategy chooses what was played.
    """
    ruleset = run.ruleset(run.game(game_id).ruleset)
    actions = run.actions(game_id)
    number = len(actions) + ply if ply < 0 else ply
    if not 0 <= number < len(actions):
        raise InvalidError(
            f"game {game_id + 1} has moves 1 to {len(actions)}, so there is no {name_move(ply)}"
        )
    state, plies = play_prefix(ruleset, actions[:number])
    if state.seat == CHANCE:
        raise InvalidError(f"move {number + 1} of game {game_id + 1} is a roll: no strategy chooses it")
    player = own.parse_player(games.find_game(ruleset.game), strategy)
    action = decide_once(player, state, plies, luck_of_game(run, game_id))
    notation = ruleset.action(action).notation
    if action == actions[number]:
        raise InvalidError(
            f"{player.label} would have chosen {notation} at move {number + 1}, too, so nothing would be different"
        )
    return notation
