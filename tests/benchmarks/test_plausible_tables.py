"""Plausible tables: only what is reconstructed is drawn, and what is known of the printed games holds on every draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.plausible_tables import draw_plausible_ruleset, list_plausible_tables
from engine.games.blokus_dice.ruleset import BlokusDiceRuleset
from engine.games.bloxx.ruleset import BloxxRuleset
from engine.games.spexxx import dice
from engine.games.spexxx.ruleset import SpexxxRuleset
from engine.polyomino import SHAPES, read_drawing

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

DRAWS = 60
GAMES = {"bloxx-3p": BloxxRuleset, "blokus-dice-3p": BlokusDiceRuleset, "spexxx-3p": SpexxxRuleset}


@pytest.mark.parametrize("name", GAMES)
def test_equal_numbers_give_equal_tables_and_all_reconstructed_ones_change(
    name: str, catalogue: Catalogue
) -> None:
    ruleset = catalogue.find_ruleset(name)
    assert set(list_plausible_tables(ruleset)) == {
        table for table, origin in ruleset.provenance.items() if origin == "reconstructed"
    }
    drawn = [draw_plausible_ruleset(ruleset, 5, number) for number in range(DRAWS)]
    assert drawn[7] == draw_plausible_ruleset(ruleset, 5, 7)
    assert len({one.sha256 for one in (*drawn, ruleset)}) == DRAWS + 1
    assert draw_plausible_ruleset(ruleset, 6, 7) != drawn[7]
    for table in ruleset.provenance:
        values = {str((one.document["tables"] | one.document["options"])[table]) for one in drawn}
        assert len(values) > 1, table


def test_a_table_that_is_printed_stays(catalogue: Catalogue) -> None:
    shipped = catalogue.find_ruleset("bloxx-3p")
    assert isinstance(shipped, BloxxRuleset)
    ruleset = shipped.model_copy(
        update={"provenance": {**shipped.provenance, "dice": "book", "numbers": "own"}}
    )
    assert list(list_plausible_tables(ruleset)) == ["coloured_rows"]
    drawn = [draw_plausible_ruleset(ruleset, 1, number) for number in range(20)]
    assert all(one.tables.dice == ruleset.tables.dice for one in drawn)
    assert all(one.tables.numbers == ruleset.tables.numbers for one in drawn)
    assert any(one.tables.coloured_rows != ruleset.tables.coloured_rows for one in drawn)


def test_a_bloxx_sheet_has_our_numbers_green_low_and_twelve_shapes(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("bloxx-3p")
    assert isinstance(ruleset, BloxxRuleset)
    digits = sorted("".join(ruleset.tables.numbers))
    for number in range(DRAWS):
        tables = draw_plausible_ruleset(ruleset, 2, number).tables
        assert sorted("".join(tables.numbers)) == digits
        rows = tables.coloured_rows
        assert min(rows, key=lambda colour: rows[colour]) == "green"
        assert rows["green"] in range(1, 4)
        faces = {**tables.dice.A, **tables.dice.B}
        assert (len(tables.dice.A), len(tables.dice.B), len(faces)) == (6, 6, 12)
        assert {"I2", "I3", "V3"} < set(faces)
        for name, drawing in faces.items():
            assert set(read_drawing(drawing)) == set(SHAPES[name])
            assert drawing.count("o") == 1


def test_a_blokus_dice_list_has_all_shapes_in_six_rows(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("blokus-dice-3p")
    assert isinstance(ruleset, BlokusDiceRuleset)
    drawn = [draw_plausible_ruleset(ruleset, 3, number) for number in range(DRAWS)]
    assert {one.side for one in drawn} == {7, 8, 9, 10}
    graded = 0
    for one in drawn:
        rows = one.shapes_by_row
        assert sorted(name for names in rows.values() for name in names) == sorted(SHAPES)
        assert sorted(map(len, rows.values())) == [3, 3, 3, 4, 4, 4]
        sizes = [len(SHAPES[name]) for row in sorted(rows) for name in rows[row]]
        graded += sizes == sorted(sizes)
    assert DRAWS / 4 < graded < 3 * DRAWS / 4


def test_a_spexxx_board_keeps_what_descriptions_say(catalogue: Catalogue) -> None:
    ruleset = catalogue.find_ruleset("spexxx-3p")
    assert isinstance(ruleset, SpexxxRuleset)
    full_house = dice.hand_number((2, 2, 5, 5, 5)) - dice.FIRST_THROW
    triangles = set()
    for number in range(DRAWS):
        one = draw_plausible_ruleset(ruleset, 4, number)
        assert one.squares.bit_count() == 174
        for mark in "OGYBPR":
            assert one.marks.count(mark) == ruleset.marks.count(mark)
        if number < DRAWS // 4:  # finding the squares of all throws takes long
            assert one.matching_squares[full_house].bit_count() == 6
        points = one.tables.points
        assert (points.orange, points.blue, points.red) == (1, 5, 12)
        assert points.orange < points.green <= points.yellow <= points.blue < points.purple < points.red
        assert points.orange < points.gold < points.silver < points.red
        triangles.add(tuple(row[:6] for row in one.tables.board[6:]))
    assert len(triangles) == 2
