"""What is seen while one waits, always on stderr: compiling, what is done, the time left."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.cli.output import format_duration, print_text

if TYPE_CHECKING:
    from pipelines.design.design import Design
    from pipelines.runs.run import Run

PROGRESS_LINE_SECONDS: Final = 10.0
"""How often progress is told where there is no terminal."""


def compile_design(design: "Design", *, quiet: bool) -> None:
    """Compile the game of a design, if that has not been done here yet, and say so: it takes some seconds."""
    from pipelines.simulate import compiled_games

    if compiled_games.is_compiled(design):
        return
    if not quiet:
        print_text(f"compiling {design.game.title}, first start only ...", err=True)
    started = time.monotonic()
    with _report_compiling(design.game.title, quiet=quiet) as tell:
        compiled_games.ensure_compiled(design, progress=tell)
    if not quiet:
        print_text(f"compiled in {format_duration(time.monotonic() - started)}", err=True)


def compile_run_games(run: "Run", *, quiet: bool) -> None:
    """Compile the games of a run here, and say so."""
    from engine.kernels.contract import compile_kernel, find_kernel, is_kernel_compiled

    for ruleset in run.rulesets.values():
        try:
            compiled = find_kernel(ruleset)
        except InvalidError:
            continue
        if compiled and not is_kernel_compiled(compiled):
            if not quiet:
                print_text(f"compiling {ruleset.title}, first start only ...", err=True)
            compile_kernel(compiled)


@contextmanager
def _report_compiling(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show functions compiled on stderr: as a bar on a terminal, else as a line now and then."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        seldom = _throttled_writer()
        yield lambda done, functions: seldom(f"compiling {title}: {done} of {functions} functions")
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn(f"compiling {title}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("functions"),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None)
            yield lambda done, functions: bar.update(task, completed=done, total=functions)


@contextmanager
def report_progress(
    title: str, *, quiet: bool, what: str = "games"
) -> Iterator[Callable[[int, int, float | None], None] | None]:
    """Show what is done, of what, and the time left on stderr: as a bar on a terminal, else as a line now and then."""
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _progress_line_writer(title, what)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn(title),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn(f"{what} {{task.fields[left]}}"),
        )
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("", total=None, left="")

            def update_bar(done: int, games: int, left: float | None) -> None:
                bar.update(task, completed=done, total=games, left=_format_time_left(done, games, left))

            yield update_bar


@contextmanager
def report_estimated_progress(
    title: str, total: int, what: str, *, quiet: bool
) -> Iterator[Callable[[int], None]]:
    """Show how many are done of a total, and the time left, as fast as it has gone so far."""
    started = time.monotonic()
    with report_progress(title, quiet=quiet, what=what) as tell:

        def report_done(count: int) -> None:
            if tell:
                spent = time.monotonic() - started
                tell(count, total, spent / max(count, 1) * (total - count))

        yield report_done


def _progress_line_writer(title: str, what: str) -> Callable[[int, int, float | None], None]:
    seldom = _throttled_writer()
    return lambda done, games, left: seldom(
        f"{title}: {done} of {games} {what} {_format_time_left(done, games, left)}".rstrip()
    )


def _throttled_writer() -> Callable[[str], None]:
    """Return what writes a line to stderr, but not sooner than some seconds after the last."""
    last = time.monotonic()

    def write_if_due(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PROGRESS_LINE_SECONDS:
            last = time.monotonic()
            print_text(line, err=True)

    return write_if_due


def _format_time_left(done: int, games: int, left: float | None) -> str:
    return "" if left is None or done == games else f"{format_duration(left)} left"
