"""Players whose decisions are checked: own strategies must return legal actions in time, and errors name the place.

`play_game` wraps every player of a game in a DecisionTracker; the tracker turns an error into a PlayError.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from engine import own_strategies
from engine.errors import GameError, format_error
from engine.line_protocol import ProgramError
from engine.play import DecisionCounter
from pipelines.simulate.errors import PlayError
from pipelines.simulate.time_limit import DecisionTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from engine.play import Ply
    from engine.state import State
    from engine.strategy import Player
    from pipelines.simulate.time_limit import DecisionTimer


class IllegalReturnError(GameError):
    """An own strategy returned something that is not a legal action. The message continues "returned ..."."""


class DecisionTracker(DecisionCounter):
    """Follows one game, so that an error can name the player, ply, round and seat.

    With a `timer`, decisions of own strategies are limited in time.
    """

    def __init__(self, game_id: int, timer: DecisionTimer | None = None) -> None:
        super().__init__()
        self.plies: list[Ply] = []
        """The plies so far; filled by `play_out`."""
        self._game_id = game_id
        self._timer = timer
        self._player_name = ""
        self._place = ""

    def wrap_player(self, player: Player) -> Callable[[State, Source], int]:
        """Return the decision function of a player, with the checks that the player needs."""
        decide, name, code = player.decide, player.name, player.strategy.code

        def decide_tracked(state: State, source: Source) -> int:
            self._player_name = name
            self._place = (
                f"game {self._game_id}, ply {len(self.plies)}, round {state.round}, seat {state.seat}"
            )
            if code is None and not player.texts:
                return decide(state, source)
            if self._timer is None:
                return check_returned_action(state, decide(state, source))
            # a program (code is None) has its own time limit, in the line protocol
            with self._timer.limit_decision(name, self._place, has_own_limit=code is None):
                return check_returned_action(state, decide(state, source))

        return decide_tracked

    def make_play_error(self, error: BaseException) -> PlayError:
        """Return the PlayError that reports an error which ended the game."""
        player, place = self._player_name, self._place
        if not player:
            return PlayError(f"game {self._game_id}, ply {len(self.plies)}: {format_error(error)}")
        if isinstance(error, DecisionTimeout):
            seconds = self._timer.seconds if self._timer else 0
            return PlayError(f"{player} did not decide within {seconds:g} s ({place})")
        if isinstance(error, IllegalReturnError):
            return PlayError(f"{player} returned {error} ({place})")
        if isinstance(error, ProgramError):
            return PlayError(f"{player} failed ({place}): {error}")
        line = own_strategies.find_error_place(error)
        message = " ".join(str(error).split())[:300]
        return PlayError(
            f"{player} raised {type(error).__name__}{f' at {line}' if line else ''} ({place})"
            f"{f': {message}' if message else ''}"
        )


def check_returned_action(state: State, action: object) -> int:
    """Return an action as an int. Raises IllegalReturnError if it is not one of the legal actions of `state`."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # raises TypeError for what is not an integer
    except TypeError:
        number = None
    if number is None or isinstance(action, bool):
        raise IllegalReturnError(f"{action!r:.60}; expected a number from state.actions")
    if number not in state.actions:
        raise IllegalReturnError(f"{number}, which is not one of the {len(state.actions)} legal actions")
    return number
