"""Any game as an environment of PettingZoo (its AEC interface), for programs that learn to play. Wants the extra `rl`.

    from pipelines.exchange.pettingzoo import Aec

    game = Aec("bloxx-2p")
    game.reset(seed=7)
    for name in game.agent_iter():
        _, _, is_over, _, info = game.last()
        game.step(None if is_over else int(info["action_mask"].argmax()))

PettingZoo's words are used where it asks for them: an agent is a seat, a reward is what a seat is paid. The dice are
thrown here: learners only ever meet decisions. Games come from the plain rules, so they are exact and not fast; what was
learned can be played as a strategy of your own (`reroll simulate --code`), which numbers actions in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.luck import Luck
from pipelines.statistics import win_shares

try:
    from gymnasium.spaces import Box, Discrete
    from pettingzoo import AECEnv
except ModuleNotFoundError as missing:
    raise InvalidError(
        f"learning needs the extra rl: pip install 'reroll[rl]' ({missing.name} is not here)"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from engine.state import State

    Features: TypeAlias = Callable[[State, int], NDArray[Any]]
    """From a position and the seat that looks at it, an array of the same shape and type every time."""

Pay: TypeAlias = Literal["win", "score"]

DEFAULT_WINDOW_PLIES: Final = 256
"""Plies that the plain observation goes back: more than any game of the shipped rulesets for two has."""


class Aec(AECEnv):
    """One game after the other under a ruleset, decision by decision.

    `observation`: if `features` is not given, an array of int32, (2 + seats + window,): whether the seat is on turn, the
    round, all scores beginning with the seat's own, and the numbers of the last plies, dice included, plus one, the last
    at the end: nothing is hidden in these games, so as long as they are not longer than the window it says everything.
    `info["action_mask"]`: int8, (actions,), 1 for every legal action of the seat on turn. `info["state"]`: the position.

    `pay`: `win` pays each seat its share of the win at the end; `score` pays what each ply changes of a seat's score, less
    of it being more where the lowest score wins.
    """

    metadata: Final = {"name": "reroll_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(
        self,
        ruleset: str | Ruleset,
        *,
        pay: Pay = "win",
        features: Features | None = None,
        window: int = DEFAULT_WINDOW_PLIES,
        render_mode: str | None = None,
    ) -> None:
        """Raises InvalidError for an unknown ruleset, or another pay."""
        super().__init__()
        if pay not in {"win", "score"}:
            raise InvalidError(f"pay: expected win or score, not {pay!r}")
        self.ruleset = Catalogue().find_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(self.ruleset.players)]
        self._pay = pay
        self._features = features
        self._window = window
        self._seed, self._block = 0, -1
        self._state = games.start_state(self.ruleset)
        self._played: list[int] = []
        space = self._observation_box()
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        actions = self.ruleset.actions_end
        self.action_spaces = {name: Discrete(actions) for name in self.possible_agents}

    def _observation_box(self) -> Any:  # noqa: ANN401 - Gymnasium need not be there for the types
        seen = self._make_observation(0)
        if np.issubdtype(seen.dtype, np.integer):
            bounds = np.iinfo(seen.dtype)
            return Box(bounds.min, bounds.max, seen.shape, seen.dtype)
        return Box(np.finfo(seen.dtype).min, np.finfo(seen.dtype).max, seen.shape, seen.dtype)

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - as above
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - as above
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin the next game: with a seed the first of its luck, without one the next. Equal seeds, equal dice."""
        del options
        self._seed, self._block = (self._seed, self._block + 1) if seed is None else (seed, 0)
        self._state, self._played = games.start_state(self.ruleset), []
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._throw_dice()
        self._update_agents()

    def step(self, action: int | None) -> None:
        """Play the decision of the seat on turn; raise IllegalError for an action that is not legal."""
        name = self.agent_selection
        if self.terminations[name]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[name] = 0.0
        before = self._state
        self._play_action(-1 if action is None else int(action))
        self._throw_dice()
        self.rewards = dict(zip(self.possible_agents, self._rewards_since(before), strict=True))
        self._update_agents()
        self._accumulate_rewards()

    def _play_action(self, action: int) -> None:
        self._state = self._state.play(action)
        self._played.append(action)

    def _throw_dice(self) -> None:
        """Throw the dice as long as it is their turn."""
        luck = Luck(self._seed, self._block)
        while not self._state.is_over and self._state.seat == CHANCE:
            self._play_action(self._state.chance_outcome(luck))

    def _rewards_since(self, before: State) -> list[float]:
        after = self._state
        if self._pay == "win":
            return win_shares(after.ranks).tolist() if after.is_over else [0.0] * self.ruleset.players
        sign = -1.0 if self.ruleset.lowest_wins else 1.0
        return [sign * (new - old) for new, old in zip(after.scores, before.scores, strict=True)]

    def _update_agents(self) -> None:
        """Say who is next, or that all is over, and what there is to know."""
        over = self._state.is_over
        self.terminations = dict.fromkeys(self.agents, over)
        self.agent_selection = self.possible_agents[0 if over else self._state.seat]
        idle = np.zeros(self.ruleset.actions_end, np.int8)
        self.infos: dict[str, dict[str, Any]] = {
            name: {"action_mask": idle, "state": self._state} for name in self.agents
        }
        if not over:
            mask = idle.copy()
            mask[np.fromiter(self._state.actions, np.int64)] = 1
            self.infos[self.agent_selection]["action_mask"] = mask

    def observe(self, agent: str) -> NDArray[Any]:
        return self._make_observation(self.possible_agents.index(agent))

    def _make_observation(self, seat: int) -> NDArray[Any]:
        """Return what a seat sees."""
        if self._features is not None:
            return np.asarray(self._features(self._state, seat))
        state = self._state
        scores = [*state.scores[seat:], *state.scores[:seat]]
        last = [action + 1 for action in self._played[-self._window :]]
        head = [int(not state.is_over and state.seat == seat), state.round, *scores]
        return np.array([*head, *[0] * (self._window - len(last)), *last], np.int32)

    def render(self) -> str | None:
        """Return the position as text, if the mode is ansi."""
        return str(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is open."""

    def __str__(self) -> str:
        return f"reroll {self.ruleset.name}"
