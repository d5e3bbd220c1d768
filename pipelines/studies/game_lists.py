"""The section of a study on the games that come first in an order: a table, and a replay of the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.questions.games.answer import answer_games
from pipelines.report.sentences.games import describe_games
from pipelines.report.sheet import Part, Replay, Sheet
from pipelines.report.tables.games import tabulate_games
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.questions.games.answer import GamesAnswer, ListedGame
    from pipelines.questions.games.question import GamesQuestion
    from pipelines.studies.sources import StudySource


def describe_game_list(source: StudySource, question: GamesQuestion) -> Sheet:
    """Return the sheet of a list of games. Raises InvalidError for what the library does not have."""
    answer = answer_games(question, source)
    first = next((game for game in answer.games[:1] if game.is_logged), None)
    return Sheet(
        kind="list of games",
        title=question.title,
        verdict=describe_games(answer),
        basis=" ".join(
            [
                f"{format_count(answer.fitting, 'game')} in {format_count(len(answer.basis.runs), 'run')}, each counted once.",
                *answer.basis.left_out,
            ]
        ),
        parts=tuple(_list_parts(source, answer, first)),
        commands=(question.command,),
    )


def _list_parts(source: StudySource, answer: GamesAnswer, first: ListedGame | None) -> Iterator[Part]:
    """Yield the replay of the first game and the table of all, as far as there are any."""
    if first:
        run = source.find_run(first.run)
        replay = Replay(
            f"Replay of game {first.game_id + 1} of {first.run}",
            run.scene(first.game_id),
            first.ply,
            run=run.name,
            game_id=first.game_id,
        )
        yield Part("moves", replay)
    if answer.games:
        yield Part("games", tabulate_games(answer))
