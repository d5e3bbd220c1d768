"""Games as environments of PettingZoo (its AEC interface), for programs that learn to play. Needs the extra `rl`.

    from pipelines.exchange.pettingzoo import Aec

    game = Aec("bloxx-2p")
    game.reset(seed=7)
    for name in game.agent_iter():
        _, _, is_over, _, info = game.last()
        game.step(None if is_over else int(info["action_mask"].argmax()))

In PettingZoo's words an agent is a seat. The environment rolls the dice, so a learner meets only decisions. The plain
rules play the games, which is exact but slow. A learner can play in simulations as a strategy of your own
(`reroll simulate --code`); actions have the same numbers there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.luck import Luck
from pipelines.design.design import check_seed
from pipelines.design.limits import check_arguments
from pipelines.statistics import win_shares

try:
    from gymnasium.spaces import Box, Discrete
    from pettingzoo import AECEnv
except ModuleNotFoundError as missing:
    raise InvalidError(
        f"learning needs the extra rl: in a clone of Reroll, pip install -e '.[rl]' ({missing.name} is not installed)"
    ) from None

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.ruleset import Ruleset
    from engine.state import State

    Features: TypeAlias = Callable[[State, int], NDArray[Any]]
    """A function of a position and the seat that observes it; its arrays always have the same shape and type."""

Pay: TypeAlias = Literal["win", "score"]

DEFAULT_WINDOW_PLIES: Final = 256
"""Plies in the default observation: more than any game of the shipped rulesets for two has."""


class Aec(AECEnv):
    """An environment that plays games of one ruleset, one after the other.

    Observation: `features(state, seat)` if `features` is given, else an int32 array of shape (2 + seats + window,). It
    holds 1 if the seat is on turn, else 0; the round; all scores, beginning with the seat's own; and the numbers of the
    last `window` plies, dice included, each plus one, with zeros in front. The games hide nothing, so this determines the
    position as long as the game is not longer than the window.

    `info["action_mask"]`: int8, shape (actions,), 1 for every legal action of the seat on turn. `info["state"]`: the
    position, an `engine.state.State`.

    Reward: with `pay="win"` each seat's share of the win, at the end; with `pay="score"` the change of its score at each
    ply, negated where the lowest score wins.
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
        """Raise InvalidError for an unknown ruleset or an unknown `pay`."""
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

    def _observation_box(self) -> Any:  # noqa: ANN401 - Gymnasium is optional, so there is no type
        example = self._make_observation(0)
        is_integer = np.issubdtype(example.dtype, np.integer)
        bounds = np.iinfo(example.dtype) if is_integer else np.finfo(example.dtype)
        return Box(bounds.min, bounds.max, example.shape, example.dtype)

    def observation_space(self, agent: str) -> Any:  # noqa: ANN401 - as above
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:  # noqa: ANN401 - as above
        return self.action_spaces[agent]

    @check_arguments
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: with a seed the first game of that seed, without one the next game. Equal seeds give equal dice.

        Raises InvalidError for a seed that is out of range.
        """
        del options
        if seed is not None:
            check_seed(seed)
        self._seed, self._block = (self._seed, self._block + 1) if seed is None else (seed, 0)
        self._state, self._played = games.start_state(self.ruleset), []
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._roll_dice()
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
        self._roll_dice()
        self.rewards = dict(zip(self.possible_agents, self._rewards_since(before), strict=True))
        self._update_agents()
        self._accumulate_rewards()

    def _play_action(self, action: int) -> None:
        self._state = self._state.play(action)
        self._played.append(action)

    def _roll_dice(self) -> None:
        """Play the plies of chance until a seat is on turn or the game is over."""
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
        """Set the seat on turn, the terminations and the infos."""
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
        """Return the observation of a seat."""
        if self._features is not None:
            return np.asarray(self._features(self._state, seat))
        state = self._state
        scores = [*state.scores[seat:], *state.scores[:seat]]
        last = [action + 1 for action in self._played[-self._window :]]
        head = [int(not state.is_over and state.seat == seat), state.round, *scores]
        return np.array([*head, *[0] * (self._window - len(last)), *last], np.int32)

    def render(self) -> str | None:
        """Return the position as text if the render mode is ansi."""
        return str(self._state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""

    def __str__(self) -> str:
        return f"reroll {self.ruleset.name}"
