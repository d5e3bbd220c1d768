"""Files of one game: JSON and CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from dashboard.widgets.tables import escape_formula
from engine.actions import CHANCE

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.scene import Scene

REVIEW_COLUMNS = (
    "judged",
    "judged_by_points",
    "better",
    "lost_wins",
    "lost_wins_half",
    "lost_points",
    "lost_points_half",
)


def write_game_json(scene: Scene, ruleset: Ruleset, review: dict[str, Any] | None) -> str:
    """Return a game as JSON: its rules, seats and plies, and the review if there is one."""
    document = {
        "run": scene.get("run"),
        "game_id": scene.get("game_id"),
        "ruleset": ruleset.name,
        "rules": ruleset.document,
        "seats": [
            {"seat": seat, "strategy": strategy, "score": score, "rank": rank}
            for seat, (strategy, score, rank) in enumerate(
                zip(scene["strategies"], scene["steps"][-1]["scores"], scene["ranks"], strict=True)
            )
        ],
        "plies": [
            {key: step[key] for key in ("ply", "round", "seat", "kind", "notation", "caption", "scores")}
            for step in scene["steps"]
        ],
        "review": review,
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def write_game_csv(scene: Scene, review: dict[str, Any] | None) -> str:
    """Return the plies as CSV: a row for each, with the scores of all seats after it and its review if there is one."""
    seats = range(len(scene["start_scores"]))
    columns = ["ply", "round", "seat", "strategy", "kind", "notation", *(f"score_{seat}" for seat in seats)]
    decisions = {decision["ply"]: decision for decision in review["decisions"]} if review else {}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([*columns, *(REVIEW_COLUMNS if review else ())])
    for step in scene["steps"]:
        strategy = "" if step["seat"] == CHANCE else scene["strategies"][step["seat"]]
        row = [
            step["ply"],
            step["round"],
            step["seat"],
            escape_formula(strategy),
            escape_formula(step["kind"]),
            escape_formula(step["notation"]),
            *step["scores"],
        ]
        table.writerow(row + (_review_cells(decisions.get(step["ply"])) if review else []))
    return text.getvalue()


def _review_cells(decision: dict[str, Any] | None) -> list[Any]:
    if decision is None:
        return [""] * len(REVIEW_COLUMNS)
    wins, points = (decision[key] or ["", ""] for key in ("wins", "points"))
    judged = decision["judged"], decision["judged_by_points"]
    return [*judged, escape_formula(decision["better"] or ""), *wins, *points]
