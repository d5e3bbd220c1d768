"""Options and arguments that several commands share."""

# Typer reads these annotations when the program runs, so they are not written as strings.
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli import completion

if TYPE_CHECKING:
    from pipelines.runs.library import Library

RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Name of a run in the library, or a run file.",
        autocompletion=completion.complete_runs,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Data folder. Default: REROLL_DATA, else data/ of the checkout, else the user's data folder.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="Number of worker processes. Default: one per processor.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Play on a Dask cluster, such as tcp://host:8786. Its workers must see the data folder under the same path.",
    ),
]
CodeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--code",
        metavar="FILE",
        help="Python file with strategies of your own, which are functions of `state, source`. The file is executed. "
        "Repeat the option for several files.",
    ),
]
DecisionSecondsOption = Annotated[
    float,
    typer.Option(
        "--decision-seconds",
        metavar="S",
        min=0.01,
        max=86_400,
        help="Time limit for each decision of a strategy of your own.",
    ),
]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="S", min=0, help="Seed of all luck. Default: a random seed, which is printed."
    ),
]
LogOption = Annotated[
    str,
    typer.Option(
        "--log",
        metavar="full|scores|sample=F",
        help="Which plies to save: all, none, or those of a share F of the blocks.",
    ),
]
TitleOption = Annotated[
    str | None, typer.Option("--title", metavar="TEXT", help="Title of the run, shown to people.")
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the run to this file, not into the library."),
]


def open_library(data: Path | None) -> "Library":
    """Return the library in a data folder, or the user's library."""
    from pipelines.runs.library import Library

    return Library(data)


def run_file(out: Path) -> Path:
    """Return the path given by --out with the suffix .duckdb, which a person may leave out.

    Raises InvalidError if the path has no name of a file.
    """
    if out.name in {"", ".."}:
        raise InvalidError(f"--out {out}: expected the name of a new file, such as {out / 'games.duckdb'}")
    return out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")
