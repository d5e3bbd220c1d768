"""Players whose decisions are checked: own strategies must return legal actions in time, and errors name the place.

`play_game` wraps every player of a game in a DecisionTracker; the tracker turns an error into a PlayError.
"""

from __future__ import annotations

import copy
import operator
import time
from typing import TYPE_CHECKING

from engine import games, own_strategies
from engine.actions import CHANCE
from engine.errors import GameError, format_error
from engine.line_protocol import ProgramError
from engine.play import DecisionCounter
from pipelines.simulate.errors import PlayError
from pipelines.simulate.time_limit import DecisionTimeout

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.luck import Source
    from engine.play import Ply
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player
    from pipelines.simulate.time_limit import DecisionTimer


class IllegalReturnError(GameError):
    """An own strategy returned something that is not a legal action. The message continues "returned ..."."""


class DecisionTimes:
    """Adds up the thinking time of players, by label and seat."""

    def __init__(self) -> None:
        self.sums: dict[tuple[str, int], tuple[int, float]] = {}
        """Number of decisions and their seconds, by label and seat."""

    def add_decision(self, label: str, seat: int, seconds: float) -> None:
        decisions, total = self.sums.get((label, seat), (0, 0.0))
        self.sums[label, seat] = decisions + 1, total + seconds


class DecisionTracker(DecisionCounter):
    """Follows one game, so that an error can name the player, ply, round and seat.

    With a `timer`, decisions of own strategies are limited in time. With `times`, all decisions are timed.
    """

    def __init__(
        self,
        game_id: int,
        timer: DecisionTimer | None = None,
        times: DecisionTimes | None = None,
        *,
        what: str = "game",
    ) -> None:
        """`what` is the word for the game in messages, which count from 1; `game_id` counts from 0."""
        super().__init__()
        self.plies: list[Ply] = []
        """The plies so far; filled by `play_out`."""
        self._game = f"{what} {game_id + 1}"
        self._timer = timer
        self._times = times
        self._player_name = ""
        self._place = ""

    def wrap_player(self, player: Player) -> Callable[[State, Source], int]:
        """Return the decision function of a player, with the checks that the player needs."""
        decide, name, code = player.decide, player.name, player.strategy.code

        def decide_tracked(state: State, source: Source) -> int:
            self._player_name = name
            self._place = (
                f"{self._game}, move {len(self.plies) + 1}, round {state.round + 1}, player {state.seat + 1}"
            )
            if code is None and not player.texts:
                return decide(state, source)
            given = (
                copy.copy(state) if code else state
            )  # whatever own code does to its copy, the game goes on from `state`
            if self._timer is None:
                return check_returned_action(state, decide(given, source))
            # a program (code is None) has its own time limit, in the line protocol
            with self._timer.limit_decision(name, self._place, has_own_limit=code is None):
                return check_returned_action(state, decide(given, source))

        times = self._times
        if times is None:
            return decide_tracked

        def decide_timed(state: State, source: Source) -> int:
            seat, started = state.seat, time.perf_counter()
            action = decide_tracked(state, source)
            times.add_decision(player.label, seat, time.perf_counter() - started)
            return action

        return decide_timed

    def make_play_error(self, error: BaseException) -> PlayError:
        """Return the PlayError that reports an error which ended the game."""
        player, place = self._player_name, self._place
        if not player:
            return PlayError(f"{self._game}, move {len(self.plies) + 1}: {format_error(error)}")
        if isinstance(error, DecisionTimeout):
            seconds = self._timer.seconds if self._timer else 0
            return PlayError(f"{player} did not decide within {seconds:g} s ({place})")
        if isinstance(error, IllegalReturnError):
            return PlayError(f"{player} returned {error} ({place})")
        if isinstance(error, ProgramError):
            return PlayError(f"{player} failed ({place}): {error}")
        if isinstance(error, SystemExit):
            error = RuntimeError("it called sys.exit").with_traceback(error.__traceback__)
        line = own_strategies.find_error_place(error)
        message = " ".join(str(error).split())[:300]
        return PlayError(
            f"{player} raised {type(error).__name__}{f' at {line}' if line else ''} ({place})"
            f"{f': {message}' if message else ''}"
        )


def find_rules_fault(untouched: Ruleset, end: State, plies: Sequence[Ply]) -> int | None:
    """Replay a game under a copy of its ruleset that no own strategy has seen.

    Return the first ply that differs, the number of plies if only the end differs, or None. A difference means that own
    code has changed the ruleset.
    """
    state = games.start_state(untouched)
    for number, ply in enumerate(plies):
        if (
            state.is_over
            or (state.round, state.seat) != (ply.round, ply.seat)
            or ply.action not in state.actions
        ):
            return number
        before, state = state, state.play(ply.action)
        if before.seat != CHANCE and (len(before.actions), state.score(before.seat)) != (
            ply.options,
            ply.score,
        ):
            return number
    is_same_end = state.is_over and (state.parts, state.ranks) == (end.parts, end.ranks)
    return None if is_same_end else len(plies)


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
