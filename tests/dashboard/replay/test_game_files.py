"""The files of a game hold what was played, and a spreadsheet finds no formula in them."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.replay import write_game_csv, write_game_json
from engine.actions import CHANCE

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.runs.library import Library

ReviewDocument = dict[str, Any]


@pytest.fixture
def review() -> ReviewDocument:
    """A review with one mistake."""
    slip = {
        "ply": 1,
        "judged": "mistake",
        "judged_by_points": "good",
        "better": "=1+1",
        "wins": [0.12, 0.02],
        "points": None,
    }
    return {"decisions": [slip]}


@pytest.fixture
def scene(library: Library) -> Scene:
    """A whole game."""
    return library.run("three").scene(5)


def read_csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_table_has_a_row_for_every_ply(library: Library, scene: Scene) -> None:
    rows = read_csv_rows(write_game_csv(scene, None))
    with library.run("three").connect() as con:
        log = con.execute(
            "SELECT ply, round, seat, kind, notation, score FROM log WHERE game_id = 5 ORDER BY ply"
        ).fetchall()
    assert len(rows) == len(log)
    for row, (ply, round_, seat, kind, notation, score) in zip(rows, log, strict=True):
        assert (row["ply"], row["round"], row["seat"]) == (str(ply), str(round_), str(seat))
        assert (row["kind"], row["notation"]) == (kind, notation)
        if seat == CHANCE:
            assert row["strategy"] == ""
        else:
            assert row["strategy"] == library.run("three").list_seats(5)[seat].strategy
            assert row[f"score_{seat}"] == str(score)
    assert "judged" not in rows[0]


def test_a_reviewed_table_says_what_was_judged(scene: Scene, review: ReviewDocument) -> None:
    rows = read_csv_rows(write_game_csv(scene, review))
    assert [row["ply"] for row in rows if row["judged"]] == ["1"]
    assert rows[1]["judged_by_points"] == "good"
    assert (rows[1]["judged"], rows[1]["lost_wins"], rows[1]["lost_wins_half"]) == (
        "mistake",
        "0.12",
        "0.02",
    )
    assert rows[1]["lost_points"] == ""


def test_a_spreadsheet_evaluates_no_text_of_a_game(scene: Scene, review: ReviewDocument) -> None:
    assert read_csv_rows(write_game_csv(scene, review))[1]["better"] == "'=1+1"
    hostile: Scene = {**scene, "strategies": ["@SUM(1)", "-2+3", "random"]}
    assert {row["strategy"] for row in read_csv_rows(write_game_csv(hostile, None))} == {
        "",
        "'@SUM(1)",
        "'-2+3",
        "random",
    }


def test_json_holds_the_rules_the_seats_and_every_ply(
    library: Library, scene: Scene, review: ReviewDocument
) -> None:
    run = library.run("three")
    ruleset = run.ruleset(run.game(5).ruleset)
    document = json.loads(write_game_json(scene, ruleset, review))
    assert (document["run"], document["game_id"], document["ruleset"]) == ("three", 5, "bloxx-3p")
    assert document["rules"] == json.loads(json.dumps(ruleset.document))
    assert document["seats"] == [
        {"seat": seat.seat, "strategy": seat.strategy, "score": seat.score, "rank": seat.rank}
        for seat in run.list_seats(5)
    ]
    notations = [ruleset.action(action).notation for action in run.actions(5)]
    assert [ply["notation"] for ply in document["plies"]] == notations
    assert document["review"] == review
