"""Progress of what takes long, with the time left: a bar in a notebook or on a terminal. An interruption ends in one line."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from engine.errors import Interrupted
from engine.kernels.loader import find_kernel, needs_compiling
from pipelines.report.show.html import render_template
from pipelines.report.show.progress_bar import format_time_left, open_terminal_bar
from pipelines.report.wording import format_count, format_duration
from pipelines.simulate.errors import RunStopped

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

    from engine.ruleset import Ruleset
    from pipelines.runs.unfinished_run import UnfinishedRun

    class ShowProgress(Protocol):
        """Takes what is done and the total, and the seconds left unless they follow from the speed so far."""

        def __call__(self, done: int, total: int, left: float | None = None, /) -> None: ...


QUIET_SECONDS: Final = 1.0
"""What ends earlier shows no bar in a notebook, where a bar leaves a line behind."""
INTERVAL_SECONDS: Final = 0.25


@contextmanager
def report_progress(  # noqa: PLR0913 - all but two by name
    title: str, unit: str, *, is_shown: bool, name: str | None = None, keeps: bool = False, note: str = ""
) -> Iterator[ShowProgress]:
    """Yield a function that takes what is done and the total, and the seconds left unless they follow from the speed so far.

    `name` is the name of the run that a person chose; with `keeps`, the same call goes on where it was interrupted. A `note` says why
    it takes long until something is done, and is shown at once. Raises Interrupted in place of KeyboardInterrupt and RunStopped.
    """
    started, latest = time.monotonic(), (0, 0)
    with ExitStack() as stack:
        show: Callable[[int, int, float | None], None] = lambda *_: None  # noqa: E731 - replaced below
        if is_shown and is_notebook():
            show = stack.enter_context(_open_notebook_bar(title, unit, note))
        elif is_shown and sys.stderr.isatty():
            show = stack.enter_context(open_terminal_bar(", ".join(filter(None, (title, note))), unit))

        def update(done: int, total: int, left: float | None = None, /) -> None:
            nonlocal latest
            latest = done, total
            seconds = time.monotonic() - started
            show(done, total, seconds / done * (total - done) if left is None and done else left)

        try:
            yield update
        except RunStopped as stopped:
            update(
                stopped.partial.games_done, stopped.partial.games
            )  # the last line of the bar says what is kept
            raise Interrupted(_describe_kept_games(stopped.partial, name)) from None
        except KeyboardInterrupt:
            done, total = latest
            so_far = f"{done:,} of {total:,} {unit}"
            if keeps and total:
                raise Interrupted(f"{so_far} are kept; to go on, run the cell again") from None
            lost = f"nothing of {so_far} is kept" if total else "nothing is kept"
            raise Interrupted(f"{lost}; run the cell again") from None


def _describe_kept_games(partial: UnfinishedRun, name: str | None) -> str:
    done, games = partial.games_done, format_count(partial.games, "game")
    if not done:
        partial.discard()
        return f"none of {games} is kept yet; run the cell again"
    again = "run the cell again" if name else f"run the cell again with name={partial.name!r}"
    return f"{done:,} of {games} are kept; to go on, {again}"


def describe_compiling(ruleset: Ruleset) -> str:
    """Return why the first games of a ruleset are slow if this machine has not compiled the game; empty if it has, or cannot."""
    return "the game is compiled meanwhile, only once" if needs_compiling(ruleset) else ""


def compile_first(ruleset: Ruleset, *, is_shown: bool) -> None:
    """Compile the game of a ruleset if this machine has not done it, and show that."""
    if needs_compiling(ruleset):
        with (
            report_progress(
                f"compiling {ruleset.title}, only once", "functions", is_shown=is_shown, note="about a minute"
            ) as update,
            _note_interruption() as is_interrupted,
        ):

            def go_on(done: int, total: int) -> None:
                if is_interrupted():
                    raise KeyboardInterrupt
                update(done, total)

            find_kernel(ruleset, progress=go_on)


@contextmanager
def _note_interruption() -> Iterator[Callable[[], bool]]:
    """Yield whether SIGINT has come: Python ignores KeyboardInterrupt in a finalizer, and LLVM's objects have many."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, handler)


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # noqa: PLC0415 - only where it is loaded already

    return hasattr(get_ipython(), "kernel")


@contextmanager
def _open_notebook_bar(
    title: str, unit: str, note: str = ""
) -> Iterator[Callable[[int, int, float | None], None]]:
    """Show a bar in the output of a cell that lasts; at the end, it becomes a line."""
    from IPython.display import display  # noqa: PLC0415 - as above

    started, shown_at = time.monotonic(), 0.0
    handle: DisplayHandle | None = None
    latest = (0, 0)
    if note:
        handle = display(ProgressLine(f"{title}: {note}", 0, 1), display_id=True)  # type: ignore[no-untyped-call]  # IPython's

    def show(done: int, total: int, left: float | None) -> None:
        nonlocal shown_at, handle, latest
        latest, now = (done, total), time.monotonic()
        if now - started < QUIET_SECONDS or now - shown_at < INTERVAL_SECONDS:
            return
        shown_at = now
        line = ", ".join(filter(None, (describe(), format_time_left(done, total, left))))
        if handle is None:
            handle = display(ProgressLine(line, done, total), display_id=True)  # type: ignore[no-untyped-call]  # IPython's
        else:
            handle.update(ProgressLine(line, done, total))  # type: ignore[no-untyped-call]  # IPython's

    def describe() -> str:
        done, total = latest
        return f"{title}: {done:,} {unit}" if done == total else f"{title}: {done:,} of {total:,} {unit}"

    try:
        yield show
    finally:
        if handle is not None:
            line = f"{describe()} in {format_duration(time.monotonic() - started)}"
            handle.update(ProgressLine(line))  # type: ignore[no-untyped-call]  # IPython's


class ProgressLine(NamedTuple):
    """A line on what is done, with a bar while it lasts."""

    line: str
    done: int = 0
    total: int = 0
    """0 without a bar."""

    def __repr__(self) -> str:
        return self.line

    def _repr_html_(self) -> str:
        return str(render_template("pipelines.notebook", "progress.html", **self._asdict()))
