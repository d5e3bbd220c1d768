"""The section of a study on one logged game: its result, and a replay that opens at a ply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.design.move_names import name_action
from pipelines.design.short_names import short_names
from pipelines.experiments.review.review_document import find_board
from pipelines.questions.game.answer import answer_game
from pipelines.report.runs import list_run_facts, title_run
from pipelines.report.sheet import Fact, Part, Replay, Sheet
from pipelines.report.tables.review import decision_table
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.experiments.review.review_results import Candidate, Review
    from pipelines.questions.game.answer import GameAnswer
    from pipelines.questions.game.question import GameQuestion
    from pipelines.report.tables.table import Table
    from pipelines.runs.run import Run
    from pipelines.runs.summary import Seat
    from pipelines.studies.sources import StudySource


def describe_game(source: StudySource, run: Run, question: GameQuestion, *, effort: float = 1.0) -> Sheet:
    """Return the sheet of a game that opens after a ply; `effort` multiplies the playouts of a review.

    Raises a GameError if the game cannot be replayed.
    """
    answer = answer_game(question, run, effort=effort)
    scene, step, review = answer.scene, answer.step, answer.review
    name = f"game {question.game + 1} of {run.name}"
    result = write_result(answer.seats, lowest_wins=answer.ruleset.lowest_wins)
    basis = f"{title_run(run)}. {format_count(answer.game.rounds, 'round')}, {format_count(len(scene['steps']), 'move')}."
    if review:
        basis += (
            f" In the review, {review.policy} plays every position of the game on {review.playouts:,} times; "
            "ranges are 95 % intervals."
        )
    return Sheet(
        kind="move" if step else "game",
        title=question.title if step else f"Game {question.game + 1} of {run.name}",
        verdict=step["caption"] if step else result,
        consequences=(result,) if step else (),
        basis=basis,
        parts=(
            Part(
                "moves",
                Replay(
                    f"Replay of {name}",
                    scene,
                    step["ply"] if step else None,
                    answer.review_document(),
                    comments=source.read_comments(run, question.game),
                ),
            ),
            *(Part("mistakes", table) for table in (_tabulate_mistakes(answer, review) if review else ())),
        ),
        facts=(*list_run_facts(run), Fact("Game", str(question.game + 1))),
        commands=tuple(dict.fromkeys((run.summary.command, question.show_command, question.command))),
    )


def _tabulate_mistakes(answer: GameAnswer, review: Review) -> Iterator[Table]:
    """Yield the table of the bad decisions, if there are any, with the names that moves have in the replay."""
    boards = answer.scene["boards"]
    board = boards[find_board(0, boards) or 0]  # the boards of all players have the same labels

    def name_move(move: Candidate) -> str:
        return name_action(answer.ruleset.action(move.action), board)

    table = decision_table(review, answer.question.measure, name_move=name_move)
    if table.rows:
        yield table


def write_result(seats: Sequence[Seat], *, lowest_wins: bool) -> str:
    """Return who won a game and how the others did, in one sentence without a full stop."""
    names = short_names(seat.strategy for seat in seats)

    def name_seat(seat: Seat) -> str:
        return f"player {seat.seat + 1} ({names[seat.strategy]})"

    ordered = sorted(seats, key=lambda seat: (seat.rank, seat.seat))
    winners = [seat for seat in ordered if seat.rank == ordered[0].rank]
    others = [seat for seat in ordered if seat.rank != ordered[0].rank]
    points = f"{winners[0].score:g} point{'s' * (abs(winners[0].score) != 1)}"
    fewer = " (fewer points win)" if lowest_wins else ""
    if len(winners) > 1:
        together = f"{', '.join(map(name_seat, winners[:-1]))} and {name_seat(winners[-1])}"
        start = f"{together} share the win with {points}"
    elif len(seats) == 1:
        start = f"{name_seat(winners[0])} scores {points}"
    else:
        tie = " on the tie-break" if others[0].score == winners[0].score else ""
        start = f"{name_seat(winners[0])} wins{tie} with {points}"
    rest = ", ".join(f"{name_seat(seat)} has {seat.score}" for seat in others)
    return f"{start}{fewer}{f'; {rest}' if rest else ''}"
