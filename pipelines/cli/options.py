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
        help="Data folder; by default REROLL_DATA, else data/ of the checkout, else the user's data folder.",
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
        help="Number of worker processes; by default one per processor.",
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
        "Repeatable.",
    ),
]
AllowProgramsOption = Annotated[
    bool, typer.Option("--allow-programs", help="Let the run start the programs that play in it.")
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
        "--seed", metavar="S", min=0, help="Seed of all luck; by default a random seed, which is printed."
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
NameOption = Annotated[
    str | None,
    typer.Option(
        "--name", metavar="NAME", help="Name of the run in the library; by default the ruleset and the time."
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the run to this file, not into the library."),
]


def open_library(data: Path | None) -> "Library":
    """Return the library in a data folder, or the user's library."""
    from pipelines.runs.library import Library

    return Library(data)


def choose_run_file(
    library: "Library", name: str | None, out: Path | None, default_name: str
) -> tuple[Path, bool]:
    """Return the path of a new run, and whether another name may be found for it if a run has that name already.

    Raises InvalidError if both --name and --out are given, and for a name that is not allowed or that a run has.
    """
    from pipelines.runs.names import check_name_free, check_run_name, run_path

    if name is not None and out is not None:
        raise InvalidError("give either --name, for a run in the library, or --out, for a file elsewhere")
    if out is not None:
        return run_file(out).absolute(), False
    if name is not None:
        check_run_name(name)
        check_name_free(library.runs_folder, name)
    return run_path(library.runs_folder, name or default_name).absolute(), name is None


def run_file(out: Path) -> Path:
    """Return the path given by --out with the suffix .duckdb, which a person may leave out.

    Raises InvalidError if the path has no name of a file.
    """
    if out.name in {"", ".."}:
        raise InvalidError(f"--out {out}: expected the name of a new file, such as {out / 'games.duckdb'}")
    return out if out.suffix == ".duckdb" else out.with_name(f"{out.name}.duckdb")
