"""The strategies of BLOXX!: properties of noisy, planner and rollout; each is stronger than the one before it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.play import play_out, replay_actions
from engine.strategies import read_player

if not can_compile_games():
    pytest.skip("no compiler is available", allow_module_level=True)

from engine.games.bloxx import GAME
from engine.games.bloxx.kernel.batches import BloxxKernel
from engine.games.bloxx.kernel.planner import TUNED_BLANK_PENALTY
from engine.games.bloxx.rules import BloxxState, Sheet, draw_placement, start_state
from engine.games.bloxx.ruleset import BloxxRuleset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.kernels.results import Batch
    from engine.play import Ply

RULESETS = {
    name: ruleset for name, ruleset in Catalogue().rulesets.items() if isinstance(ruleset, BloxxRuleset)
}
every_ruleset = pytest.mark.parametrize("ruleset", RULESETS.values(), ids=RULESETS)
MIXED_STRATEGIES = ("planner:candidates=3", "rollout:playouts=9,candidates=3", "noisy:sigma=2", "greedy")


def changed_ruleset(name: str = "bloxx-3p", **parts: dict[str, Any]) -> BloxxRuleset:
    """Return a shipped ruleset with changed options or tables."""
    document = {**RULESETS[name].document}
    for part, settings in parts.items():
        document[part] = {**document[part], **settings}
    return BloxxRuleset.from_document(document, "my.toml")


def check_equal(batch: Batch, game: int, end: BloxxState, plies: Sequence[Ply]) -> None:
    """Check that one game of a batch equals this game."""
    assert batch.log is not None
    first = int(batch.plies[:game].sum())
    rows = slice(first, first + len(plies))
    assert int(batch.plies[game]) == len(plies)
    assert batch.log.action[rows].tolist() == [ply.action for ply in plies]
    assert batch.log.options[rows].tolist() == [-1 if ply.options is None else ply.options for ply in plies]
    assert batch.scores[game].tolist() == list(end.scores)


def play_scores(ruleset: BloxxRuleset, strategy: str, blocks: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    seating = [read_player(GAME, strategy)] * ruleset.players
    return BloxxKernel(ruleset).play([seating], 5, range(blocks), logged=False).scores


# Batches and single decisions ----------------------------------------------------------------------------------------


@every_ruleset
@pytest.mark.parametrize("sigma", [0, 2.5, 100])
def test_noisy_in_python_equals_noisy_in_the_kernel(ruleset: BloxxRuleset, sigma: float) -> None:
    seating = [read_player(GAME, f"noisy:sigma={sigma}")] * ruleset.players
    batch = BloxxKernel(ruleset).play([seating], 2**64 - 3, range(3, 6), logged=True)
    for game in range(3):
        luck = Luck(2**64 - 3, 3 + game)
        check_equal(batch, game, *play_out(start_state(ruleset), [one.decide for one in seating], luck))


@every_ruleset
def test_a_single_decision_equals_the_one_in_a_batch(ruleset: BloxxRuleset) -> None:
    """All strategies play together, each in every seat."""
    players = [read_player(GAME, text) for text in MIXED_STRATEGIES]
    seatings = [[players[(first + seat) % 4] for seat in range(ruleset.players)] for first in range(4)]
    batch = BloxxKernel(ruleset).play(seatings, 2**63 + 1, range(7, 8), logged=True)
    for game, seating in enumerate(seatings):
        deciders = [one.decide for one in seating]
        check_equal(batch, game, *play_out(start_state(ruleset), deciders, Luck(2**63 + 1, 7)))


@every_ruleset
def test_every_player_plays_on_from_the_middle_of_a_turn(ruleset: BloxxRuleset) -> None:
    seating = [read_player(GAME, text) for text in MIXED_STRATEGIES[: ruleset.players]]
    deciders = [one.decide for one in seating]
    _, plies = play_out(start_state(ruleset), deciders, Luck(8, 0))
    middle = 4 * (ruleset.players + 1) + 2
    *_, state = replay_actions(start_state(ruleset), [ply.action for ply in plies[:middle]])
    kernel = BloxxKernel(ruleset)
    batch = kernel.play([seating], 9, range(2, 4), start=kernel.pack(state), logged=True)
    for game in range(2):
        check_equal(batch, game, *play_out(state, deciders, Luck(9, 2 + game)))


def test_strategies_play_on_sheets_and_with_dice_that_allow_very_little() -> None:
    """The sheet has no numbers, no coloured rows and two columns; some faces never fit."""
    small = changed_ruleset(tables={"numbers": ["..", "..", ".."], "coloured_rows": {}})
    large = changed_ruleset(
        tables={"dice": {"A": {"I11": "xxxxxxxxxxo"}, "B": {"O9": "xxx/xox/xxx", "I1": "o"}}}
    )
    for ruleset in (small, large):
        seating = [read_player(GAME, text) for text in MIXED_STRATEGIES[: ruleset.players]]
        batch = BloxxKernel(ruleset).play([seating], 1, range(2), logged=True)
        for game in range(2):
            deciders = [one.decide for one in seating]
            check_equal(batch, game, *play_out(start_state(ruleset), deciders, Luck(1, game)))


def test_a_game_does_not_depend_on_earlier_games() -> None:
    ruleset = RULESETS["bloxx-3p"]
    seating = [read_player(GAME, text) for text in MIXED_STRATEGIES[:3]]
    whole = BloxxKernel(ruleset).play([seating], 4, range(6), logged=False).scores
    alone = BloxxKernel(ruleset).play([seating], 4, range(5, 6), logged=False).scores
    assert whole[5].tolist() == alone[0].tolist()


# Noisy ---------------------------------------------------------------------------------------------------------------


def test_noisy_scores_by_default_as_in_the_example_of_the_rulebook() -> None:
    """The example of the rulebook ends with 18: 6 for rows, 26 in circles, 7 gaps, 7 blanks. Three players, 2,000 games."""
    ruleset = RULESETS["bloxx-3p"]
    seating = [read_player(GAME, "noisy")] * 3
    batch = BloxxKernel(ruleset).play([seating], 6, range(2000), logged=False)
    assert batch.scores.mean() == pytest.approx(18, abs=0.8)
    assert batch.points.mean(axis=(0, 1)) == pytest.approx([6, 26, -7, -7], abs=3)


def test_without_error_noisy_plays_as_well_as_greedy_and_with_a_huge_one_like_random() -> None:
    ruleset = RULESETS["bloxx-3p"]
    assert play_scores(ruleset, "noisy:sigma=0", 1000).mean() == pytest.approx(
        play_scores(ruleset, "greedy", 1000).mean(), abs=1
    )
    assert play_scores(ruleset, "noisy:sigma=100", 1000).mean() < -15


# Planner -------------------------------------------------------------------------------------------------------------


class ReferencePlanner:
    """The values of `planner` in plain Python, computed from whole sheets instead of changes."""

    def __init__(self, state: BloxxState, parameters: dict[str, float]) -> None:
        self.state, self.weights, self.ruleset = state, parameters, state.ruleset
        self.others = [seat for seat in range(self.ruleset.players) if seat != state.seat]
        closed = sum(state.sheets[other].closed_squares.bit_count() for other in self.others)
        self.full = closed / len(self.others) / self.ruleset.square_count

    def column_heights(self, sheet: Sheet) -> list[int]:
        columns = range(self.ruleset.columns)
        return [
            max(
                [0]
                + [
                    r + 1
                    for r in range(self.ruleset.rows)
                    if sheet.drawn_squares >> c + self.ruleset.columns * r & 1
                ]
            )
            for c in columns
        ]

    def outlook(self, sheet: Sheet, completed: Sequence[Sequence[int]], turn: int) -> float:
        """Return the expected points that a sheet can still get, by the planner's weights."""
        w, heights, columns = self.weights, self.column_heights(sheet), self.ruleset.columns
        total = 0.0
        for square, number in self.ruleset.numbered_squares:
            row, column = divmod(square.bit_length() - 1, columns)
            if row >= heights[column]:
                above = row - heights[column]
                share = w["near"] if above == 0 else w["close"] if above <= 2 else w["far"]
                total += share * number * (1 - w["fade"] * self.full)
        for left, right in pairwise(heights):
            if left != right:
                total -= w["step"] + w["steep"] * (abs(left - right) - 1)
        for column, height in enumerate(heights):
            depth = (
                min(
                    ([heights[column - 1]] if column else []) + heights[column + 1 : column + 2],
                )
                - height
            )
            if depth > 0:
                total -= w["well"] + w["deep"] * (depth - 1)
        for row, turns in zip(self.ruleset.row_sets, completed, strict=True):
            missing = (row & ~sheet.drawn_squares).bit_count()
            if missing and not row & sheet.gaps:
                points: float = self.row_points(turns, turn)
                rivals = [
                    (row & ~self.state.sheets[other].drawn_squares).bit_count()
                    for other in self.others
                    if row & ~self.state.sheets[other].drawn_squares
                    and not row & self.state.sheets[other].gaps
                ]
                if rivals:
                    lead = missing / (missing + min(rivals))
                    points -= w["race"] * lead * (points - self.ruleset.options.row_later)
                total += points * (w["row"] + w["progress"] * (1 - missing / columns))
        return total

    def row_points(self, turns: Sequence[int], turn: int) -> int:
        earlier = any(0 <= done < turn for done in turns)
        return self.ruleset.options.row_later if earlier else self.ruleset.options.row_first

    def placement_worth(
        self, sheet: Sheet, action: int, completed: Sequence[Sequence[int]], turn: int
    ) -> tuple[float, Sheet]:
        """Return the points of a placement with the change of the outlook, and the sheet after it."""
        placement, options = self.ruleset.placement(action), self.ruleset.options
        after = draw_placement(sheet, placement)
        squares = placement.squares.bit_count()
        gaps = (after.gaps & ~sheet.gaps).bit_count()
        total: float = placement.number
        total += (
            squares * options.blank_penalty * (self.weights["square"] + self.weights["haste"] * self.full)
        )
        total -= gaps * (self.weights["gap"] + options.gap_penalty - TUNED_BLANK_PENALTY)
        for row, turns in zip(self.ruleset.row_sets, completed, strict=True):
            if row & ~sheet.drawn_squares and not row & ~after.drawn_squares:
                total += self.row_points(turns, turn)
        total += self.outlook(after, completed, turn) - self.outlook(sheet, completed, turn)
        return total, after

    def mean_best_answer(self, sheet: Sheet, completed: Sequence[Sequence[int]]) -> float:
        """Return the worth of the best placement in the next turn: the mean over all rolls."""
        turn = self.state.round + 1
        best: dict[tuple[int, int, bool], float] = {}
        for die in (0, 1):
            for face in range(len(self.ruleset.face_names[die])):
                for circled in (True, False):
                    placements = self.state.legal_placements(sheet, die, face, circled=circled)
                    worths = [
                        self.placement_worth(sheet, action, completed, turn)[0] for action in placements
                    ]
                    best[die, face, circled] = max(worths, default=-1e9)
        total = 0.0
        for roll in self.ruleset.roll_actions:
            a, b = divmod(roll, len(self.ruleset.face_names[1]))
            if best[0, a, True] == best[1, b, True] == -1e9:
                total -= self.weights["stuck"]
            elif turn % self.ruleset.players == self.state.seat:
                total += max(best[0, a, True], best[1, b, True])
            else:
                total += max(best[0, a, True], best[1, b, False]) / 2
                total += max(best[0, a, False], best[1, b, True]) / 2
        return total / len(self.ruleset.roll_actions)

    def value(self, action: int) -> float:
        state = self.state
        now, after = self.placement_worth(state.sheets[state.seat], action, state.completed, state.round)
        return now + self.mean_best_answer(after, state.play(action).completed)


@pytest.mark.parametrize("name", ["bloxx-2p", "bloxx-touch-3p", "bloxx-rest-4p"])
@pytest.mark.parametrize("at", [0.3, 0.7, 0.9])
def test_the_planner_chooses_the_best_placement_of_the_reference(name: str, at: float) -> None:
    """The weights make every term count; blanks cost more than gaps in this ruleset."""
    ruleset = changed_ruleset(name, options={"gap_penalty": 2, "row_first": 7, "blank_penalty": 3})
    text = (
        "planner:candidates=3,near=0.2,close=0.37,far=0.51,well=0.23,deep=0.41,race=0.9,stuck=2.3,haste=1.1"
    )
    player = read_player(GAME, text)
    luck = Luck(11, round(10 * at))
    _, plies = play_out(start_state(ruleset), [read_player(GAME, "greedy").decide] * ruleset.players, luck)
    choices = [n for n, ply in enumerate(plies) if ply.options and ply.options > 4]
    ply = choices[int(at * len(choices))]
    *_, state = replay_actions(start_state(ruleset), [ply.action for ply in plies[:ply]])
    reference = ReferencePlanner(state, dict(player.parameters))
    sheet = state.sheets[state.seat]
    now = {
        action: reference.placement_worth(sheet, action, state.completed, state.round)[0]
        for action in state.actions
    }
    squares = {ruleset.placement(action).squares for action in now}
    best = sorted(
        (
            max((now[action], -action) for action in now if ruleset.placement(action).squares == placed)
            for placed in squares
        ),
        reverse=True,
    )
    chosen = player.decide(state, luck.source(state.round, state.seat, 0))
    values = {-action: reference.value(-action) for _, action in best[:3]}
    assert values[chosen] == pytest.approx(max(values.values()))


def test_the_kernel_makes_the_single_decisions_of_the_simple_strategies() -> None:
    ruleset = RULESETS["bloxx-2p"]
    state = start_state(ruleset).play(3)
    for text in ("random", "greedy", "noisy", "planner"):
        player = read_player(GAME, text)
        action = BloxxKernel(ruleset).decide(state, player, Luck(3, 4).source(0, 0, 0))
        assert action == player.decide(state, Luck(3, 4).source(0, 0, 0))


@pytest.mark.parametrize("strategy", ["greedy", "planner"])
def test_a_gap_costs_more_than_nothing_where_blank_squares_are_dear(strategy: str) -> None:
    """A player who took the penalty of the blank square off would make gaps, and score less than nothing."""
    ruleset = changed_ruleset("bloxx-2p", options={"blank_penalty": 3})
    assert play_scores(ruleset, strategy, 100).mean() > 30


def test_the_planner_needs_no_luck() -> None:
    ruleset = RULESETS["bloxx-3p"]
    _, plies = play_out(start_state(ruleset), [read_player(GAME, "greedy").decide] * 3, Luck(1, 1))
    player = read_player(GAME, "planner")
    for state in replay_actions(start_state(ruleset), [ply.action for ply in plies[:30]]):
        if state.roll is not None:
            chosen = {player.decide(state, Luck(seed, 0).source(3, 0, 0)) for seed in range(3)}
            assert len(chosen) == 1


# Rollout -------------------------------------------------------------------------------------------------------------


def test_a_single_candidate_needs_no_playouts() -> None:
    """With one candidate, `rollout` plays as `planner` without looking ahead."""
    ruleset = RULESETS["bloxx-3p"]
    assert np.array_equal(
        play_scores(ruleset, "rollout:playouts=65536,candidates=1", 30),
        play_scores(ruleset, "planner:candidates=1", 30),
    )


def test_rollout_uses_its_own_luck() -> None:
    """The choice changes with the luck of the strategy, because the imagined games change; equal luck, equal choice."""
    ruleset = RULESETS["bloxx-3p"]
    player = read_player(GAME, "rollout:playouts=8,candidates=4")
    _, plies = play_out(start_state(ruleset), [read_player(GAME, "greedy").decide] * 3, Luck(1, 1))
    chosen = set()
    for state in replay_actions(start_state(ruleset), [ply.action for ply in plies[:30]]):
        if state.roll is not None:
            actions = [player.decide(state, Luck(seed, 0).source(3, 0, 0)) for seed in (*range(4), 0)]
            assert actions[0] == actions[-1]
            chosen.add(len(set(actions)))
    assert max(chosen) > 1
