"""The section of a study on the games that come first in an order: a table, and a replay of the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.questions.games.answer import answer_games
from pipelines.report.sentences.games import describe_games
from pipelines.report.tables.games import tabulate_games
from pipelines.report.wording import format_count
from pipelines.studies.study import Replay, Section

if TYPE_CHECKING:
    from pipelines.questions.games.question import GamesQuestion
    from pipelines.studies.sources import StudySource


def describe_game_list(source: StudySource, question: GamesQuestion) -> Section:
    """Return the section of a list of games. Raises InvalidError for what the library does not have."""
    answer = answer_games(question, source)
    first = next((game for game in answer.games[:1] if game.is_logged), None)
    return Section(
        kind="list of games",
        title=question.title,
        verdict=describe_games(answer),
        basis=" ".join(
            [
                f"{format_count(answer.fitting, 'game')} in {format_count(len(answer.basis.runs), 'run')}, each counted once.",
                *answer.basis.left_out,
            ]
        ),
        tables=(tabulate_games(answer),) if answer.games else (),
        replays=(
            (
                Replay(
                    f"Replay of game {first.game_id + 1} of {first.run}",
                    source.find_run(first.run).scene(first.game_id),
                    first.ply,
                    None,
                    source.read_comments(source.find_run(first.run), first.game_id),
                ),
            )
            if first
            else ()
        ),
        commands=(question.command,),
    )
