"""Errors in how a command is written: what is wrong, what would be right, and where the help is, in one or two lines."""

import re
import sys
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import typer

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
_OPTIONS_PATTERN: Final = re.compile(r" \(Possible options: ([^)]*)\)$")


def format_usage_error(error: "typer.TyperException") -> str:
    """Return what is wrong with the command line and where its help is; empty if there was no command."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "reroll"
    error.message = _explain_validation_error(error.__cause__) or error.message
    message = _suggest_name(error.format_message().rstrip("."))
    if not message:
        return ""
    if context and (hint := _describe_right_usage(error, context.command)):
        message += f"; {hint}"
    has_example = message.startswith(("Missing ", _EXTRA_ARGUMENT)) and "; write " not in message
    example = context.command.epilog if context and has_example else None
    return f"{message}{'' if message.endswith('?') else f'; see {path} --help'}" + (
        f"\n{example}" if example else ""
    )


def _suggest_name(message: str) -> str:
    """Return a message with the command or the options that were probably meant.

    >>> _suggest_name("No such command 'list'")
    "No such command 'list'; did you mean ls?"
    >>> _suggest_name("No such option: --game (Possible options: --games, --name)")
    'No such option: --game; did you mean --games or --name?'
    """
    command = _NO_COMMAND_PATTERN.match(message)
    if command and command[1] in OTHER_NAMES:
        return f"{command[0]}; did you mean {OTHER_NAMES[command[1]]}?"
    return _OPTIONS_PATTERN.sub(lambda found: f"; did you mean {' or '.join(found[1].split(', '))}?", message)


def _describe_right_usage(error: "typer.TyperException", command: Any) -> str:  # noqa: ANN401 - typer does not export the type
    """Return how the values of an option are written if spaces stood between them, else an empty text."""
    if not error.format_message().startswith(_EXTRA_ARGUMENT):
        return ""
    options = {one.opts[0]: one.metavar for one in command.params if one.param_type_name == "option"}
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
