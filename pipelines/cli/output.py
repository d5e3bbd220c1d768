"""What the commands share of the terminal: options, tables, progress, and errors in a line."""

# Annotations are read when the program runs (typer makes options of them), so they are no strings here.
import csv
import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from engine.errors import GameError
from engine.printable import escape_control_characters

if TYPE_CHECKING:
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.statistics import Interval

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="Data folder; else REROLL_DATA, else data/ of the checkout, else the user's data folder.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]
QuietOption = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers", metavar="N", min=1, max=256, help="Processes; as many as processors if not said."
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        help="Play on a Dask cluster, such as tcp://host:8786, whose workers see the data folder under the same path.",
    ),
]
CodeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--code",
        metavar="FILE",
        help="Python file with strategies of your own: functions of `state, source`. It is run. May be said several times.",
    ),
]
DecisionSecondsOption = Annotated[
    float,
    typer.Option(
        "--decision-seconds",
        metavar="S",
        min=0.01,
        max=86_400,
        help="How long a strategy of your own may think about one decision.",
    ),
]


def print_text(text: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Write a text for people. It may hold names and titles from strangers: none of them commands the terminal."""
    typer.echo(escape_control_characters(text), err=err, nl=nl)


def text_for_stdout(text: str) -> str:
    """Return what a file would get as it is; on a terminal somebody looks at it."""
    return escape_control_characters(text) if sys.stdout.isatty() else text


class CommandGroup(TyperGroup):
    """Turns every error that a person can cause into one or two lines on stderr and exit code 2."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer does not export its context's type for subclasses
        """Run a command."""
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            asked = getattr(error, "ctx", None)
            command = asked.command_path if asked else "reroll"
            said = error.format_message() if hasattr(error, "format_message") else str(error)
            if not said:
                raise  # no command at all: the help is shown
            exit_with_error(f"{said.rstrip('.')}; see {command} --help")
        except GameError as error:
            exit_with_error(str(error), code=1 if is_play_failure(error) else 2)
        except BrokenPipeError:  # `reroll ... | head` has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            place = f"{error.filename}: " if error.filename else ""
            exit_with_error(f"{place}{error.strerror or error}")
        except MemoryError:
            exit_with_error(
                "there is not enough memory for this; ask for less at once, or end other programs first",
                code=1,
            )
        except KeyboardInterrupt:
            print_text("interrupted", err=True)
            raise typer.Exit(130) from None
        except Exception as error:
            duckdb = sys.modules.get("duckdb")
            if duckdb is None or not isinstance(error, duckdb.Error):
                raise
            exit_with_error(str(error).splitlines()[0])


def exit_with_error(message: str, code: int = 2) -> NoReturn:
    """Say what was wrong and end."""
    print_text(f"reroll: {message}", err=True)
    raise typer.Exit(code) from None


def is_play_failure(error: GameError) -> bool:
    """Say whether it went wrong in a game, not in what was asked; say how to go on, if anything is kept."""
    simulate = sys.modules.get("pipelines.simulate.simulate")  # not loaded: nothing was played
    if simulate is None or not isinstance(error, (simulate.PlayError, simulate.DiskError)):
        return False
    if error.partial is not None:
        print_resume_hint(error.partial, "failed")
    return True


def print_resume_hint(partial: "UnfinishedRun", how: str) -> None:
    """Say what is kept of a run that ended too early, and how to go on."""
    words = ["reroll", "resume", shlex.quote(str(partial.folder))]
    for code in partial.design.code:
        words += ["--code", shlex.quote(code.file)]
    if partial.design.has_programs:
        words.append("--allow-programs")
    print_text(
        f"{how}: {partial.games_done} of {partial.games} games are kept; go on with: {' '.join(words)}",
        err=True,
    )


def open_library(data: Path | None) -> "Library":
    """Return the library that a command works on."""
    from pipelines.runs.library import Library

    return Library(data)


def print_json(answer: object) -> None:
    """Write JSON to stdout, and nothing else ever goes there with it."""
    typer.echo(text_for_stdout(json.dumps(answer, indent=1, default=str, ensure_ascii=sys.stdout.isatty())))


class _CsvLines:
    """Ends rows as lines end here, while the writer believes the usual end.

    Python before 3.13 quotes a carriage return or a line feed in a text only if it takes it for a part of that end.
    """

    def write(self, row: str) -> None:
        sys.stdout.write(text_for_stdout(row.removesuffix("\r\n")) + "\n")


def print_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write CSV to stdout."""
    writer = csv.writer(_CsvLines())
    writer.writerow(columns)
    writer.writerows(rows)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write an aligned table to stdout, numbers to the right."""
    cells = [["" if cell is None else _format_cell(cell) for cell in row] for row in rows]
    right = [all(_is_number(row[i]) for row in cells) and bool(cells) for i in range(len(columns))]
    widths = [max(len(row[i]) for row in [list(columns), *cells]) for i in range(len(columns))]
    for row in [list(columns), *cells]:
        line = "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        )
        print_text(line.rstrip())


def _format_cell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:.4f}".rstrip("0").rstrip(".")
    return escape_control_characters(str(cell).replace("\n", " "))


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).removeprefix("-").isdecimal() or not cell


def format_half_interval(interval: "Interval | None", *, signed: bool = False) -> str:
    """Write an estimate with half its 95 % interval."""
    from pipelines.statistics.rounding import format_plus_minus

    if interval is None:
        return "-"
    return format_plus_minus(interval, signed=signed) + ("" if interval.half_width else " exactly")


def format_duration(seconds: float) -> str:
    """Write a time.

    >>> format_duration(0.4), format_duration(75), format_duration(7300)
    ('0.4 s', '1:15 min', '2:01 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


def format_bytes(count: int) -> str:
    """Write a number of bytes.

    >>> format_bytes(900), format_bytes(2_000_000)
    ('900 B', '2.0 MB')
    """
    for unit, power in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= power:
            return f"{count / power:.1f} {unit}"
    return f"{count} B"


def describe_run(run: "Run") -> dict[str, Any]:
    """Return what is known of a run as JSON data."""
    return {"run": run.name, "path": str(run.path), **asdict(run.summary)}
