"""One decision of a strategy in a game that others have played so far, with the luck that it would have had there."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.simulate.checked_players import DecisionTracker
from pipelines.simulate.time_limit import DecisionTimeout, DecisionTimer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.luck import Luck
    from engine.play import Ply
    from engine.state import State
    from engine.strategy import Player
    from pipelines.runs.run import Run


def luck_of_game(run: Run, game_id: int) -> Luck:
    """Return the luck of a logged game."""
    return run.design.luck_of_block(run.game(game_id).block)


def decide_once(player: Player, state: State, plies: Sequence[Ply], luck: Luck) -> int:
    """Return the action of a strategy for the seat that has to act in `state`, which follows `plies`."""
    number = 0
    for ply in reversed(plies):
        if ply.round != state.round:
            break
        number += ply.seat == state.seat
    return int(player.decide(state, luck.source(state.round, state.seat, number)))


def decide_checked(player: Player, state: State, plies: Sequence[Ply], luck: Luck, seconds: float) -> int:
    """Do the same as `decide_once`; limit the time of a strategy that is not built in, and check its action.

    Raises PlayError if such a strategy fails, returns what is not legal, or decides longer than `seconds`. To be called in
    the main thread.
    """
    if player.strategy.code is None and not player.texts:
        return decide_once(player, state, plies, luck)
    with (
        tempfile.TemporaryDirectory() as folder,
        DecisionTimer(Path(folder), seconds, lambda: False) as timer,
    ):
        tracker = DecisionTracker(0, timer)
        tracker.plies = list(plies)
        try:
            return decide_once(replace(player, decide=tracker.wrap_player(player)), state, plies, luck)
        except (Exception, SystemExit, DecisionTimeout) as error:
            raise tracker.make_play_error(error) from error
