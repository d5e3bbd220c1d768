"""What is tricky in the compiled game: odd boards, bonuses, ties, and the recorded games of other programs."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.games.blokus.rules import start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.polyomino import SHAPES
from tests.engine.playing import check_games, check_positions, compiled_kernel, make_seating

ALL_PIECES = list(SHAPES)
OWN_RULESETS: dict[str, tuple[int, list[str], list[str], int, str]] = {
    # side, start cells, pieces, players, corners
    "the smallest board": (5, ["a1", "e5"], ALL_PIECES, 2, "free"),
    "two start cells side by side": (6, ["a1", "b1"], ALL_PIECES, 2, "fixed"),
    "wide pieces on a narrow board": (7, ["d4", "a7", "g1"], ["I1", "I3", "I5", "L5", "V5"], 3, "free"),
    "four on eight": (8, ["a8", "h8", "h1", "a1"], ALL_PIECES, 3, "free"),
    "the largest board": (24, ["a24", "x24", "x1", "a1"], ALL_PIECES, 4, "free"),
    "no pentomino": (9, ["a1", "i9"], ALL_PIECES[:9], 2, "fixed"),
    "pentominoes alone": (13, ["c3", "k11"], ALL_PIECES[9:], 2, "free"),
    "one square": (10, ["a1", "j10", "a10"], ["I1"], 2, "free"),
    "dominoes and threes": (11, ["f6", "a1", "k11", "a11"], ["I2", "V3"], 4, "free"),
}
every_own_ruleset = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "the largest board" else name
        for name in OWN_RULESETS
    ],
)


@cache
def own_ruleset(name: str) -> BlokusRuleset:
    side, cells, pieces, players, corners = OWN_RULESETS[name]
    document = Catalogue().find_ruleset("blokus-4p").document | {
        "name": "own",
        "players": players,
        "options": {"corners": corners, "bonus": 15, "bonus_single_last": 20},
        "tables": {"board": {"side": side, "start": cells}, "pieces": pieces},
    }
    return BlokusRuleset.from_document(document, name)


@every_own_ruleset
def test_boards_and_pieces_of_ones_own_give_the_same_games(name: str) -> None:
    ruleset = own_ruleset(name)
    kernel = compiled_kernel(ruleset)
    for names in (("random",), ("greedy",), ("greedy", "random")):
        players = make_seating(ruleset, *names)
        batch = kernel.play([players], 2**64 - 1, range(3, 7), logged=True)
        check_games(batch, ruleset, players, 2**64 - 1, 3)
    check_positions(kernel, ruleset, 8)


@pytest.mark.parametrize(("name", "bonuses"), [("one square", {20}), ("dominoes and threes", {15})])
def test_bonuses_are_counted(name: str, bonuses: set[int]) -> None:
    """BK-8: the single square last is worth more; without it the bonus is the small one."""
    ruleset = own_ruleset(name)
    batch = compiled_kernel(ruleset).play([make_seating(ruleset, "random")], 5, range(40), logged=False)
    worth = batch.points[:, :, 1][batch.counts[:, :, 1] == 1]
    assert set(worth.tolist()) == bonuses


def test_each_of_many_equal_first_placements_is_chosen_by_greedy_sometimes() -> None:
    """Ties are drawn in ascending order: the four corners are alike for the first of four greedy seats."""
    ruleset = Catalogue().find_ruleset("blokus-4p")
    assert isinstance(ruleset, BlokusRuleset)
    batch = compiled_kernel(ruleset).play([make_seating(ruleset, "greedy")], 4, range(200), logged=True)
    assert batch.log is not None
    firsts = batch.log.action[np.concatenate(([0], np.cumsum(batch.plies)[:-1]))]
    counts = np.unique(firsts, return_counts=True)[1]
    assert len(counts) % 4 == 0
    assert counts.min() > 200 / len(counts) / 3


def test_a_position_of_another_ruleset_is_refused() -> None:
    with pytest.raises(ValueError, match="not a position of own"):
        compiled_kernel(own_ruleset("one square")).pack(start_state(own_ruleset("no pentomino")))
