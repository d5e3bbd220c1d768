"""The JSON document of a review holds the values and intervals of the review, also while it is being computed."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.stats import norm

from engine.actions import CHANCE
from pipelines.design.designs import design_simulation
from pipelines.experiments.review import (
    LARGE_ROLL_WIN_SHARE,
    UnfinishedReview,
    alternatives_document,
    build_review_document,
    decision_record,
    find_board,
    start_review,
)
from pipelines.experiments.review_results import Roll
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from engine.scene import Scene
    from pipelines.runs.run import Run

every_game = pytest.mark.parametrize(
    "name", ["bloxx-3p", "blokus-duo", "blokus-dice-3p", "spexxx-children-2p"]
)


@pytest.fixture(scope="module")
def four_games_library(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with a random game of four rulesets."""
    folder = tmp_path_factory.mktemp("four")
    for name in ("bloxx-3p", "blokus-duo", "blokus-dice-3p", "spexxx-children-2p"):
        ruleset = catalogue.find_ruleset(name)
        design = design_simulation(ruleset, ["random"] * ruleset.players, blocks=1, seed=5)
        simulate_run(design, folder / "runs" / f"{name}.duckdb", workers=1)
    return Library(folder)


@cache
def complete_review(run: Run) -> UnfinishedReview:
    """The complete review of game 0, with a tenth of the playouts. No test may change it."""
    review = start_review(run, 0, policy="random", effort=0.1)
    review.finish()
    return review


def make_document(review: UnfinishedReview, scene: Scene) -> Any:  # noqa: ANN401 - JSON has many types
    return json.loads(json.dumps(build_review_document(review.summarise(), review.reviewer.ruleset, scene)))


@every_game
def test_squares_of_an_action_lie_where_the_scene_paints_them(four_games_library: Library, name: str) -> None:
    run = four_games_library.run(name)
    scene, ruleset = run.scene(0), run.ruleset(name)
    seen = 0
    for action, step in zip(run.actions(0), scene["steps"], strict=True):
        if step["seat"] == CHANCE or not ruleset.action(action).cells:
            continue
        painted = [[board, cell] for board, cell, mark in step["paint"] if mark != "gap"]
        board = find_board(step["seat"], scene["boards"])
        assert sorted([board, cell] for cell in ruleset.action(action).cells) == sorted(painted)
        seen += 1
    assert seen > 5


@every_game
def test_a_move_has_one_name_in_a_review_and_among_all_legal_moves(
    four_games_library: Library, name: str
) -> None:
    """So a review, the best moves, a lesson and a what-if call it alike."""
    run = four_games_library.run(name)
    work, scene = complete_review(run), run.scene(0)
    listed = 0
    for decision in work.summarise().decisions:
        state = work.reviewer.states[decision.ply]
        legal = {one["action"]: one.get("name") for one in alternatives_document(state, scene)["options"]}
        placed = [known for known in legal.values() if known]
        assert len(set(placed)) == len(placed)
        for move in decision_record(decision, work.reviewer.ruleset, scene)["moves"]:
            assert move.get("name") == legal[move["action"]]
            listed += "name" in move
    assert listed > 5


@every_game
def test_the_document_holds_the_review(four_games_library: Library, name: str) -> None:
    run = four_games_library.run(name)
    work, scene = complete_review(run), run.scene(0)
    expected, document = work.summarise(), make_document(work, scene)
    assert (document["policy"], document["playouts"], document["error"]) == (
        "random",
        work.reviewer.position_playouts,
        "",
    )
    assert document["done"] == document["steps"] == work.steps
    for part, course in enumerate((document["scores"], document["wins"])):
        truth = [
            [(one.estimate, one.half_width) for one in work.values[ply][part]]
            for ply in range(work.plies + 1)
        ]
        assert np.array(course) == pytest.approx(np.array(truth), abs=0.001)
    assert [value for value, _ in document["scores"][-1]] == list(scene["steps"][-1]["scores"])
    for record, decision in zip(document["decisions"], expected.decisions, strict=True):
        is_best = decision.best.action == decision.chosen.action
        assert record["better"] == (None if is_best else decision.best.notation)
        assert record["judged"] == decision.judged
        assert [move["action"] for move in record["moves"]] == [one.notation for one in decision.candidates]
        for move, one in zip(record["moves"], decision.candidates, strict=True):
            assert one.win_share
            half = one.win_share.half_width
            assert move["wins"] == pytest.approx([one.win_share.estimate, half], abs=0.001)
            # That moves are clearly behind the first one holds for all at once (Bonferroni).
            wider = norm.ppf(1 - 0.025 / len(decision.candidates)) / norm.ppf(0.975)
            for key, lost in (("behind_by_win", one.wins_behind), ("behind_by_points", one.points_behind)):
                assert move[key] == bool(lost and lost.estimate > wider * (lost.estimate - lost.low))
            assert move.get("cells", []) == list(work.reviewer.ruleset.action(one.action).cells)
        assert record["judged_by_points"] == decision.judged_by_points
        assert record["nearly_decided"] == decision.win_nearly_decided
        assert record["n"] == decision.chosen.n
        lost = decision.lost_wins
        assert lost
        assert record["wins"] == pytest.approx([lost.estimate, lost.half_width], abs=0.001)
    assert len(document["rolls"]) == len(expected.rolls)
    for roll, known in zip(document["rolls"], expected.rolls, strict=True):
        assert [luck for luck, _ in roll["wins"]] == pytest.approx(known.luck_wins, abs=0.001)
        assert [luck for luck, _ in roll["points"]] == pytest.approx(known.luck_points, abs=0.001)
        if roll["large"] is not None:
            luck, half = roll["wins"][roll["large"]]
            assert abs(luck) >= max(LARGE_ROLL_WIN_SHARE, half) - 0.001


def test_a_roll_that_moves_as_much_of_the_win_from_one_seat_to_another_is_that_of_who_gained(
    four_games_library: Library,
) -> None:
    run = four_games_library.run("spexxx-children-2p")
    work = complete_review(run)
    reviewed, halves = work.summarise(), (0.05, 0.05)
    changes = ((-0.3, 0.3), (0.3, -0.3), (-0.31, 0.3), (-0.09, 0.09))
    rolls = tuple(Roll(0, "", change, change, halves, halves) for change in changes)
    document = build_review_document(replace(reviewed, rolls=rolls), work.reviewer.ruleset, run.scene(0))
    assert [roll["large"] for roll in document["rolls"]] == [1, 0, 0, None]


@every_game
def test_ledgers_add_up_and_their_intervals_contain_all_their_values(
    four_games_library: Library, name: str
) -> None:
    run = four_games_library.run(name)
    work, scene = complete_review(run), run.scene(0)
    document = make_document(work, scene)
    for rows, course in (
        (document["ledgers"], document["scores"]),
        (document["win_ledgers"], document["wins"]),
    ):
        for seat, parts in enumerate(rows):
            values = [value for value, _ in parts]
            halves = [half for _, half in parts]
            sign = -1 if rows is document["ledgers"] and work.reviewer.ruleset.lowest_wins else 1
            assert values[0] + sign * sum(values[1:4]) == pytest.approx(values[4], abs=0.003)
            assert (values[0], halves[0]) == pytest.approx(tuple(course[0][seat]), abs=0.001)
            assert halves[4] == 0  # the result is known
            if not document["rolls"]:
                assert (values[1], halves[1]) == (0, 0)
    rolls = [step["ply"] for step in scene["steps"] if step["seat"] == CHANCE]
    if rolls and all(after - before > 1 for before, after in pairwise(rolls)):
        halves = [np.hypot(document["wins"][ply][0][1], document["wins"][ply + 1][0][1]) for ply in rolls]
        assert document["win_ledgers"][0][1][1] == pytest.approx(np.linalg.norm(halves), abs=0.002)


def test_the_document_of_an_unfinished_review_holds_what_is_known(four_games_library: Library) -> None:
    run = four_games_library.run("bloxx-3p")
    done, scene = complete_review(run), run.scene(0)
    whole = make_document(done, scene)
    work = UnfinishedReview(done.reviewer)
    work.values = dict(list(done.values.items())[:3])
    work.decisions = {ply: done.decisions[ply] for ply in sorted(done.decisions)[:2]}
    document = make_document(work, scene)
    assert sum(row is not None for row in document["wins"]) == 3
    assert (document["ledgers"], document["win_ledgers"]) == (None, None)
    assert document["done"] == 5 < document["steps"] == whole["steps"]
    assert all(decision in whole["decisions"] for decision in document["decisions"])
    assert all(roll in whole["rolls"] for roll in document["rolls"])


@every_game
def test_luck_has_the_same_sign_in_the_ledger_and_in_the_table_of_rolls(
    four_games_library: Library, name: str
) -> None:
    """Positive luck is good for the seat, also where the lowest score wins."""
    run = four_games_library.run(name)
    document = make_document(complete_review(run), run.scene(0))
    for seat, parts in enumerate(document["ledgers"]):
        rolls = sum(roll["points"][seat][0] for roll in document["rolls"])
        assert parts[1][0] == pytest.approx(rolls, abs=0.01 * len(document["rolls"]) + 0.01)
