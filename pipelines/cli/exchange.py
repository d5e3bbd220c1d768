"""The commands that write and read files of other tools: export, import."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError, unknown_name_error
from pipelines.cli import completion
from pipelines.cli.output import (
    DataOption,
    JsonOption,
    QuietOption,
    open_library,
    print_json,
    print_text,
    text_for_stdout,
)
from pipelines.cli.progress import report_progress
from pipelines.cli.runs import RunArgument

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def _print_schema(asked: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    if asked:
        from pipelines.exchange.json_document import game_schema

        print_text(json.dumps(game_schema(), indent=1))
        raise typer.Exit


def export(
    run: RunArgument,
    game: Annotated[
        int | None, typer.Argument(metavar="[GAME]", min=0, help="Number of a game; all of them if not said.")
    ] = None,
    *,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            help="Games: txt, json, html, for Blokus blksgf. Runs: parquet, csv, or a folder of any of these. "
            "If not said, the ending of --out.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            help="A new file, for a run a new folder. One game goes to stdout without it.",
        ),
    ] = None,
    _schema: Annotated[
        bool,
        typer.Option(
            "--schema", help="Print the JSON Schema of a game and end.", is_eager=True, callback=_print_schema
        ),
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a game, or a whole run, for other tools and people."""
    from pipelines.exchange.export import make_new_folder, write_new_file
    from pipelines.exchange.tables import TABLE_FORMATS, write_tables

    found = open_library(data).run(run)
    ending = chosen or (out.suffix[1:] if out else "") or ("txt" if game is not None else "")
    if not ending:
        raise InvalidError(
            f"say what {found.name} shall become, such as --as parquet; see reroll export --help"
        )
    if game is None:
        place = out or Path(f"{found.name}-{ending}")
        if ending in TABLE_FORMATS:
            with make_new_folder(place) as folder:
                write_tables(found, folder, ending)
            games = found.summary.games
        else:
            games = _write_games(found, ending, place, quiet=quiet)
        _print_export(found, ending, place, games, as_json=as_json)
        return
    if ending in TABLE_FORMATS:
        raise InvalidError(f"{ending} is for whole runs: leave the number of the game out")
    text = _format_game(found, game, ending)
    if out is None:
        typer.echo(text_for_stdout(text), nl=False)
        return
    write_new_file(out, text)
    _print_export(found, ending, out, 1, as_json=as_json)


def _print_export(run: "Run", ending: str, place: Path, games: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": run.name, "format": ending, "path": str(place.absolute()), "games": games})
    else:
        print_text(f"{run.name}: {games} game{'s' * (games != 1)} written to {place}")


def _format_game(run: "Run", game: int, ending: str) -> str:
    """Return a game in one of the formats of games; raise InvalidError if there is none of that name."""
    from pipelines.exchange import game_formats
    from pipelines.exchange.export import game_text
    from pipelines.exchange.html import HTML_SUFFIX, game_page
    from pipelines.exchange.tables import TABLE_FORMATS

    if ending == HTML_SUFFIX:
        return game_page(run, game)
    known = game_formats(run.ruleset(run.game(game).ruleset).game)
    if ending not in known:
        raise unknown_name_error("format", ending, [*known, HTML_SUFFIX, *TABLE_FORMATS])
    return game_text(run, game, known[ending])


def _write_games(run: "Run", ending: str, place: Path, *, quiet: bool) -> int:
    from pipelines.exchange.export import logged_game_ids, make_new_folder

    games = logged_game_ids(run)
    with make_new_folder(place) as folder, report_progress(run.name, quiet=quiet) as tell:
        for done, game in enumerate(games, start=1):
            path = folder / f"{run.name}-{game:06}.{ending}"
            path.write_text(_format_game(run, game, ending), encoding="utf-8")
            if tell:
                tell(done, len(games), None)
    return len(games)


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="Logs (.txt), documents (.json), Pentobi's games (.blksgf), or a folder."
        ),
    ],
    *,
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset",
            metavar="RULESET",
            help="Play by this one, whatever the files name.",
            autocompletion=completion.complete_rulesets,
        ),
    ] = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="What people call the run.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Where the run goes, in place of the library."),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Read games played elsewhere, and check them by the rules.

    They become a run like any other: to be replayed, verified, asked. A wrong ply is told with its file and line.
    """
    from pipelines.cli.simulate import print_run, run_file
    from pipelines.exchange.import_games import plan_import, play_import, run_name

    place = open_library(data)
    planned = plan_import(files, place.catalogue, ruleset=ruleset, title=title)
    for note in planned.notes:
        print_text(f"reroll: {note}", err=True)
    target = place.runs_folder / f"{run_name(files[0])}.duckdb" if out is None else run_file(out)
    with report_progress(planned.design.rules.name, quiet=quiet) as tell:
        run = play_import(planned, target.absolute(), free_name=out is None, progress=tell)
    print_run(run, as_json=as_json)
