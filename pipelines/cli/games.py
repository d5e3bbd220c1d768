"""The command that lists the remarkable games of the library: games."""

from typing import Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.options import DataOption, JsonOption, number_option, open_library, text_option
from pipelines.cli.output import print_csv, print_json, print_sheet
from pipelines.design.limits import (
    LISTED_GAMES,
    MAX_CONDITION_CHARACTERS,
    MAX_STRATEGY_CHARACTERS,
    SCORE_RANGE,
)
from pipelines.questions.games.sorts import CONDITION_COLUMNS, SortKey


def games(
    *,
    sort: Annotated[SortKey, typer.Option("--sort", help="What to sort by.")] = "score",
    is_lowest: Annotated[
        bool,
        typer.Option(
            "--lowest", help="Begin with the other end: closest finish, shortest game, worst score."
        ),
    ] = False,
    ruleset: Annotated[
        list[str] | None,
        typer.Option("--ruleset", metavar="RULESET", help="Only games under this ruleset. Repeatable."),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Only games of this run. Repeatable.",
            autocompletion=completion.complete_runs,
        ),
    ] = None,
    winner: Annotated[
        str, text_option("--winner", MAX_STRATEGY_CHARACTERS, "STRATEGY", "Only games that it won.")
    ] = "",
    low: Annotated[
        int | None, number_option("--from", SCORE_RANGE, "Only games in which a player scores at least N.")
    ] = None,
    high: Annotated[
        int | None, number_option("--to", SCORE_RANGE, "Only games in which a player scores at most N.")
    ] = None,
    where: Annotated[
        str,
        text_option(
            "--where",
            MAX_CONDITION_CHARACTERS,
            "SQL",
            f"Only games with this property, such as 'rounds < 12 AND margin = 1'. Columns: {CONDITION_COLUMNS}.",
        ),
    ] = "",
    only_logged: Annotated[
        bool,
        typer.Option("--logged", help="Only games that can be replayed, because their moves are logged."),
    ] = False,
    most: Annotated[
        int, number_option("-n", LISTED_GAMES, "Number of games to list of each game.")
    ] = LISTED_GAMES.default,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List games by score, finish, comeback or luck.

    The list is of the whole library, game by game, because points of different games cannot be compared; --ruleset, --run,
    --winner, --from, --to and --where choose the games that count. Luck is by how much more a player scores than the others in
    all games of a block, in which each strategy has each seat with the same luck, beyond the usual difference of these seats.
    """
    from pipelines.questions.games.answer import answer_games_with_records
    from pipelines.questions.games.question import GamesQuestion
    from pipelines.questions.source import QuestionSource
    from pipelines.report.compose import compose
    from pipelines.report.show.json import sheet_document

    if as_csv and as_json:
        raise InvalidError("choose one of --csv and --json")
    question = GamesQuestion(
        rulesets=tuple(ruleset or ()),
        runs=tuple(run or ()),
        sort=sort,
        is_lowest=is_lowest,
        winner=winner,
        low=low,
        high=high,
        where=where,
        only_logged=only_logged,
        most=most,
    )
    source = QuestionSource(open_library(data))
    sheet = compose(answer_games_with_records(question, source), source.find_looks)
    if as_json:
        print_json(sheet_document(sheet))
    elif as_csv:
        for table in sheet.tables[:1]:
            print_csv(table.columns, table.rows)
    else:
        print_sheet(sheet)
