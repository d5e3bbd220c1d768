"""Options that stand for fields of questions: a command says how they are spelt, the field says the rest.

An option without a help of its own stands for the field with the name of its parameter. The field gives its sentence, its
limits and its default, and refuses what it does not take.

    @asks("pipelines.questions.games:GamesQuestion")
    def games(*, limit: Annotated[int, typer.Option("--limit", metavar="N")] = FROM_FIELD) -> None:

Questions take half a second to load, so they are loaded for a command that is used: `reroll --help` stays quick.
"""

from collections.abc import Callable
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeVar

import typer
from typer.core import TyperCommand, TyperOption

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from pipelines.questions.address import Question

FROM_FIELD: Final[Any] = None
"""The default of an option that has the default of its field."""
F = TypeVar("F", bound=Callable[..., None])
QUESTIONS_OF_COMMANDS: Final[dict[str, tuple[str, ...]]] = {}
"""The classes of questions of each command by its name, as texts for `resolve_name`."""


def asks(*questions: str) -> Callable[[F], F]:
    """Mark a command whose options stand for fields of classes of questions; of fields with one name the first counts."""

    def mark_command(command: F) -> F:
        QUESTIONS_OF_COMMANDS[command.__name__] = questions
        return command

    return mark_command


class QuestionCommand(TyperCommand):
    """A command whose options may stand for fields of questions."""

    @cached_property
    def fields(self) -> "dict[TyperOption, type[Question]]":
        """The class of questions that has the field, of each option that stands for one."""
        kinds = [
            resolve_name(question) for question in reversed(QUESTIONS_OF_COMMANDS.get(self.name or "", ()))
        ]
        known = {name: kind for kind in kinds for name in kind.model_fields}
        options = [param for param in self.params if isinstance(param, TyperOption) and not param.help]
        return {option: known[option.name] for option in options if option.name in known}

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 - typer does not export the types
        """Return the parameters. Those that stand for fields have the help of their fields."""
        if not ctx.resilient_parsing:  # while the shell completes a word
            for option, kind in self.fields.items():
                option.help = _describe_field(kind.model_fields[option.name])
        return super().get_params(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """Refuse a value that its field does not take; an option that is left out has the default of its field."""
        rest = super().parse_args(ctx, args)
        if ctx.resilient_parsing or not self.fields:
            return rest
        from pipelines.questions.address import find_misfit

        for option, kind in self.fields.items():
            value = ctx.params[option.name]
            values = value if isinstance(value, list | tuple) else [value]
            if value is None:
                ctx.params[option.name] = kind.model_fields[option.name].default
            elif problem := find_misfit(kind, option.name, [str(value) for value in values]):
                raise typer.BadParameter(problem, ctx=ctx, param=option)
        return rest


def _describe_field(field: "FieldInfo") -> str:
    """Return the help of a field: its sentence, its longest text, its default and its limits."""
    from annotated_types import Ge, Le, MaxLen

    marks = {type(mark): mark for mark in field.metadata}
    has_default = bool(field.default) or type(field.default) is int
    limits = [f"default: {field.default}"] if has_default else []
    if Ge in marks and Le in marks:
        limits.append(f"{marks[Ge].ge}<=x<={marks[Le].le}")
    help_text = field.description or ""
    if field.annotation is str and MaxLen in marks:
        help_text += f" At most {marks[MaxLen].max_length:,} characters."
    return f"{help_text}  [{'; '.join(limits)}]" if limits else help_text
