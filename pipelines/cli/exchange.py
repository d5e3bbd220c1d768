"""The commands that write and read files of other programs: export, import."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError, unknown_name_error
from pipelines.cli import completion, options
from pipelines.cli.output import print_json, print_run, print_text, text_for_stdout
from pipelines.cli.progress import report_progress
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def _print_schema(requested: bool) -> None:  # noqa: FBT001 - typer passes the value of the option
    if requested:
        from pipelines.exchange.game_files import game_schema

        print_text(json.dumps(game_schema(), indent=1))
        raise typer.Exit


def export(
    run: options.RunArgument,
    *,
    game: Annotated[
        int | None,
        typer.Option(
            "--game",
            metavar="N",
            min=1,
            help="Number of a game; the first one is 1; by default the whole run.",
        ),
    ] = None,
    chosen: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="FORMAT",
            autocompletion=completion.complete_formats,
            help="A game: txt, json, html, and for Blokus blksgf. A run: parquet, csv, ro-crate, or a folder of games in one of "
            "these formats. By default, the suffix of --out decides.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="PATH",
            help="A new file, or for a run a new folder. Without it a game is printed to stdout.",
        ),
    ] = None,
    _schema: Annotated[
        bool,
        typer.Option(
            "--schema", help="Show the JSON Schema of a game and exit.", is_eager=True, callback=_print_schema
        ),
    ] = False,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Give away a game or a run in other forms, for other programs."""
    from pipelines.exchange.game_files import make_new_folder, write_new_file
    from pipelines.exchange.run_files import CRATE_FORMAT, TABLE_FORMATS, write_crate, write_tables

    stored = options.open_library(data).run(run)
    suffix = chosen or (out.suffix[1:] if out else "") or ("txt" if game is not None else "")
    if not suffix:
        raise InvalidError(
            f"name the format to export {stored.name} to, such as --as parquet; see reroll export --help"
        )
    if game is None:
        folder_path = out or Path(f"{stored.name}-{suffix}")
        if suffix in TABLE_FORMATS or suffix == CRATE_FORMAT:
            with make_new_folder(folder_path) as folder:
                if suffix == CRATE_FORMAT:
                    write_crate(stored, folder)
                else:
                    write_tables(stored, folder, suffix)
            games = stored.summary.games
        else:
            games = _write_games(stored, suffix, folder_path, quiet=quiet)
        _print_export(stored, suffix, folder_path, games, as_json=as_json)
        return
    if suffix in TABLE_FORMATS or suffix == CRATE_FORMAT:
        raise InvalidError(f"{suffix} is for whole runs: leave out --game")
    text = _format_game(stored, game - 1, suffix)
    if out is None:
        typer.echo(text_for_stdout(text), nl=False)
        return
    write_new_file(out, text)
    _print_export(stored, suffix, out, 1, as_json=as_json)


def _print_export(run: "Run", suffix: str, path: Path, games: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": run.name, "format": suffix, "path": str(path.absolute()), "games": games})
    else:
        print_text(f"{run.name}: {format_count(games, 'game')} written to {path}")


def _format_game(run: "Run", game: int, suffix: str) -> str:
    """Return a game in one of the formats of games; raise InvalidError if that name is unknown."""
    from pipelines.exchange import game_formats
    from pipelines.exchange.game_files import HTML_SUFFIX, game_page, game_text
    from pipelines.exchange.run_files import CRATE_FORMAT, TABLE_FORMATS

    if suffix == HTML_SUFFIX:
        return game_page(run, game)
    formats = game_formats(run.ruleset(run.game(game).ruleset).game)
    if suffix not in formats:
        raise unknown_name_error("format", suffix, [*formats, HTML_SUFFIX, *TABLE_FORMATS, CRATE_FORMAT])
    return game_text(run, game, formats[suffix])


def _write_games(run: "Run", suffix: str, folder_path: Path, *, quiet: bool) -> int:
    """Write every logged game to a file in a new folder and return their number."""
    from pipelines.exchange.game_files import logged_game_ids, make_new_folder

    games = logged_game_ids(run)
    with make_new_folder(folder_path) as folder, report_progress(run.name, quiet=quiet) as update_progress:
        for done, game in enumerate(games, start=1):
            file = folder / f"{run.name}-{game + 1:06}.{suffix}"
            file.write_text(_format_game(run, game, suffix), encoding="utf-8")
            if update_progress:
                update_progress(done, len(games), None)
    return len(games)


def import_(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Logs (.txt), documents (.json), games of Pentobi (.blksgf), or a folder of such files.",
        ),
    ],
    *,
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset",
            metavar="RULESET",
            help="Check the games by this ruleset, not by the one that the files name.",
            autocompletion=completion.complete_rulesets,
        ),
    ] = None,
    title: options.TitleOption = None,
    name: options.NameOption = None,
    out: options.OutOption = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Import games played elsewhere and check them by the rules.

    They become a run that can be replayed, verified and queried like any other. If a ply breaks a rule, the error names
    its file and line.
    """
    from pipelines.exchange.import_games import plan_import, play_import, run_name

    library = options.open_library(data)
    target, free_name = options.choose_run_file(library, name, out, run_name(files[0]))
    plan = plan_import(files, library.catalogue, ruleset=ruleset, title=title)
    for note in plan.notes:
        print_text(f"reroll: {note}", err=True)
    was_missing = not library.folder.exists()
    with report_progress(plan.design.rules.name, quiet=quiet) as update_progress:
        run = play_import(plan, target, free_name=free_name, progress=update_progress)
    options.announce_new_folder(library, target=target, was_missing=was_missing, quiet=quiet)
    print_run(run, as_json=as_json)
