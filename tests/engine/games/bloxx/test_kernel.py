"""Tests of the compiled BLOXX!: unusual sheets and dice, contacts, the limits of a log.

The tests of all kernels are in `tests/engine/kernels`.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games
from engine.strategies import read_player

if not can_compile_games():
    pytest.skip("Numba is not installed", allow_module_level=True)

from engine.games.bloxx import GAME
from engine.games.bloxx.kernel.batches import BloxxKernel
from engine.games.bloxx.kernel.position import TALLY_ROW_POINTS
from engine.games.bloxx.kernel.tables import make_tables
from engine.games.bloxx.rules import BloxxState, Sheet, start_state
from engine.games.bloxx.ruleset import BloxxRuleset
from tests.engine.playing import check_games, check_positions
from tests.examples import scale_examples

CONTACTS = {"drop": "bloxx", "touch": "bloxx-touch", "rest": "bloxx-rest"}
RANDOM, GREEDY = read_player(GAME, "random"), read_player(GAME, "greedy")


def shipped_ruleset(contact: str, players: int) -> BloxxRuleset:
    ruleset = Catalogue().find_ruleset(f"{CONTACTS[contact]}-{players}p")
    assert isinstance(ruleset, BloxxRuleset)
    return ruleset


def changed_ruleset(contact: str = "drop", players: int = 3, **tables: object) -> BloxxRuleset:
    """Return a shipped ruleset with other tables."""
    document = copy.deepcopy(shipped_ruleset(contact, players).document)
    document["tables"].update(tables)
    return BloxxRuleset.from_document(document, "my.toml")


def check_kernel(ruleset: BloxxRuleset, seed: int, blocks: int = 2) -> None:
    """Check that kernel and rules play the same random and greedy games, and agree on all legal actions of one game."""
    compiled = BloxxKernel(ruleset)
    for player in (RANDOM, GREEDY):
        players = [player] * ruleset.players
        batch = compiled.play([players], seed, range(blocks), logged=True)
        check_games(batch, ruleset, players, seed)
        assert batch.plies.max() <= compiled._tables.max_plies
    check_positions(compiled, ruleset, seed)


# Sheets and dice ------------------------------------------------------------------------------------------------------


ODD_TABLES: dict[str, dict[str, Any]] = {
    "the smallest sheet": {"numbers": ["1.", ".9"], "coloured_rows": {"red": 1}},
    "eight columns and fifteen rows": {
        "numbers": ["1......1", *["..2..3.."] * 14],
        "coloured_rows": {"green": 1, "blue": 15},
    },
    "sixteen columns and twenty-four rows": {
        "numbers": ["9..............9", *["1..2..3...5..5.."] * 23],
        "coloured_rows": {"green": 1, "orange": 2, "violet": 9, "blue": 17, "red": 23, "yellow": 24},
    },
    "sixteen rows": {"numbers": ["4.....4"] * 16},
    "no coloured rows, no numbers": {"numbers": ["...", "...", "...", "..."], "coloured_rows": {}},
    "shapes that are hollow or hang over": {
        "dice": {
            "A": {"C": "xx/x./xo", "J": "xxx/x.x/..o", "H": "x.x/xox/x.x"},
            "B": {"ring": "xxx/x.x/xxo", "hook": ".xx/..x/oxx"},
        }
    },
    "faces that differ only by the circle": {
        "dice": {
            "A": {"I": "oxx", "J": "xox", "K": "xxo"},
            "B": {"L": "x./xo", "M": "o./xx", "N": "x./ox"},
        }
    },
    "faces too large for the sheet": {
        "dice": {"A": {"I9": "xxxxxxxxo", "I11": "xxxxxxxxxxo"}, "B": {"O9": "xxx/xox/xxx"}}
    },
    "one square": {"dice": {"A": {"I1": "o"}, "B": {"I1": "o"}}},
}


@pytest.mark.parametrize("contact", CONTACTS)
@pytest.mark.parametrize("tables", ODD_TABLES.values(), ids=ODD_TABLES)
def test_odd_sheets_and_dice_play_as_the_rules_say(contact: str, tables: dict[str, Any]) -> None:
    check_kernel(changed_ruleset(contact, **tables), 2**64 - 5, blocks=1)


@st.composite
def drawings(draw: st.DrawFn) -> str:
    """Return the drawing of a face: connected squares, one of them with the circle."""
    squares = [(0, 0)]
    for _ in range(draw(st.integers(0, 6))):
        x, y = draw(st.sampled_from(squares))
        dx, dy = draw(st.sampled_from([(1, 0), (-1, 0), (0, 1), (0, -1)]))
        if (x + dx, y + dy) not in squares:
            squares.append((x + dx, y + dy))
    circle = draw(st.sampled_from(squares))
    columns, rows = ({point[axis] for point in squares} for axis in (0, 1))
    return "/".join(
        "".join(
            "o" if (x, y) == circle else "x" if (x, y) in squares else "."
            for x in range(min(columns), max(columns) + 1)
        )
        for y in range(max(rows), min(rows) - 1, -1)
    )


@st.composite
def rulesets(draw: st.DrawFn) -> BloxxRuleset:
    columns, rows = draw(st.integers(2, 8)), draw(st.integers(2, 12))
    numbers = st.text("....123456789", min_size=columns, max_size=columns)
    coloured = draw(st.lists(st.integers(1, rows), unique=True, max_size=6))
    faces = st.lists(drawings(), min_size=1, max_size=3)
    return changed_ruleset(
        draw(st.sampled_from(list(CONTACTS))),
        draw(st.integers(2, 4)),
        numbers=draw(st.lists(numbers, min_size=rows, max_size=rows)),
        coloured_rows=dict(
            zip(["green", "orange", "violet", "blue", "red", "yellow"], coloured, strict=False)
        ),
        dice={die: {f"{die}{i}": face for i, face in enumerate(draw(faces))} for die in "AB"},
    )


@scale_examples(0.4, list(HealthCheck))
@given(ruleset=rulesets(), seed=st.integers(0, 2**64 - 1))
def test_any_ruleset_plays_as_the_rules_say(ruleset: BloxxRuleset, seed: int) -> None:
    check_kernel(ruleset, seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sheet", "bits"),
    [
        ("eight columns and fifteen rows", 32),
        ("sixteen columns and twenty-four rows", 32),
        ("sixteen rows", 32),
        ("no coloured rows, no numbers", 16),
    ],
)
def test_lanes_have_room_for_the_highest_shape_above_the_sheet(sheet: str, bits: int) -> None:
    assert make_tables(changed_ruleset("drop", **ODD_TABLES[sheet])).lane_bits == bits


def test_a_shape_as_high_as_the_highest_sheet_needs_lanes_of_64_bits() -> None:
    tables: dict[str, Any] = {
        "numbers": ["..1.."] * 24,
        "dice": {"A": {"C": "xx/" + "x./" * 22 + "xo"}, "B": {"L": "x./xo"}},
    }
    ruleset = changed_ruleset("touch", **tables)
    assert make_tables(ruleset).lane_bits == 64
    check_kernel(ruleset, 3, blocks=1)


def test_a_sheet_that_is_too_large_is_refused_in_one_line() -> None:
    """Ruleset files have smaller limits, but the kernel does not rely on them."""
    ruleset = shipped_ruleset("drop", 2)
    tables = ruleset.tables.model_copy(update={"numbers": ["." * 64] * 10})
    huge = BloxxRuleset.model_construct(**{**dict(ruleset), "tables": tables})
    message = f"^{ruleset.name}: a sheet of 64 columns and 10 rows is too large to be compiled$"
    with pytest.raises(InvalidError, match=message):
        BloxxKernel(huge)


# Clauses --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("roll", "active", "other"),
    [
        ("I2 L4", {"drop": 58, "touch": 58, "rest": 47}, {"drop": 43, "touch": 79, "rest": 23}),
        ("O4 P5", {"drop": 58, "touch": 58, "rest": 48}, {"drop": 40, "touch": 72, "rest": 22}),
        ("T4 V5", {"drop": 36, "touch": 36, "rest": 30}, {"drop": 38, "touch": 64, "rest": 22}),
    ],
)
@pytest.mark.parametrize("contact", CONTACTS)
def test_contacts_allow_as_many_placements_as_another_program_counts(
    contact: str, roll: str, active: dict[str, int], other: dict[str, int]
) -> None:
    """BX-9. The numbers are those of an independent prototype. The other seat acts after seat 1 took die A."""
    ruleset = shipped_ruleset(contact, 2)
    compiled = BloxxKernel(ruleset)
    position = compiled.pack(start_state(ruleset))
    for notation in ("I3 I4", "A:d1,d2o,d3", "B:a1,b1,c1o,d1", roll):
        position = compiled.apply_action(position, ruleset.read_action(notation))
    actions = compiled.actions(position)
    assert len(actions) == active[contact]
    assert len(compiled.actions(compiled.apply_action(position, int(actions[0])))) == other[contact]


def test_rows_completed_in_one_turn_score_the_same_and_later_ones_less() -> None:
    """BX-14, on a sheet three squares wide, where an I3 completes the coloured row."""
    ruleset = changed_ruleset(
        numbers=["...", "..."],
        coloured_rows={"red": 1},
        dice={"A": {"I3": "xox"}, "B": {"V3": "x./xo"}},
    )
    compiled = BloxxKernel(ruleset)
    position = compiled.pack(start_state(ruleset))
    first_turn = ("I3 V3", "A:a1,b1o,c1", "A:a1,b1,c1", "B:a1,b1o,a2")
    for notation in (*first_turn, "I3 V3", "A:a2,b2o,c2", "B:c1o,b2,c2"):
        position = compiled.apply_action(position, ruleset.read_action(notation))
    assert position.tally[:, TALLY_ROW_POINTS].tolist() == [4, 4, 2]
    assert [parts[0].points for parts in compiled.unpack(position).parts] == [4, 4, 2]


def test_a_position_that_cannot_be_reached_is_refused() -> None:
    """BX-11: a square below a drawn one is drawn or a gap, never a blank."""
    ruleset = shipped_ruleset("drop", 2)
    floating = BloxxState(ruleset, 1, (Sheet(circles=1 << 40), Sheet()), start_state(ruleset).completed)
    with pytest.raises(InvalidError, match=rf"^{ruleset.name}: no play leads to this position \(BX-11\)$"):
        BloxxKernel(ruleset).pack(floating)


def test_a_position_of_another_ruleset_is_refused() -> None:
    ruleset = shipped_ruleset("drop", 2)
    with pytest.raises(InvalidError, match=f"not a position of {ruleset.name}"):
        BloxxKernel(ruleset).pack(start_state(shipped_ruleset("touch", 2)))
