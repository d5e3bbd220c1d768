"""The commands that write and read files of other tools: export, import."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.game import InvalidError, unknown
from pipelines.cli import completion
from pipelines.cli.output import DataOption, JsonOption, QuietOption, for_stdout, library, print_json, say
from pipelines.cli.progress import progress
from pipelines.cli.runs import RunArgument

if TYPE_CHECKING:
    from pipelines.runs.run import Run


def _say_schema(asked: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    if asked:
        from pipelines.exchange.json_document import schema

        say(json.dumps(schema(), indent=1))
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
            "--schema", help="Print the JSON Schema of a game and end.", is_eager=True, callback=_say_schema
        ),
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Write a game, or a whole run, for other tools and people."""
    from pipelines.exchange.export import new_file, new_folder
    from pipelines.exchange.tables import FORMATS, write_tables

    found = library(data).run(run)
    ending = chosen or (out.suffix[1:] if out else "") or ("txt" if game is not None else "")
    if not ending:
        raise InvalidError(
            f"say what {found.name} shall become, such as --as parquet; see reroll export --help"
        )
    if game is None:
        place = out or Path(f"{found.name}-{ending}")
        if ending in FORMATS:
            with new_folder(place) as folder:
                write_tables(found, folder, ending)
            games = found.summary.games
        else:
            games = _write_games(found, ending, place, quiet=quiet)
        _say(found, ending, place, games, as_json=as_json)
        return
    if ending in FORMATS:
        raise InvalidError(f"{ending} is for whole runs: leave the number of the game out")
    text = _text(found, game, ending)
    if out is None:
        typer.echo(for_stdout(text), nl=False)
        return
    new_file(out, text)
    _say(found, ending, out, 1, as_json=as_json)


def _say(run: "Run", ending: str, place: Path, games: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"run": run.name, "format": ending, "path": str(place.absolute()), "games": games})
    else:
        say(f"{run.name}: {games} game{'s' * (games != 1)} written to {place}")


def _text(run: "Run", game: int, ending: str) -> str:
    """Return a game in one of the formats of games; raise InvalidError if there is none of that name."""
    from pipelines.exchange import formats
    from pipelines.exchange.export import game_text
    from pipelines.exchange.html import SUFFIX, game_page
    from pipelines.exchange.tables import FORMATS

    if ending == SUFFIX:
        return game_page(run, game)
    known = formats(run.ruleset(run.game(game).ruleset).game)
    if ending not in known:
        raise unknown("format", ending, [*known, SUFFIX, *FORMATS])
    return game_text(run, game, known[ending])


def _write_games(run: "Run", ending: str, place: Path, *, quiet: bool) -> int:
    from pipelines.exchange.export import logged_games, new_folder

    games = logged_games(run)
    with new_folder(place) as folder, progress(run.name, quiet=quiet) as tell:
        for done, game in enumerate(games, start=1):
            path = folder / f"{run.name}-{game:06}.{ending}"
            path.write_text(_text(run, game, ending), encoding="utf-8")
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
            autocompletion=completion.rulesets,
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
    from pipelines.cli.simulate import run_file, show_run
    from pipelines.exchange.import_games import imported, plan, run_name

    place = library(data)
    planned = plan(files, place.catalogue, ruleset=ruleset, title=title)
    for note in planned.notes:
        say(f"reroll: {note}", err=True)
    target = place.runs_folder / f"{run_name(files[0])}.duckdb" if out is None else run_file(out)
    with progress(planned.design.rules.name, quiet=quiet) as tell:
        run = imported(planned, target.absolute(), free_name=out is None, progress=tell)
    show_run(run, as_json=as_json)
