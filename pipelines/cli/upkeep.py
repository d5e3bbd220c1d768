"""The commands that look after runs: verify, rm."""

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import GameError
from pipelines.cli import completion
from pipelines.cli.output import (
    DataOption,
    JsonOption,
    QuietOption,
    WorkersOption,
    open_library,
    print_json,
    print_text,
)
from pipelines.cli.progress import report_progress

if TYPE_CHECKING:
    from pipelines.runs.library import Library, UnfinishedRun
    from pipelines.runs.run import Run


def verify(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...", help="Names of runs, or files.", autocompletion=completion.complete_runs
        ),
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
    from pipelines.simulate.verify import VerificationFailed
    from pipelines.simulate.verify import verify_run as check

    place = open_library(data)
    faults: dict[str, str | None] = {}
    for run in [place.run(name) for name in runs]:
        try:
            with report_progress(run.name, quiet=quiet) as tell:
                check(run, workers=workers, progress=tell, most=games)
            faults[run.name] = None
        except VerificationFailed as wrong:
            faults[run.name] = str(wrong)
        if not as_json:
            whole = games is None or games >= run.summary.games
            which = f"all {run.summary.games}" if whole else f"{games} of {run.summary.games}"
            print_text(f"{run.name}: {faults[run.name] or f'{which} games are as the rules have them'}")
    if as_json:
        print_json([{"run": name, "ok": fault is None, "fault": fault} for name, fault in faults.items()])
    if any(faults.values()):
        raise typer.Exit(1)


def rm(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="Names of runs, finished or not, or files.",
            autocompletion=completion.complete_runs,
        ),
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    data: DataOption = None,
) -> None:
    """Delete runs, finished or not."""
    place = open_library(data)
    found = [_find_run(place, name) for name in runs]
    names = ", ".join(run.name for run in found)
    if not yes and not typer.confirm(f"Delete {names}?", err=True):
        print_text("nothing was deleted", err=True)
        raise typer.Exit(1)
    for run in found:
        run.remove()
        print_text(f"deleted {run.name}")


def _find_run(place: "Library", name: str) -> "Run | UnfinishedRun":
    with suppress(GameError):
        return place.unfinished_run(name)
    return place.run(name)
