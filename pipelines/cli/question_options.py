"""Options that stand for fields of questions: a command says how they are spelt, the field says the rest.

An option without a help of its own stands for the field with the name of its parameter. The field gives its sentence, its
limits and its default, and refuses what it does not take.

    @asks("pipelines.questions.card:CardQuestion")
    def card(*, blocks: Annotated[int, typer.Option("--blocks", metavar="N")] = FROM_FIELD) -> None:

Questions take half a second to load, so they are loaded for a command that is used: `reroll --help` stays quick.
"""

from collections.abc import Callable
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final, TypeVar

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

    from pipelines.questions.address import Question

FROM_FIELD: Final[Any] = None
"""The default of an option that has the default of its field."""
F = TypeVar("F", bound=Callable[..., None])
_QUESTIONS: Final[dict[str, tuple[str, ...]]] = {}
"""The classes of questions of each command by its name, as texts for `resolve_name`."""


def asks(*questions: str) -> Callable[[F], F]:
    """Mark a command whose options stand for fields of classes of questions; of fields with one name the first counts."""

    def mark_command(command: F) -> F:
        _QUESTIONS[command.__name__] = questions
        return command

    return mark_command


class QuestionCommand(TyperCommand):
    """A command whose options may stand for fields of questions."""

    @cached_property
    def fields(self) -> "dict[str, type[Question]]":
        """The class of questions of each parameter that stands for a field."""
        kinds = [resolve_name(question) for question in reversed(_QUESTIONS.get(self.name or "", ()))]
        fields = {name: kind for kind in kinds for name in kind.model_fields}
        return {
            param.name: fields[param.name] for param in self.params if param.name in fields and not param.help
        }

    def get_params(self, ctx: Any) -> Any:  # noqa: ANN401 - typer does not export the types
        """Return the parameters, of which those that stand for fields have the help of these."""
        for param in self.params:
            if param.name in self.fields:
                param.help = _describe_field(self.fields[param.name].model_fields[param.name])
        return super().get_params(ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - as above
        """Refuse a value that its field does not take; an option that is left out has the default of its field."""
        from pipelines.questions.address import find_misfit

        rest = super().parse_args(ctx, args)
        for param in self.params:
            if (kind := self.fields.get(param.name)) is None or ctx.resilient_parsing:
                continue
            given = ctx.params[param.name]
            if given is None:
                ctx.params[param.name] = kind.model_fields[param.name].default
                continue
            values = given if isinstance(given, list | tuple) else [given]
            if problem := find_misfit(kind, param.name, [str(value) for value in values]):
                raise typer.BadParameter(problem, ctx=ctx, param=param)
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
