"""Ways to play Harvest; `random` plays every game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.strategy import Parameter, Strategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.luck import Source
    from tests.engine.example_game.harvest.rules import HarvestState


def _gains(state: HarvestState) -> list[int]:
    """Return what each legal action adds to the score, in their order."""
    ruleset = state.ruleset
    if state.actions[0] == ruleset.pass_action:
        return [0]
    return [state.gain(action - ruleset.first_field_action) for action in state.actions]


def _greedy() -> Callable[[HarvestState, Source], int]:
    def decide(state: HarvestState, source: Source) -> int:
        gains = _gains(state)
        most = max(gains)
        return source.choice(
            [action for action, gain in zip(state.actions, gains, strict=True) if gain == most]
        )

    return decide


def _noisy(sigma: float) -> Callable[[HarvestState, Source], int]:
    """One normal number for each legal action, in their order; the earlier of equal ones."""

    def decide(state: HarvestState, source: Source) -> int:
        worths = [gain + sigma * source.normal() for gain in _gains(state)]
        return state.actions[worths.index(max(worths))]

    return decide


STRATEGIES: Final = (
    Strategy("greedy", "Takes the field that scores most now; ties by luck.", _greedy),
    Strategy(
        "noisy",
        "Like greedy, with a normal error on the points of every field.",
        _noisy,
        (Parameter("sigma", "standard deviation of the error, in points", 2.0, 0.0, 100.0),),
    ),
)
