"""The strategy `learned` of Blokus Dice: what its network sees, its weights, and how well it plays."""

from __future__ import annotations

import hashlib
import math
import shutil
import tomllib
import zlib
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.blokus_dice import GAME, learned_values
from engine.games.blokus_dice.learned_values import (
    HIDDEN_UNITS,
    INPUTS,
    ROUND_INPUTS,
    SQUARES_PER_UNIT,
    WEIGHTS,
    read_learned_values,
)
from engine.games.blokus_dice.rules import start_state
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.number_sets import iter_members
from engine.play import play_out, replay_actions
from engine.polyomino import SHAPES
from engine.strategies import read_player

if not can_compile_games():
    pytest.skip("Numba is not installed", allow_module_level=True)

from engine.games.blokus_dice.kernel.batches import BlokusDiceKernel
from engine.games.blokus_dice.kernel.learned import make_learned_player, split_weights, value_by_network
from engine.games.blokus_dice.kernel.position import PLANE_APART, PLANE_JOINED, pack_state, unpack_state
from engine.games.blokus_dice.kernel.rules import store_fitting
from engine.games.blokus_dice.kernel.tables import make_tables
from engine.games.blokus_dice.kernel.workspace import make_workspace
from tests.engine.playing import duel_advantages

if TYPE_CHECKING:
    from pathlib import Path

    from engine.games.blokus_dice.kernel.learned import LearnedPlayer
    from engine.games.blokus_dice.rules import BlokusDiceState, SeatBoard

RULESETS = {
    name: rules for name, rules in Catalogue().rulesets.items() if isinstance(rules, BlokusDiceRuleset)
}


def decisions_of_a_game(rules: BlokusDiceRuleset, seed: int) -> list[BlokusDiceState]:
    """Return the positions in which a seat can draw something, in a game of keeper."""
    players = [read_player(GAME, "keeper").decide] * rules.players
    _, plies = play_out(start_state(rules), players, Luck(seed, 0))
    states = replay_actions(start_state(rules), [ply.action for ply in plies])
    return [
        state
        for state in states
        if not state.is_over and state.seat != CHANCE and state.actions[0] != rules.out_action
    ]


class Valued:
    """The candidates of a position, valued by compiled code."""

    def __init__(self, state: BlokusDiceState, learned: LearnedPlayer) -> None:
        tables = make_tables(state.ruleset)
        workspace, position = make_workspace(tables), pack_state(state, state.ruleset, tables)
        store_fitting(position, state.seat, workspace.decision.fitting)
        count, best = value_by_network(position, tables, workspace, learned, state.seat)
        keeper = workspace.keeper
        self.values = keeper.values[:count].copy()
        self.best = int(best)
        self.inputs = learned.chosen.copy()
        self.next_round = tuple(keeper.next_round.tolist())
        self.placement = int(tables.rules_numbers[keeper.placements[best]]) if count else -1
        self.strike = int(keeper.strikes[best]) if count else 0


def make_learned(rules: BlokusDiceRuleset, weights: np.ndarray | None = None) -> LearnedPlayer:
    values = read_learned_values(rules.players) if weights is None else weights
    return make_learned_player(make_tables(rules), split_weights(values))


# What the network sees ------------------------------------------------------------------------------------------------


def plain_inputs(state: BlokusDiceState, valued: Valued) -> list[float]:
    """Return the inputs of the network after the best candidate, computed square by square from the plain rules."""
    rules, seat, side = state.ruleset, state.seat, state.ruleset.side
    area, before = rules.play_area, state.boards[seat]
    colour = state.held_colour(seat)
    placement = area.placements[valued.placement]
    block = next(
        rules.first_action(die, colour, struck=bool(valued.strike))
        for die in state.free_dice
        if rules.first_action(die, colour, struck=bool(valued.strike)) + valued.placement in state.actions
    )
    board = state.play(block + valued.placement).boards[seat]
    row_of = {name: row for row, names in rules.shapes_by_row.items() for name in names}
    seats, first = valued.next_round
    inputs: list[float] = []
    dice_of, stuck_of = [], []
    lost, reach = (
        set(range(side * side)) - squares_of(sum(board.filled)),
        dict.fromkeys(range(side * side), 0),
    )
    for later in range(1, 5):
        other = (colour - later) % 4
        dice = seats - first
        first = seats - 1 if first == 0 else first - 1
        fitting = list(iter_members(board.fitting_placements(other)))
        rows = [
            {row_of[area.placements[n].shape] for n in fitting if len(area.placements[n].cells) >= squares}
            for squares in range(1, 6)
        ]
        free = free_squares(board, other, side)
        for cell in free:
            reach[cell] += 1
        corners = corner_squares(board, other, side) & free
        around = [sum(abs(x) + abs(y) in {1, 2} for x, y in offsets(cell, free, side)) for cell in corners]
        stuck = (1 - len(rows[0]) / 6) ** dice
        inputs += [
            len(rows[4]) / 6,
            len(rows[3]) / 6,
            len(rows[0]) / 6,
            math.log2(len(fitting) + 1) / 8,
            math.log2(len({oriented(area.placements[n].cells, side) for n in fitting}) + 1) / 6,
            1 / (1 + len(fitting)),
            float(bool(fitting)),
            sum(1 - (1 - len(row) / 6) ** dice for row in rows) / 5,
            max((len(area.placements[n].cells) for n in fitting), default=0) / 5,
            stuck,
            4 * board.filled[other].bit_count() / side**2,
            2 * len(free) / side**2,
            len(corners) / 8,
            sum(around) / 60,
            max(around, default=0) / 12,
        ]
        dice_of.append(dice / 4)
        stuck_of.append(stuck)
    left = min(3, rules.options.strikes - board.strikes)
    safe, unfilled = math.prod(1 - stuck for stuck in stuck_of), board.unfilled / side**2
    lost -= {cell for cell, colours in reach.items() if colours}
    inputs += dice_of + [float(n == left) for n in range(4)]
    inputs += [unfilled, unfilled**2, 4 * len(lost) / side**2]
    inputs += [2 * sum(colours > 1 for colours in reach.values()) / side**2]
    inputs += [safe, sum(stuck_of) / 2, safe if left == 0 else 0.0]
    inputs += [valued.next_round[1] / 4, seats / 4]
    anywhere = 0
    for other in range(4):
        anywhere |= before.fitting_placements(other)
    shapes = {area.placements[n].shape for n in iter_members(anywhere)} - {placement.shape}
    inputs += [sum(row_of[shape] == row for shape in shapes) / 4 for row in range(1, 7)]
    sizes = [max(3, len(SHAPES[shape])) for shape in shapes]
    inputs += [sizes.count(size) / 12 for size in (3, 4, 5)]
    return inputs + [float(n == min(state.round, ROUND_INPUTS - 1)) for n in range(ROUND_INPUTS)]


def squares_of(squares: int) -> set[int]:
    return set(iter_members(squares))


def free_squares(board: SeatBoard, colour: int, side: int) -> set[int]:
    """Return the squares that a colour may cover: not filled, and not beside it."""
    beside = {
        cell + step
        for cell in squares_of(board.filled[colour])
        for step, allowed in (
            (1, cell % side < side - 1),
            (-1, cell % side > 0),
            (side, True),
            (-side, True),
        )
        if allowed
    }
    return set(range(side * side)) - squares_of(sum(board.filled)) - beside


def corner_squares(board: SeatBoard, colour: int, side: int) -> set[int]:
    """Return the squares at the corners of a colour's squares; before its first shape, those of the play area."""
    if not board.filled[colour]:
        return {0, side - 1, side * (side - 1), side * side - 1}
    found = set()
    for cell in squares_of(board.filled[colour]):
        for x, y in product((cell % side - 1, cell % side + 1), (cell // side - 1, cell // side + 1)):
            if x in range(side) and y in range(side):
                found.add(x + side * y)
    return found


def offsets(cell: int, squares: set[int], side: int) -> list[tuple[int, int]]:
    """Return where squares lie, seen from a cell, if they are one of its 8 neighbours or 2 away in a straight line."""
    seen = [(other % side - cell % side, other // side - cell // side) for other in squares]
    return [(x, y) for x, y in seen if max(abs(x), abs(y)) == 1 or (abs(x) + abs(y) == 2 and 0 in {x, y})]


def oriented(cells: tuple[int, ...], side: int) -> frozenset[tuple[int, int]]:
    """Return the form of a placement, whatever its place."""
    left, low = min(cell % side for cell in cells), min(cell // side for cell in cells)
    return frozenset((cell % side - left, cell // side - low) for cell in cells)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blokus-dice-2p", "blokus-dice-4p", "blokus-dice-7-3p"])
def test_the_network_sees_what_the_plain_rules_say_of_the_board(name: str) -> None:
    """In every third position, for the placement that the network likes best; its value is that of the plain sums."""
    rules = RULESETS[name]
    learned, random = make_learned(rules), np.random.default_rng(3)
    weights = read_learned_values(rules.players)
    for state in decisions_of_a_game(rules, 8)[:: 3 if rules.players < 4 else 7]:
        for one in (weights, random.normal(size=WEIGHTS).astype(np.float32)):
            learned = make_learned(rules, one)
            valued = Valued(state, learned)
            expected = plain_inputs(state, valued)
            assert len(expected) == INPUTS
            assert valued.inputs == pytest.approx(expected, abs=1e-5)
            of_inputs, rest = (
                one[: INPUTS * HIDDEN_UNITS].reshape(INPUTS, HIDDEN_UNITS),
                one[INPUTS * HIDDEN_UNITS :],
            )
            hidden = np.maximum(np.array(expected) @ of_inputs + rest[:HIDDEN_UNITS], 0)
            squares = hidden @ rest[HIDDEN_UNITS:-1] + rest[-1]
            size = len(rules.play_area.placements[valued.placement].cells)
            assert valued.values[valued.best] == pytest.approx(size + SQUARES_PER_UNIT * squares, abs=0.01)
            assert valued.values[valued.best] == valued.values.max()


def test_the_network_counts_an_orientation_once_that_fits_in_more_places_than_a_word_has_bits() -> None:
    """On a board on which the other colours may go wherever nothing is drawn: I1 fits in 80 places."""
    rules = RULESETS["blokus-dice-2p"]
    state = decisions_of_a_game(rules, 8)[0]
    tables = make_tables(rules)
    position = pack_state(state, rules, tables)
    position.planes[state.seat, PLANE_JOINED:PLANE_APART] = ~np.uint32(0)
    position.planes[state.seat, PLANE_JOINED + state.held_colour(state.seat)] = tables.in_corners
    state = unpack_state(position, rules, tables)
    valued = Valued(state, make_learned(rules))
    assert valued.inputs == pytest.approx(plain_inputs(state, valued), abs=1e-5)


# Weights --------------------------------------------------------------------------------------------------------------


def test_every_entry_of_the_shipped_index_has_its_command_and_the_hash_of_its_weights() -> None:
    folder = learned_values.VALUES_FOLDER
    files = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))["files"]
    assert set(files) == {"2p.zlib", "3p.zlib", "4p.zlib"}
    for name, entry in files.items():
        content = zlib.decompress((folder / name).read_bytes())
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        assert len(content) == 4 * WEIGHTS
        command = f"python -m benchmarks.learn blokus-dice-{name[0]}p --games 25000 --seed 1"
        assert entry["command"] == command


def test_a_changed_file_of_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "learned"
    shutil.copytree(learned_values.VALUES_FOLDER, folder)
    (folder / "2p.zlib").write_bytes(zlib.compress(bytes(4 * WEIGHTS)))
    monkeypatch.setattr(learned_values, "VALUES_FOLDER", folder)
    with pytest.raises(InvalidError, match=r"2p\.zlib was changed or is damaged: install Reroll again"):
        read_learned_values.__wrapped__(2)


def test_threads_that_share_a_kernel_play_the_games_that_one_plays_alone() -> None:
    rules = RULESETS["blokus-dice-2p"]
    kernel, seatings = BlokusDiceKernel(rules), [[read_player(GAME, "learned")] * 2]
    alone = [kernel.play(seatings, seed, range(15), logged=False).scores.tolist() for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        games = [pool.submit(kernel.play, seatings, seed, range(15), logged=False) for seed in range(4)]
        assert [game.result().scores.tolist() for game in games] == alone


# Strength -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name != "blokus-dice-2p"))
        for name in RULESETS
        if name != "blokus-dice-mini"
    ],
)
def test_learned_is_stronger_than_keeper_on_every_board_of_a_full_list(name: str) -> None:
    """Also on boards of other sizes, on which it has not played. The small ruleset has a list of few shapes."""
    kernel = BlokusDiceKernel(RULESETS[name])
    advantages = duel_advantages(
        kernel, read_player(GAME, "learned"), read_player(GAME, "keeper"), 17, range(20)
    )
    assert advantages.mean() > 0
