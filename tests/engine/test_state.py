"""What the class of all positions computes for every game: the ranks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from engine.state import State


class ScoredState(State):
    """A position that has scores and nothing else."""

    actions: Any = ()
    play: Any = None
    chance_outcome: Any = None
    probabilities: Any = ()
    parts: Any = ()
    __str__ = object.__str__
    scores: Any = ()

    def __init__(self, scores: tuple[int, ...], *, lowest_wins: bool) -> None:
        self.ruleset: Any = SimpleNamespace(lowest_wins=lowest_wins)
        self.scores = scores


@pytest.mark.parametrize(("lowest_wins", "ranks"), [(False, (3, 1, 3, 2)), (True, (1, 4, 1, 3))])
def test_the_best_score_has_rank_1_and_equal_scores_share_the_better_rank(
    *, lowest_wins: bool, ranks: tuple[int, ...]
) -> None:
    assert ScoredState((-2, 7, -2, 5), lowest_wins=lowest_wins).ranks == ranks
