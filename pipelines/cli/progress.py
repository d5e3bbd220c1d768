"""Progress on stderr: compiling, what is done, and the time left; a bar on a terminal, lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipelines.cli.output import print_text
from pipelines.report.show.progress_bar import format_time_left, open_terminal_bar
from pipelines.report.wording import format_duration

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.design.design import Design
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

MANY_RUNS: Final = 200
"""Files that are read in about a second."""
PROGRESS_LINE_SECONDS: Final = 10.0
"""Shortest time between two lines of progress where stderr is not a terminal."""


def compile_design(design: "Design", *, quiet: bool) -> None:
    """Compile the game of a design if only compiled code can play it and this machine has not compiled it yet.

    Other designs start at once: the plain rules play until another process has compiled the game.
    """
    from pipelines.simulate import compiled_games

    if compiled_games.needs_kernel(design) and not compiled_games.is_compiled(design):
        with _report_compiling(design.game.title, quiet=quiet) as update_progress:
            compiled_games.ensure_compiled(design, progress=update_progress)


def wait_for_cluster(design: "Design", scheduler: str | None, *, quiet: bool) -> None:
    """Check that a Dask cluster can play a design, if the user named one; report on stderr that it has no workers yet."""
    from pipelines.simulate.simulate import check_own_strategies_local
    from pipelines.simulate.workers import check_cluster

    if scheduler:
        check_own_strategies_local(design, scheduler)
        check_cluster(scheduler, (lambda _: None) if quiet else lambda text: print_text(text, err=True))


def play_design(
    design: "Design",
    target: "Path",
    *,
    workers: int | None,
    scheduler: str | None,
    free_name: bool,
    quiet: bool,
) -> "Run":
    """Play a design as a new run at a path, with its progress on stderr; raises RunStopped if Ctrl-C stops it."""
    from pipelines.simulate.simulate import simulate_run

    wait_for_cluster(design, scheduler, quiet=quiet)
    compile_design(design, quiet=quiet)
    with report_progress(design.rules.name, quiet=quiet) as progress:
        return simulate_run(
            design, target, workers=workers, scheduler=scheduler, free_name=free_name, progress=progress
        )


def compile_rulesets(rulesets: "Iterable[Ruleset]", *, quiet: bool) -> None:
    """Compile the games of rulesets if this has not been done on this machine; report it, as it takes some seconds."""
    from engine.kernels.loader import find_kernel, needs_compiling

    for ruleset in rulesets:
        if needs_compiling(ruleset):
            with _report_compiling(ruleset.title, quiet=quiet) as update_progress:
                find_kernel(ruleset, progress=update_progress)


@contextmanager
def _report_compiling(title: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a function that takes the number of functions compiled and the number of all, and shows them on stderr."""
    if quiet:
        yield None
        return
    print_text(f"compiling {title}, only at the first start ...", err=True)
    started = time.monotonic()
    if not sys.stderr.isatty():
        write_if_due = _throttled_writer()
        yield lambda done, functions: write_if_due(f"compiling {title}: {done} of {functions} functions")
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
    print_text(f"compiled in {format_duration(time.monotonic() - started)}", err=True)


def read_new_runs(library: "Library") -> None:
    """Read what a list shows of run files that nobody has read yet; show the progress on stderr if they are many."""
    steps, started = library.iter_reading(), time.monotonic()
    first = next(steps, None)
    with report_progress("reading", quiet=first is None or first[1] < MANY_RUNS, unit="runs") as progress:
        for done, total in steps:
            if progress:
                progress(done, total, (time.monotonic() - started) / done * (total - done))


@contextmanager
def report_progress(
    title: str, *, quiet: bool, unit: str = "games"
) -> Iterator[Callable[[int, int, float | None], None] | None]:
    """Yield a function that takes what is done, the total and the seconds left, and shows them on stderr.

    Yields None if `quiet`.
    """
    if quiet:
        yield None
    elif not sys.stderr.isatty():
        yield _progress_line_writer(title, unit)
    else:
        with open_terminal_bar(title, unit) as update_bar:
            yield update_bar


@contextmanager
def report_estimated_progress(
    title: str, total: int, unit: str, *, quiet: bool
) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes what is done of a total; the time left is estimated from the speed so far."""
    started = time.monotonic()
    with report_progress(title, quiet=quiet, unit=unit) as update_progress:

        def update_count(done: int) -> None:
            if update_progress:
                elapsed = time.monotonic() - started
                update_progress(done, total, elapsed / max(done, 1) * (total - done))

        yield update_count


def _progress_line_writer(title: str, unit: str) -> Callable[[int, int, float | None], None]:
    write_if_due = _throttled_writer()
    return lambda done, total, left: write_if_due(
        f"{title}: {done} of {total} {unit} {format_time_left(done, total, left)}".rstrip()
    )


def _throttled_writer() -> Callable[[str], None]:
    """Return a function that writes a line to stderr unless the last one is younger than PROGRESS_LINE_SECONDS."""
    last = time.monotonic()

    def write_if_due(line: str) -> None:
        nonlocal last
        if time.monotonic() - last >= PROGRESS_LINE_SECONDS:
            last = time.monotonic()
            print_text(line, err=True)

    return write_if_due
