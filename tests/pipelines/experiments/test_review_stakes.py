"""What is at stake in decisions: games of known answer, in which each move wins with a given chance."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.catalogue import Catalogue
from pipelines.experiments import review
from pipelines.experiments.review import Stake, measure_stake
from pipelines.experiments.reviewer import PlayoutResults
from pipelines.statistics import share_interval, t_interval
from pipelines.statistics.bounded_means import share_change_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

RULESET = Catalogue().find_ruleset("bloxx-2p")
THRESHOLD = 0.1


@dataclass
class ChanceMoves:
    """Stands for playouts: after move `m`, player 1 wins with the chance `chances[m]`, and each playout has luck of its own."""

    chances: Sequence[float]
    seed: int
    played: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    def make_state(self, _position: None) -> Any:  # noqa: ANN401 - stands for a state
        return SimpleNamespace(actions=tuple(range(len(self.chances))), seat=0, ruleset=RULESET)

    def position_after(self, _position: None, action: int) -> int:
        return action

    def play_position(self, action: int, first: int, count: int) -> PlayoutResults:
        self.played.setdefault(action, []).append((first, count))
        luck = np.random.default_rng([self.seed, action, first]).random(count)
        scores = np.where(luck < self.chances[action], 1, -1)
        return PlayoutResults(
            np.stack([scores, -scores], axis=1).astype(np.int32),
            np.stack([1 + (scores < 0), 1 + (scores > 0)], axis=1).astype(np.uint8),
        )


def measure(chances: Sequence[float], decisions: int) -> list[Stake]:
    return [
        measure_stake(ChanceMoves(chances, seed), None, np.random.default_rng(seed), THRESHOLD)  # type: ignore[arg-type]
        for seed in range(decisions)
    ]


@pytest.fixture(autouse=True)
def choose_first_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "candidate_actions", lambda state, most: list(state.actions[:most]))


@pytest.mark.parametrize("moves", [2, 9, 40])
def test_equal_moves_have_nothing_at_stake(moves: int) -> None:
    """The best of forty lucky moves is no better than the others: fresh playouts judge it."""
    found = measure([0.5] * moves, 150)
    gain = t_interval(np.array([one.gain for one in found]))
    assert gain is not None
    assert gain.low < 0 < gain.high
    share = share_interval(np.array([one.matters for one in found], np.float64))
    assert share is not None
    assert share.low < 0.005


@pytest.mark.parametrize(
    ("chances", "gain"), [([0.8] + [0.5] * 8, 0.3), ([0.9, 0.5], 0.2), ([0.5] * 8 + [0.0], 0.0)]
)
def test_the_gain_is_that_of_the_best_move_over_the_median_one(chances: list[float], gain: float) -> None:
    """Of two moves the median is their mean; a single bad move changes nothing."""
    found = measure(chances, 60)
    interval = share_change_interval(np.array([one.gain for one in found]))
    assert interval is not None
    assert interval.low < gain < interval.high
    assert np.mean([one.matters for one in found]) == pytest.approx(float(gain > THRESHOLD), abs=0.1)


def test_a_single_move_is_no_decision_and_is_not_played() -> None:
    moves = ChanceMoves([0.7], 1)
    assert measure_stake(moves, None, np.random.default_rng(1), THRESHOLD) == Stake(0.0, matters=False)  # type: ignore[arg-type]
    assert not moves.played


def test_the_luck_that_chose_a_move_does_not_judge_it() -> None:
    moves = ChanceMoves([0.6, 0.5, 0.4], 2)
    measure_stake(moves, None, np.random.default_rng(2), THRESHOLD)  # type: ignore[arg-type]
    for played in moves.played.values():
        blocks = [block for first, count in played for block in range(first, first + count)]
        assert len(blocks) == len(set(blocks))
