"""The commands that look after runs: verify, rm."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from engine.game import GameError
from pipelines.cli import completion
from pipelines.cli.output import (
    DataOption,
    JsonOption,
    QuietOption,
    WorkersOption,
    library,
    print_json,
    say,
)
from pipelines.cli.progress import progress

if TYPE_CHECKING:
    from pipelines.runs.library import Library, Partial
    from pipelines.runs.run import Run


def verify(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Names of runs, or files.", autocompletion=completion.runs),
    ],
    *,
    games: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Play only about N games again, spread over the run."),
    ] = None,
    workers: WorkersOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Play every logged game again and compare every number. Exit code 1 if one differs."""
    from pipelines.simulate.verify import Wrong
    from pipelines.simulate.verify import verify as check

    place = library(data)
    faults: dict[str, str | None] = {}
    for run in [place.run(name) for name in runs]:
        try:
            with progress(run.name, quiet=quiet) as tell:
                check(run, workers=workers, progress=tell, most=games)
            faults[run.name] = None
        except Wrong as wrong:
            faults[run.name] = str(wrong)
        if not as_json:
            whole = games is None or games >= run.summary.games
            which = f"all {run.summary.games}" if whole else f"{games} of {run.summary.games}"
            say(f"{run.name}: {faults[run.name] or f'{which} games are as the rules have them'}")
    if as_json:
        print_json([{"run": name, "ok": fault is None, "fault": fault} for name, fault in faults.items()])
    if any(faults.values()):
        raise typer.Exit(1)


def rm(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Names of runs, finished or not, or files.", autocompletion=completion.runs
        ),
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Delete runs, finished or not."""
    place = library(data)
    found = [_found(place, name) for name in runs]
    names = ", ".join(run.name for run in found)
    if not yes and not typer.confirm(f"Delete {names}?", err=True):
        say("nothing was deleted", err=True)
        raise typer.Exit(1)
    for run in found:
        run.remove()
        say(f"deleted {run.name}")


def _found(place: "Library", name: str) -> "Run | Partial":
    with suppress(GameError):
        return place.partial(name)
    return place.run(name)
