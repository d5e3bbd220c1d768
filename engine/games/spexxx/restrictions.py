"""What a player of Spexxx may be forbidden: to throw as often as the others."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from engine.game import Restriction

if TYPE_CHECKING:
    from engine.games.spexxx.rules import SpexxxState
    from engine.games.spexxx.ruleset import SpexxxRuleset


def forbid_throws(count: int, state: SpexxxState, seat: int) -> SpexxxState:
    """Return the position in which each turn of a seat begins as if `count` throws were made already (SP-2)."""
    seats = list(state.seats)
    seats[seat] = seats[seat]._replace(lost_throws=count)
    return replace(state, seats=tuple(seats), throws=seats[state.thrower].lost_throws)


def list_restrictions(ruleset: SpexxxRuleset) -> list[Restriction]:
    """Return the restrictions to do without the last throw, and without all but one."""
    throws = ruleset.options.throws
    fallback = "A player throws fewer times and then places or discards as always."
    counts = {1: "last throw", throws - 1: f"{throws - 1} of {throws} throws"}
    return [
        Restriction(name, fallback, partial(forbid_throws, count))
        for count, name in counts.items()
        if 0 < count < throws
    ]
