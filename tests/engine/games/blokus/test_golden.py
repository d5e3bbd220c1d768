"""These rules reproduce games and lists of legal moves recorded from Pentobi (golden/README.md)."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engine.games.blokus.rules import BlokusState, start_state
from engine.games.blokus.ruleset import BlokusRuleset
from engine.notation import format_squares, read_cell
from tests.engine.playing import compiled_kernel, find_shipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GOLDEN_FOLDER = Path(__file__).parent / "golden"
VARIANT_RULESETS = {
    "classic": "blokus-fixed-4p",
    "classic_2": "blokus-fixed-2p",
    "classic_3": "blokus-fixed-3p",
    "duo": "blokus-duo",
}
every_variant = pytest.mark.parametrize("variant", VARIANT_RULESETS)


def ruleset_of(variant: str) -> BlokusRuleset:
    return find_shipped(BlokusRuleset, VARIANT_RULESETS[variant])


def read_records(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(GOLDEN_FOLDER / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def action_number(ruleset: BlokusRuleset, colour: int, cells: Iterable[int]) -> int:
    return ruleset.read_action(f"{ruleset.colour_letters[colour]}:{format_squares(cells, ruleset.side)}")


@cache
def action_cells(variant: str, action: int) -> tuple[tuple[int, ...], str]:
    cells = ruleset_of(variant).action(action).cells
    return cells, ",".join(map(str, cells))


@cache
def placements_fingerprint(variant: str, actions: tuple[int, ...]) -> list[int | str]:
    """Return the number and the hash of placements in the recorded form."""
    text = ";".join(squares for _, squares in sorted(action_cells(variant, action) for action in actions))
    return [len(actions), hashlib.sha256(text.encode()).hexdigest()[:16]]


def play_outs(state: BlokusState) -> tuple[BlokusState, list[int]]:
    """Play all `out` actions that come next; return the state after them and their colours."""
    out_colours = []
    while not state.is_over and state.actions[0] >= state.ruleset.first_out_action:
        out_colours.append(state.turn)
        state = state.play(state.actions[0])
    return state, out_colours


@pytest.mark.slow
@every_variant
def test_recorded_games_have_these_legal_placements_and_scores(variant: str) -> None:
    """BK-1 to BK-10: the placements of every colour at every position, and the scores at the end."""
    games = list(read_records(variant))
    assert len(games) == 15
    for game in games:
        ruleset = ruleset_of(variant)
        state = start_state(ruleset)
        for position in game["positions"]:
            state, out_colours = play_outs(state)
            assert set(out_colours) <= set(position["skipped"])
            assert all(state.colours[colour].is_out for colour in position["skipped"])
            assert (state.turn, state.seat) == (position["color"], position["player"])
            assert placements_fingerprint(variant, tuple(state.actions)) == [
                position["count"],
                position["hash"],
            ]
            for colour, recorded in enumerate(position["all"]):
                assert placements_fingerprint(variant, tuple(state.legal_placements(colour))) == recorded
            state = state.play(action_number(ruleset, state.turn, position["move"]))
        state, _ = play_outs(state)
        assert state.is_over
        final = game["final"]
        assert [colour.points + 89 for colour in state.colours] == final["points"]
        assert [colour.squares.bit_count() for colour in state.colours] == final["squares"]
        assert [colour.left.bit_count() for colour in state.colours] == final["pieces_left"]
        own = [[final["points"][colour] - 89 for colour in held] for held in ruleset.seat_colours]
        assert state.scores == tuple(map(sum, own))


@every_variant
def test_recorded_games_have_these_legal_placements_in_the_kernel_too(variant: str) -> None:
    """Count and hash at every position, and the scores at the end: golden/README.md."""
    ruleset = ruleset_of(variant)
    kernel = compiled_kernel(ruleset)

    def play_outs_there(position: Any) -> Any:  # noqa: ANN401 - a kernel's own
        while len(found := kernel.actions(position)) == 1 and found[0] >= ruleset.first_out_action:
            position = kernel.apply_action(position, int(found[0]))
        return position

    for game in read_records(variant):
        position = kernel.pack(start_state(ruleset))
        for recorded in game["positions"]:
            position = play_outs_there(position)
            legal = tuple(kernel.actions(position).tolist())
            assert placements_fingerprint(variant, legal) == [recorded["count"], recorded["hash"]]
            position = kernel.apply_action(
                position, action_number(ruleset, recorded["color"], recorded["move"])
            )
        position = play_outs_there(position)
        assert len(kernel.actions(position)) == 0
        end = kernel.unpack(position)
        assert isinstance(end, BlokusState)
        assert [colour.points + 89 for colour in end.colours] == game["final"]["points"]


@every_variant
def test_recorded_games_hold_both_bonuses(variant: str) -> None:
    """BK-8: the test above covers both bonuses."""
    bonuses = {bonus for game in read_records(variant) for bonus in game["final"]["bonus"]}
    assert bonuses == {0, 15, 20}


@every_variant
def test_recorded_positions_have_these_lists_of_placements(variant: str) -> None:
    positions = list(read_records(f"{variant}_full"))
    assert len(positions) == 10
    for position in positions:
        ruleset = ruleset_of(variant)
        state = start_state(ruleset)
        for colour, cells in position["history"]:
            state, _ = play_outs(state)
            assert state.turn == colour
            state = state.play(action_number(ruleset, colour, cells))
        for colour, legal in enumerate(position["legal"]):
            placements = sorted(action_cells(variant, action)[0] for action in state.legal_placements(colour))
            assert placements == list(map(tuple, legal))
        state, _ = play_outs(state)
        assert state.turn == position["color"]
        assert len(state.actions) == position["count"]


@pytest.mark.parametrize("variant", ["classic", "classic_2", "duo"])
def test_files_written_by_pentobi_play_to_the_end(variant: str) -> None:
    text = (GOLDEN_FOLDER / f"sample_{variant}.blksgf").read_text(encoding="utf-8")
    nodes = re.findall(r";([1-4BW])\[([a-t0-9,]+)\]", text)
    assert len(nodes) > 20
    ruleset = ruleset_of(variant)
    state = start_state(ruleset)
    for name, squares in nodes:
        state, _ = play_outs(state)
        assert state.turn == ("BW" if variant == "duo" else "1234").index(name)
        placement = action_number(
            ruleset, state.turn, [read_cell(text, ruleset.side, ruleset.side) for text in squares.split(",")]
        )
        state = state.play(placement)
    assert play_outs(state)[0].is_over
