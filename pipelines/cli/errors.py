"""Errors of the command line: one or two lines on stderr, and an exit code."""

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import typer
from typer.core import TyperGroup

from engine.errors import GameError, clean_message
from pipelines.cli.output import print_text
from pipelines.cli.usage_errors import format_usage_error
from pipelines.interrupts import INTERRUPTED_EXIT_CODE, is_interrupted
from pipelines.report.wording import format_count
from pipelines.simulate.errors import DiskError, PlayError

if TYPE_CHECKING:
    from pipelines.runs.unfinished_run import UnfinishedRun
    from pipelines.simulate.errors import RunStopped


class CommandGroup(TyperGroup):
    """Commands whose errors, if a person can cause them, are one or two lines on stderr and exit code 1 or 2.

    The help lists them in sections, which are their help panels (`rich_help_panel` of Typer).
    """

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - as below
        """Write the commands with their first lines, one section after the other."""
        commands = {name: self.commands[name] for name in self.list_commands(ctx)}
        longest = max(map(len, commands))
        for title in dict.fromkeys(
            getattr(command, "rich_help_panel", None) for command in commands.values()
        ):
            with formatter.section(title or "Commands"):
                rows = [
                    (f"{name:<{longest}}", command.get_short_help_str(formatter.width - longest - 6))
                    for name, command in commands.items()
                    if getattr(command, "rich_help_panel", None) == title
                ]
                formatter.write_dl(rows)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - typer does not export the type of its context for subclasses
        """Run a command and report its error."""
        try:
            return self._invoke_until_interrupted(ctx)
        except typer.TyperException as error:
            message = format_usage_error(error)
            if not message:
                raise  # there was no command: typer shows the help
            exit_with_error(message)
        except GameError as error:
            exit_with_error(str(error), code=1 if _is_play_failure(error) else 2)
        except BrokenPipeError:  # the reader, such as `head`, has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except OSError as error:
            file = f"{error.filename}: " if error.filename else ""
            exit_with_error(f"{file}{error.strerror or error}")
        except MemoryError:
            exit_with_error("out of memory; ask for less at once, or close other programs first", code=1)
        except KeyboardInterrupt:
            print_text("interrupted", err=True)
            raise typer.Exit(INTERRUPTED_EXIT_CODE) from None
        except Exception as error:
            duckdb = sys.modules.get("duckdb")
            if duckdb is None or not isinstance(error, duckdb.Error):
                raise
            exit_with_error(str(error).splitlines()[0])

    def _invoke_until_interrupted(self, ctx: Any) -> Any:  # noqa: ANN401 - as above
        """Run a command. After Ctrl-C, any error of the interrupted code is taken for the KeyboardInterrupt."""
        try:
            return super().invoke(ctx)
        except typer.Exit:
            raise
        except BaseException:
            if is_interrupted():
                raise KeyboardInterrupt from None
            raise


def exit_with_error(message: str, code: int = 2) -> NoReturn:
    """Print an error message on stderr and exit."""
    print_text(f"reroll: {clean_message(message)}", err=True)
    raise typer.Exit(code) from None


def _is_play_failure(error: GameError) -> bool:
    """Return whether a game failed while it was played; if finished games are saved, print how to resume the run."""
    if not isinstance(error, PlayError | DiskError):
        return False
    if error.partial is not None:
        print_resume_hint(error.partial, "failed")
    return True


def exit_after_stop(stopped: "RunStopped") -> NoReturn:
    """Print how to resume a run that was stopped by Ctrl-C, and exit."""
    print_resume_hint(stopped.partial, "stopped")
    raise typer.Exit(INTERRUPTED_EXIT_CODE) from None


def print_resume_hint(partial: "UnfinishedRun", how: str) -> None:
    """Print on stderr how many games of a run are saved and the command that resumes it; `how` says how it ended.

    There is nothing to resume if the run became a file in the last moment, or if somebody removed its folder.
    """
    if not partial.can_be_resumed:
        where = partial.target if partial.target.exists() else partial.folder
        what = "the run is complete" if partial.target.exists() else "the folder of the run is gone"
        print_text(f"{how}: {what}: {where}", err=True)
        return
    words = ["reroll", "resume", shlex.quote(str(partial.folder))]
    for code in partial.design.code:
        words += ["--code", shlex.quote(code.file)]
    if partial.design.has_programs:
        words.append("--allow-programs")
    print_text(
        f"{how}: {partial.games_done} of {format_count(partial.games, 'game')} are saved; resume with: {' '.join(words)}",
        err=True,
    )
