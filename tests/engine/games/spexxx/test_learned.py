"""The strategy `learned` of Spexxx: its values, its two implementations, how it learns, and how well it plays."""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
import zlib
from array import array
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.games.spexxx import GAME, learned_values, strategies
from engine.games.spexxx.learned_values import (
    BLOCK_CLOSED,
    OFF_FRAME,
    OTHERS_CUBE,
    OWN_CUBE,
    STAGES,
    make_value_layout,
    read_learned_values,
    stage_of,
)
from engine.games.spexxx.rules import SeatState, start_state
from engine.games.spexxx.ruleset import SpexxxRuleset, iter_cells
from engine.games.spexxx.strategies import learned_square_values
from engine.kernels.loader import can_compile_games
from engine.luck import Luck
from engine.notation import read_cell
from engine.number_sets import make_set
from engine.play import play_out
from engine.strategies import read_player
from engine.strategy import check_players

if not can_compile_games():
    pytest.skip("Numba is not installed", allow_module_level=True)

from engine.games.spexxx.kernel.batches import SpexxxKernel
from tests.engine.playing import duel_advantages

if TYPE_CHECKING:
    from pathlib import Path

RULESETS = {name: rules for name, rules in Catalogue().rulesets.items() if isinstance(rules, SpexxxRuleset)}
RULES = RULESETS["spexxx-2p"]
LAYOUT = make_value_layout(RULES)
LEARNED = read_player(GAME, "learned")


def changed_ruleset(**options: object) -> SpexxxRuleset:
    document = RULES.document
    return SpexxxRuleset.from_document({**document, "options": {**document["options"], **options}}, "my.toml")


def cells_of(text: str) -> list[int]:
    return [read_cell(square, RULES.columns, RULES.rows) for square in text.split()]


# The two implementations ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULESETS)
def test_the_plain_strategy_and_the_compiled_one_play_the_same_game(name: str) -> None:
    """The other seats play differently, so that the boards are unlike those that `learned` knows best."""
    ruleset = RULESETS[name]
    others = [read_player(GAME, ("noisy", "builder", "random")[n]) for n in range(ruleset.players - 1)]
    seating = [LEARNED, *others]
    batch = SpexxxKernel(ruleset).play([seating], 23, range(1), logged=True)
    _, plies = play_out(start_state(ruleset), [player.decide for player in seating], Luck(23, 0))
    assert batch.log is not None
    assert batch.log.action.tolist() == [ply.action for ply in plies]


def test_both_implementations_play_alike_with_more_cubes_and_blocks() -> None:
    """With forty cubes a seat builds several blocks of 3 x 3; the next ones beside them cannot count."""
    ruleset = changed_ruleset(cubes={"2": 40})
    seating = [LEARNED, LEARNED]
    batch = SpexxxKernel(ruleset).play([seating], 4, range(1), logged=True)
    end, plies = play_out(start_state(ruleset), [player.decide for player in seating], Luck(4, 0))
    assert batch.log is not None
    assert batch.log.action.tolist() == [ply.action for ply in plies]
    assert sum(seat.blocks for seat in end.seats) > 1


# Patterns -------------------------------------------------------------------------------------------------------------


def test_every_line_of_three_lies_in_three_windows() -> None:
    """A window goes two places beyond a line, on the board or off it."""
    windows = [set(window.cells) for window in LAYOUT.windows]
    for line in RULES.lines_of_three:
        assert sum(set(line) <= window for window in windows) == 3
    assert all(len(window - {OFF_FRAME}) >= 3 for window in windows)


def test_windows_of_one_kind_lie_over_the_same_zones() -> None:
    zones: dict[int, set[str]] = {}
    for window in LAYOUT.windows:
        marks = "".join("." if cell == OFF_FRAME else RULES.marks[cell] for cell in window.cells)
        zones.setdefault(window.kind, set()).add(marks)
    assert len(zones) == LAYOUT.kinds
    assert all(len(of_kind) == 1 for of_kind in zones.values())
    red = next(window for window in LAYOUT.windows if window.cells == tuple(cells_of("t1 u1 v1 w1 x1")))
    upwards = next(window for window in LAYOUT.windows if window.cells == tuple(cells_of("x1 x2 x3 x4 x5")))
    assert red.kind == upwards.kind


def set_values(monkeypatch: pytest.MonkeyPatch, values: dict[int, int]) -> None:
    """Let `learned` know these values, and 0 for all other patterns."""
    known = array("h", bytes(2 * LAYOUT.end))
    for at, value in values.items():
        known[at] = value
    monkeypatch.setattr(strategies, "read_learned_values", lambda _: known)


def red_window_value_at(pattern: int, stage: int) -> int:
    """Return where the value of a pattern of the window from t1 to x1 is; its first digit is that of t1."""
    window = next(window for window in LAYOUT.windows if window.cells == tuple(cells_of("t1 u1 v1 w1 x1")))
    return LAYOUT.window_value_at(window.kind, stage) + pattern


def test_a_square_is_worth_what_its_cube_makes_of_the_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 0 has a cube on t1. A second one on v1 makes the pattern 1 0 1 0 0; only the first pattern had a value."""
    before, after = OWN_CUBE, OWN_CUBE + 9 * OWN_CUBE
    left = 12
    at = {
        red_window_value_at(before, stage_of(left - 1)): 100,
        red_window_value_at(after, stage_of(left - 1)): 700,
    }
    set_values(monkeypatch, at)
    seats = SeatState(left, make_set(cells_of("t1"))), SeatState(left)
    values = learned_square_values(RULES, seats, 0)
    assert values[cells_of("v1")[0]] == 700 - 100
    assert values[cells_of("u1")[0]] == 0  # -100, and no value is less than 0
    assert values[cells_of("t1")[0]] == 0
    assert values[cells_of("e1")[0]] == 0


def test_a_square_is_worth_what_its_cube_takes_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seat 1 has cubes on t1 and u1, which promise it 900; a cube of seat 0 on v1 leaves 300 of that."""
    left, own = 12, OWN_CUBE + 3 * OWN_CUBE
    at = {
        red_window_value_at(own, stage_of(left)): 900,
        red_window_value_at(own + 9 * OTHERS_CUBE, stage_of(left)): 300,
    }
    set_values(monkeypatch, at)
    seats = SeatState(left), SeatState(left, make_set(cells_of("t1 u1")))
    values = learned_square_values(RULES, seats, 0)
    assert values[cells_of("v1")[0]] == 900 - 300
    assert values[cells_of("w1")[0]] == 900


def test_the_last_cube_is_worth_its_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three red squares in a line are worth 36 points, and no seat expects any more."""
    set_values(monkeypatch, dict.fromkeys(range(0, LAYOUT.end, 7), 500))
    seats = SeatState(1, make_set(cells_of("t1 u1"))), SeatState(0)
    values = learned_square_values(RULES, seats, 0)
    assert values[cells_of("v1")[0]] == 36_000
    assert np.count_nonzero(values) == 2


def test_a_block_that_cannot_count_any_more_has_no_further_value(monkeypatch: pytest.MonkeyPatch) -> None:
    left = 9
    number = next(n for n, block in enumerate(LAYOUT.blocks) if block >> cells_of("t1")[0] & 1)
    block = LAYOUT.blocks[number]
    first, second, *_ = iter_cells(block)
    at = LAYOUT.block_value_at(number, stage_of(left - 1))
    set_values(monkeypatch, {at + 1: 40, at + 2: 90, at + BLOCK_CLOSED: 5000})
    own = SeatState(left, 1 << first)
    assert learned_square_values(RULES, (own, SeatState(left)), 0)[second] == 50
    spoilt = SeatState(left, 1 << max(iter_cells(block)))
    assert learned_square_values(RULES, (own, spoilt), 0)[second] == 0


def test_every_number_of_cubes_has_a_stage() -> None:
    stages = [stage_of(left) for left in range(1, 201)]
    assert stages == sorted(stages)
    assert set(stages) == set(range(STAGES))


# Values ---------------------------------------------------------------------------------------------------------------


def test_rulesets_with_other_cubes_or_a_fourth_player_share_their_values() -> None:
    assert read_learned_values(RULESETS["spexxx-children-2p"]) == read_learned_values(RULES)
    assert read_learned_values(RULESETS["spexxx-4p"]) == read_learned_values(RULESETS["spexxx-3p"])
    check_players([LEARNED], changed_ruleset(cubes={"2": 5}))


def test_a_board_that_was_not_learned_is_refused_in_one_line() -> None:
    ruleset = changed_ruleset(line_bonus=6)
    message = "strategy 'learned' has not learned this board with these points; it plays "
    with pytest.raises(InvalidError, match=message) as refused:
        check_players([LEARNED], ruleset)
    assert "\n" not in str(refused.value)
    state = start_state(ruleset).play(RULES.read_action("1 1 1 2 3"))
    with pytest.raises(InvalidError, match=message):
        LEARNED.decide(state, Luck(1, 1).source(0, 0, 0))


@pytest.mark.parametrize("content", [b"", bytes(100)])
def test_a_changed_file_of_values_is_refused(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "values"
    shutil.copytree(learned_values.VALUES_FOLDER, folder)
    (folder / learned_values.value_file_name(RULES)).write_bytes(content)
    monkeypatch.setattr(learned_values, "VALUES_FOLDER", folder)
    with pytest.raises(InvalidError, match=r"-2p\.zlib was changed or is damaged: install Reroll again"):
        read_learned_values.__wrapped__(RULES)


def test_every_entry_of_the_shipped_index_has_its_command_and_the_hash_of_its_values() -> None:
    folder = learned_values.VALUES_FOLDER
    files = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))["files"]
    assert {name.partition("-")[2] for name in files} == {"2p.zlib", "3p.zlib"}
    assert sum((folder / name).stat().st_size for name in files) < 2_000_000
    for name, entry in files.items():
        content = zlib.decompress((folder / name).read_bytes())
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        assert re.match(r"python -m benchmarks\.learn spexxx-\w+ --games \d+ --seed \d+$", entry["command"])
        assert entry["version"] == 1


@pytest.mark.parametrize("name", ["spexxx-2p", "spexxx-3p"])
def test_no_value_is_cut_off_by_its_sixteen_bits(name: str) -> None:
    values = np.array(read_learned_values(RULESETS[name]))
    assert len(values) == make_value_layout(RULESETS[name]).end
    assert np.abs(values).max() < (1 << 15) - 1


# Strength -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * (name != "spexxx-2p"))
        for name in RULESETS
        if name != "spexxx-mini"
    ],
)
def test_learned_is_stronger_than_builder_under_every_printed_ruleset(name: str) -> None:
    advantages = duel_advantages(
        SpexxxKernel(RULESETS[name]), LEARNED, read_player(GAME, "builder"), 17, range(80)
    )
    assert advantages.mean() > 0
