"""Progress as a bar on a terminal, and the words of it that all front ends show."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pipelines.report.wording import format_duration


@contextmanager
def open_terminal_bar(title: str, unit: str) -> Iterator[Callable[[int, int, float | None], None]]:
    """Show a bar on stderr while the context lasts; yield a function that takes what is done, the total and the seconds left."""
    from rich.console import Console  # noqa: PLC0415 - takes 0.1 s to import, and few commands show a bar
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415 - as above

    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{unit} {{task.fields[left]}}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, left="")

        def update_bar(done: int, total: int, left: float | None) -> None:
            bar.update(task, completed=done, total=total, left=format_time_left(done, total, left))

        yield update_bar


def format_time_left(done: int, total: int, left: float | None) -> str:
    """Return how long it still takes; empty at the end and while nobody knows."""
    return "" if left is None or done == total else f"{format_duration(left)} left"
