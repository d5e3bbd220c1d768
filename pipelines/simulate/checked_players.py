"""The decisions of one game that is being played: who takes which, and what is said when one goes wrong."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from engine import own_strategies
from engine.errors import GameError
from engine.line_protocol import ProgramError
from engine.play import DecisionCounter
from pipelines.simulate.shard_tables import PlayError
from pipelines.simulate.time_limit import DecisionTimeout

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from engine.play import Ply
    from engine.state import State
    from engine.strategy import Player
    from pipelines.simulate.time_limit import Guard


class IllegalReturnError(GameError):
    """A strategy of somebody's own returned something that is no legal action."""


class DecisionTracker(DecisionCounter):
    """Knows where a game is, so that an error can say it; sees to it that what strategies return is a legal action."""

    def __init__(self, game_id: int, guard: Guard | None = None) -> None:
        super().__init__()
        self.plies: list[Ply] = []
        """To be filled by `play_out`."""
        self._game_id = game_id
        self._guard = guard
        self._who = ""
        self._where = ""

    def wrap_player(self, player: Player) -> Callable[[State, Source], int]:
        """Return how a player decides, under the eyes of this witness."""
        decide, name, code = player.decide, player.name, player.strategy.code

        def decide_tracked(state: State, source: Source) -> int:
            self._who = name
            self._where = (
                f"game {self._game_id}, ply {len(self.plies)}, round {state.round}, seat {state.seat}"
            )
            if code is None and not player.texts:
                return decide(state, source)
            if self._guard is None:
                return check_returned_action(state, decide(state, source))
            with self._guard.limit_decision(name, self._where, has_own_limit=code is None):
                return check_returned_action(state, decide(state, source))

        return decide_tracked

    def make_play_error(self, error: BaseException) -> PlayError:
        """Return what to tell about an error that ended the game."""
        if not self._who:
            return PlayError(
                f"game {self._game_id}, ply {len(self.plies)}: {own_strategies.format_error(error)}"
            )
        if isinstance(error, DecisionTimeout):
            seconds = self._guard.seconds if self._guard else 0
            return PlayError(f"{self._who} did not decide within {seconds:g} s ({self._where})")
        if isinstance(error, IllegalReturnError):
            return PlayError(f"{self._who} returned {error} ({self._where})")
        if isinstance(error, ProgramError):
            return PlayError(f"{self._who} failed ({self._where}): {error}")
        place = own_strategies.find_error_place(error)
        said = f": {message}" if (message := " ".join(str(error).split())[:300]) else ""
        at = f" at {place}" if place else ""
        return PlayError(f"{self._who} raised {type(error).__name__}{at} ({self._where}){said}")


def check_returned_action(state: State, action: object) -> int:
    """Return an action as a number; raise ReturnedError, which goes on after `returned`, if it is not legal here."""
    try:
        number = operator.index(action)  # type: ignore[arg-type]  # whatever has no number raises
    except TypeError:
        number = None
    if number is None or isinstance(action, bool):
        raise IllegalReturnError(f"{action!r:.60}, where a number of state.actions was expected")
    if number not in state.actions:
        raise IllegalReturnError(f"{number}, which is none of the {len(state.actions)} legal actions")
    return number
