"""Errors of commands in one or two lines: what was wrong, where, and what to do."""

from __future__ import annotations

import os
import re
import shlex
import sys
from typing import TYPE_CHECKING, Any, Final, NoReturn

import typer
from typer.core import TyperGroup

from engine.errors import GameError, clean_message
from pipelines.cli.output import print_text
from pipelines.design.limits import DELETED_WORKING_FOLDER
from pipelines.interrupts import interrupted_exit_code, is_interrupted
from pipelines.report.wording import format_count
from pipelines.simulate.errors import DiskError, PlayError, RunStopped, explain_disk_error

if TYPE_CHECKING:
    from pipelines.runs.unfinished_run import UnfinishedRun


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
            exit_with_error(_explain_system_error(error))
        except MemoryError:
            exit_with_error("out of memory; ask for less at once, or close other programs first", code=1)
        except KeyboardInterrupt:
            print_text("interrupted", err=True)
            raise typer.Exit(interrupted_exit_code()) from None
        except Exception as error:
            message = _explain_library_error(error)
            if not message:
                raise
            exit_with_error(message)

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


def _explain_system_error(error: OSError) -> str:
    if isinstance(error, FileNotFoundError) and not error.filename:
        return DELETED_WORKING_FOLDER
    return f"{error.filename}: {explain_disk_error(error)}" if error.filename else explain_disk_error(error)


def _explain_library_error(error: Exception) -> str:
    """Return the message for an error that input may cause and that only a library sees; empty for a fault of Reroll."""
    if isinstance(error, UnicodeEncodeError):
        return f"{str(error.object)[:60]!r} is not UTF-8 text"
    duckdb = sys.modules.get("duckdb")
    return explain_disk_error(error) if duckdb and isinstance(error, duckdb.Error) else ""


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


def exit_after_stop(stopped: RunStopped) -> NoReturn:
    """Print how to resume a run that was stopped by Ctrl-C, and exit."""
    print_resume_hint(stopped.partial, "stopped")
    raise typer.Exit(interrupted_exit_code()) from None


def print_resume_hint(partial: UnfinishedRun, how: str) -> None:
    """Print on stderr how many games of a run are saved and the command that resumes it; `how` says how it ended.

    There is nothing to resume if the run became a file in the last moment, or if somebody removed its folder.
    """
    if not partial.can_be_resumed:
        where = partial.target if partial.target.exists() else partial.folder
        reason = "the run is complete" if partial.target.exists() else "the folder of the run is gone"
        print_text(f"{how}: {reason}: {where}", err=True)
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


OTHER_NAMES: Final = {
    "analyse": "review",
    "analyze": "review",
    "delete": "rm",
    "fork": "whatif",
    "games": "rulesets",
    "gui": "dashboard",
    "list": "ls",
    "query": "sql",
    "remove": "rm",
    "replay": "show",
    "run": "simulate",
    "runs": "ls",
    "serve": "dashboard",
    "start": "demo",
    "ui": "dashboard",
    "version": "--version",
    "what-if": "whatif",
}
"""Names that other programs have for commands, with the words of this one."""
_EXTRA_ARGUMENT: Final = "Got unexpected extra argument"
_NO_COMMAND_PATTERN: Final = re.compile(r"No such command '([^']*)'")


def format_usage_error(error: typer.TyperException) -> str:
    """Return what is wrong with the command line and where its help is; empty if there was no command."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "reroll"
    error.message = _explain_validation_error(error.__cause__) or error.message
    message = _suggest_name(error)
    if not message:
        return ""
    if context and (hint := _describe_right_usage(error, context.command)):
        message += f"; {hint}"
    has_example = message.startswith(("Missing ", _EXTRA_ARGUMENT)) and "; write " not in message
    example = context.command.epilog if context and has_example else None
    return f"{message}{'' if message.endswith('?') else f'; see {path} --help'}" + (
        f"\n{example}" if example else ""
    )


def _suggest_name(error: typer.TyperException) -> str:
    """Return the message of an error with the command or the options that were probably meant.

    >>> _suggest_name(typer.TyperException("No such command 'list'."))
    "No such command 'list'; did you mean ls?"
    """
    if options := getattr(error, "possibilities", None):
        return f"{error.message}; did you mean {' or '.join(sorted(options))}?"
    message = error.format_message().rstrip(".")
    command = _NO_COMMAND_PATTERN.match(message)
    if command and command[1] in OTHER_NAMES:
        return f"{command[0]}; did you mean {OTHER_NAMES[command[1]]}?"
    return message


def _describe_right_usage(error: typer.TyperException, command: Any) -> str:  # noqa: ANN401 - typer does not export the type
    """Return how the values of an option are written if spaces stood between them, else an empty text."""
    if not error.format_message().startswith(_EXTRA_ARGUMENT):
        return ""
    options = {
        parameter.opts[0]: parameter.metavar
        for parameter in command.params
        if parameter.param_type_name == "option"
    }
    return next(
        (
            f"write {option} {metavar} without spaces"
            for option, metavar in options.items()
            if str(metavar).startswith("A,B")
        ),
        "",
    )


def _explain_validation_error(error: BaseException | None) -> str:
    """Return in plain words why the value of an option or argument is refused; empty if Typer's words are plain enough."""
    pydantic = sys.modules.get("pydantic")
    if pydantic is None or not isinstance(error, pydantic.ValidationError):
        return ""
    first = error.errors()[0]
    if first["type"] == "value_error":
        return str(first["msg"]).removeprefix("Value error, ")
    limits: dict[str, Any] = first.get("ctx", {})
    expected = {
        "int_parsing": "a whole number",
        "int_from_float": "a whole number",
        "float_parsing": "a number",
        "greater_than_equal": f"at least {limits.get('ge')}",
        "less_than_equal": f"at most {limits.get('le')}",
    }.get(first["type"])
    return f"expected {expected}, not {first['input']!r}" if expected else ""
