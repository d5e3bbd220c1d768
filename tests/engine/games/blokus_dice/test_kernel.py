"""What the compiled Blokus Dice does on rulesets of unusual sizes, and in the corners of its own arrays."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from engine.errors import InvalidError
from engine.games.blokus_dice.rules import start_state
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.kernels.loader import can_compile_games
from engine.polyomino import SHAPES
from tests.engine.playing import check_games, compiled_kernel, find_shipped, make_seating

pytestmark = pytest.mark.skipif(not can_compile_games(), reason="Numba is not installed")

ONE_SHAPE_PER_ROW = ("I1", "X5", "I2", "I3", "V3", "I4")
"""A list whose row 2 never fits into a corner, so that strikes are forced and seats drop out early."""
PENTOMINOES = tuple(name for name in SHAPES if name.endswith("5"))


@cache
def blokus_dice_ruleset(
    players: int = 4, side: int = 9, strikes: int = 3, names: tuple[str, ...] = ()
) -> BlokusDiceRuleset:
    """The shipped list, or these shapes in turn on the six rows."""
    shipped = find_shipped(BlokusDiceRuleset, f"blokus-dice-{players}p")
    document = {**shipped.document, "options": {"side": side, "strikes": strikes}}
    if names:
        document["tables"] = {"rows": {str(row + 1): names[row::6] for row in range(6)}}
    return BlokusDiceRuleset.from_document(document, "test")


@pytest.mark.parametrize(("side", "games"), [(6, 10), (11, 4), (24, 1)])
@pytest.mark.parametrize("strategy", ["random", "greedy"])
def test_every_side_plays_the_same_games(side: int, games: int, strategy: str) -> None:
    rules = blokus_dice_ruleset(3, side)
    players = make_seating(rules, strategy)
    check_games(compiled_kernel(rules).play([players], 8, range(games), logged=True), rules, players, 8)


@pytest.mark.parametrize("strikes", [0, 1, 21])
@pytest.mark.parametrize("names", [ONE_SHAPE_PER_ROW, PENTOMINOES], ids=["one-each", "pentominoes"])
def test_short_lists_and_any_number_of_strikes_play_the_same_games(
    names: tuple[str, ...], strikes: int
) -> None:
    """BD-6, BD-8: forced strikes, with several dice to choose from, and seats that drop out at once."""
    rules = blokus_dice_ruleset(4, 9, strikes, names)
    players = make_seating(rules, "greedy", "random", "greedy")
    check_games(compiled_kernel(rules).play([players], 4, range(12), logged=True), rules, players, 4)


def test_equal_squares_are_ranked_by_strikes() -> None:
    """BD-13, in a hundred games of a list so short that nearly all seats draw everything."""
    rules = blokus_dice_ruleset(4, 9, 2, ("I1", "I2", "I3", "V3", "O4", "T4"))
    players = make_seating(rules, "greedy", "random")
    batch = compiled_kernel(rules).play([players], 6, range(100), logged=True)
    check_games(batch, rules, players, 6)
    squares, strikes = batch.counts[..., 0], batch.counts[..., 1]
    assert any(
        squares[game, 0] == squares[game, 1]
        and strikes[game, 0] < strikes[game, 1]
        and batch.ranks[game, 0] < batch.ranks[game, 1]
        for game in range(100)
    )


@pytest.mark.parametrize("side", [6, 9, 24])
def test_placements_are_numbered_as_in_the_rules(side: int) -> None:
    from engine.games.blokus_dice.kernel.tables import LONGEST_SHAPE, ORIENTATIONS, SPOT_STRIDE, make_tables

    rules = blokus_dice_ruleset(2, side, 3, ("I5", "V3", "X5", "I1", "Z5", "L4") if side == 24 else ())
    tables = make_tables(rules)
    assert tables.placement_count == len(rules.play_area.placements)
    for number, of_rules in enumerate(rules.play_area.placements):
        placement = int(tables.rules_placements[number])
        spot, orientation = divmod(placement, SPOT_STRIDE)
        y, x = divmod(spot, tables.row_stride)
        squares = sorted((x - LONGEST_SHAPE + i) + side * (y + j) for i, j in ORIENTATIONS[orientation])
        assert squares == list(of_rules.cells)
        assert tables.rules_numbers[placement] == number


def test_no_word_that_a_window_leaves_out_is_needed() -> None:
    """A row of a window has 33 words; without the first it fits vectors."""
    from engine.games.blokus_dice.kernel.tables import ORIENTATIONS, WORD_BITS

    reaching = [o for o, turned in enumerate(ORIENTATIONS) if max(x for x, _ in turned) == 4]
    assert len(reaching) == 1
    assert WORD_BITS <= reaching[0] < 2 * WORD_BITS


def test_a_game_starts_as_in_the_rules() -> None:
    """BD-1, and BD-4: any corner square serves for the first shape of any colour."""
    from engine.games.blokus_dice.kernel.position import make_start_position
    from engine.games.blokus_dice.kernel.tables import make_tables

    for rules in (
        blokus_dice_ruleset(2),
        blokus_dice_ruleset(4, 24),
        blokus_dice_ruleset(3, 6, 0, ONE_SHAPE_PER_ROW),
    ):
        assert compiled_kernel(rules).unpack(make_start_position(make_tables(rules))) == start_state(rules)


def test_the_nth_member_is_found_for_every_n() -> None:
    """Also of sets that are empty for long stretches."""
    import numba as nb

    from engine.games.blokus_dice.kernel.placement_sets import nth_shared_member
    from engine.games.blokus_dice.kernel.tables import pack_bits, unpack_bits

    nth_member = nb.njit(nth_shared_member.py_func)  # compiled so that Python can call it
    generator = np.random.default_rng(3)
    for share in (0.5, 0.02, 0.001):
        plane, other = (pack_bits(generator.random(416 * 32) < share**0.5) for _ in range(2))
        members = np.flatnonzero(unpack_bits(plane & other))
        assert len(members) > 0
        for n, member in enumerate(members):
            assert nth_member(plane, other, n) == member


def test_a_position_of_another_ruleset_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"^this is not a position of blokus-dice-4p$"):
        compiled_kernel(blokus_dice_ruleset()).pack(start_state(blokus_dice_ruleset(4, 10)))


@pytest.mark.parametrize(("strategy", "unfilled", "strikes"), [("greedy", 25.0, 1.66), ("random", 40.2, 3.0)])
def test_many_games_agree_with_an_independent_prototype(
    strategy: str, unfilled: float, strikes: float
) -> None:
    """The prototype's figures are means of 200 games, with standard errors of 0.19 and 0.04."""
    rules = blokus_dice_ruleset()
    batch = compiled_kernel(rules).play([make_seating(rules, strategy)], 2019, range(5_000), logged=False)
    assert abs(batch.scores.mean() - unfilled) < 4 * 0.19
    assert abs(batch.counts[..., 1].mean() - strikes) < 4 * 0.04
