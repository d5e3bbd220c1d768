"""The sheet of a lesson, whose words do not say what was played, and the lesson as the board and files read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.design.titles import name_actions, name_match
from pipelines.experiments.review import (
    alternatives_document,
    decision_record,
    loss_record,
)
from pipelines.report.estimates import format_interval
from pipelines.report.runs import list_run_facts
from pipelines.report.sheet import Part, Replay, Sheet
from pipelines.report.table import Table
from pipelines.report.whatif import name_quick_players
from pipelines.report.wording import format_count, format_run_title

if TYPE_CHECKING:
    from engine.scene import Scene
    from pipelines.experiments.lessons import Lesson
    from pipelines.experiments.review_results import Loss
    from pipelines.questions.game import GameAnswer
    from pipelines.statistics import Interval

MOVES_TITLE: Final = "What the moves lose against the best one"


def compose_lesson(answer: GameAnswer, lesson: Lesson) -> Sheet:
    """Return the sheet of a lesson. What was played stands only among its details."""
    question, run, decision = answer.question, answer.run, lesson.decision
    names = [seat.strategy for seat in answer.seats]
    match = name_match(answer.ruleset, names)
    losses = lesson.judge_likely()
    return Sheet(
        kind="lesson",
        title=question.describe(match),
        verdict=f"player {decision.seat + 1} is to move: find a good move among {format_count(decision.options, 'legal move')}",
        basis=(
            f"{format_run_title(run.summary)}. A move is judged {name_quick_players(lesson.reviewer.policy)}, "
            f"by up to {decision.chosen.n:,} playouts; ranges are 95 % intervals."
        ),
        parts=(
            Part(
                "moves",
                Replay(
                    f"Lesson of a game of {match}",
                    answer.scene,
                    decision.ply - 1 if decision.ply else None,
                    run=run.name,
                    game_id=question.game,
                    lesson=write_lesson_document(lesson, answer.scene, losses),
                ),
            ),
            Part(
                "worth",
                tabulate_moves(lesson, losses, limit=len(decision.candidates)),
                "details",
                numbers=tabulate_moves(lesson, losses),
            ),
        ),
        facts=list_run_facts(run, question.game),
        commands=tuple(dict.fromkeys((run.summary.command, question.command))),
        fields={
            "run": run.name,
            "game_id": question.game,
            "ply": decision.ply,
            "player": decision.seat,
            "played": decision.chosen.notation,
            "best": decision.best.notation,
            "judged": decision.judged,
        },
    )


def write_lesson_document(
    lesson: Lesson, scene: Scene, losses: dict[int, Loss] | None = None
) -> dict[str, Any]:
    """Return a lesson as JSON data. With the `losses` of legal moves, a file judges what one tries without a server."""
    ruleset, decision = lesson.reviewer.ruleset, lesson.decision
    document: dict[str, Any] = {
        "decision": decision_record(decision, ruleset, scene)
        | {"players": name_quick_players(lesson.reviewer.policy), "playouts": decision.chosen.n}
    }
    if losses is None:
        return document
    return document | {
        "look": alternatives_document(lesson.reviewer.states[decision.ply], scene),
        "tries": {
            ruleset.action(action).notation: list(loss_record(loss).values())
            for action, loss in losses.items()
        },
    }


def tabulate_moves(lesson: Lesson, losses: dict[int, Loss], *, limit: int | None = None) -> Table:
    """Return a row for each of at most `limit` moves: what it loses against the best one."""
    chosen, best = lesson.decision.chosen.action, lesson.decision.best.action
    names = name_actions(lesson.reviewer.ruleset, list(losses)[:limit])
    notes = {chosen: "played", best: "played and best" if best == chosen else "best"}
    return Table(
        MOVES_TITLE,
        ("move", "note", "class", "wins of 100 lost", "points lost"),
        tuple(
            (
                name,
                notes.get(action, ""),
                losses[action].judged,
                *map(_write_loss, (losses[action].wins, losses[action].points), (100.0, 1.0)),
            )
            for action, name in names.items()
        ),
    )


def _write_loss(lost: Interval | None, scale: float) -> str | None:
    return format_interval(lost, scale=scale) if lost and lost.half_width else None
