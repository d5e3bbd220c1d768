"""The command that lists the remarkable games of the library: games."""

from typing import Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.options import DataOption, JsonOption, open_existing_library
from pipelines.cli.output import print_csv, print_sheet, print_text
from pipelines.cli.question_options import FROM_FIELD, asks
from pipelines.questions.game_sorts import SORTS


@asks("pipelines.questions.games:GamesQuestion")
def games(
    *,
    sort: Annotated[
        str, typer.Option("--sort", metavar=f"<{'|'.join(SORTS)}>", autocompletion=lambda: list(SORTS))
    ] = FROM_FIELD,
    is_lowest: Annotated[bool, typer.Option("--lowest")] = False,
    rulesets: Annotated[list[str] | None, typer.Option("--ruleset", metavar="RULESET")] = None,
    runs: Annotated[
        list[str] | None, typer.Option("--run", metavar="RUN", autocompletion=completion.complete_runs)
    ] = None,
    winner: Annotated[str, typer.Option("--winner", metavar="STRATEGY")] = FROM_FIELD,
    low: Annotated[int | None, typer.Option("--from", metavar="N")] = None,
    high: Annotated[int | None, typer.Option("--to", metavar="N")] = None,
    where: Annotated[str, typer.Option("--where", metavar="SQL")] = FROM_FIELD,
    only_logged: Annotated[bool, typer.Option("--logged")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N")] = FROM_FIELD,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List games by score, finish, comeback or length.

    The list is of the whole library, game by game, because points of different games cannot be compared; --ruleset, --run,
    --winner, --from, --to and --where choose the games that count.
    """
    from pipelines.questions.games import GamesQuestion, answer_games_with_records
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose

    if as_csv and as_json:
        raise InvalidError("choose one of --csv and --json")
    question = GamesQuestion(
        rulesets=tuple(rulesets or ()),
        runs=tuple(runs or ()),
        sort=sort,
        is_lowest=is_lowest,
        winner=winner,
        low=low,
        high=high,
        where=where,
        only_logged=only_logged,
        limit=limit,
    )
    source = QuestionSource(open_existing_library(data))
    answer = answer_games_with_records(question, source)
    sheet = compose(answer, source.find_looks)
    if as_csv:
        for part in sheet.parts:
            if part.key == "games" and part.numbers:
                print_csv(part.numbers.columns, part.numbers.rows)
    else:
        print_sheet(sheet, as_json=as_json)
        if question.sort == "luck" and not answer.games and not as_json:
            print_text("reroll review RUN --games all reviews the rolls of a run with dice.")
