"""Ruleset: a game with a number of players, all options and all tables, validated when it is read.

Data from a file or a run is not trusted. Every game declares its options and tables as Pydantic models; anything else
is rejected with a message that names the key and what was expected there.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InvalidError, unknown_name_error
from engine.wording import format_count

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from engine.actions import Action

Provenance: TypeAlias = Literal["book", "reconstructed", "own"]
"""Where a table comes from: printed in the rulebook or on the game, reconstructed because the picture of it was not
available, or a person's own idea."""

_MESSAGE_WITH_KEY: Final = re.compile(r"([a-z][a-z_]*(?:\.[A-Za-z0-9_]+)*): (.+)", re.DOTALL)
"""Matches a message that begins with its key."""

MAX_TITLE_CHARACTERS: Final = 80
"""Maximum length of the title of a ruleset."""
RulesetName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]


class RulesetModel(BaseModel):
    """A part of a ruleset: immutable, without unknown keys, without type conversions."""

    # The docstrings of fields are the descriptions that forms show.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Ruleset(RulesetModel):
    """A game with a number of players and a value for every option.

    Each game has a subclass that adds the fields `options` and `tables` and numbers the actions.
    """

    lowest_wins: ClassVar[bool] = False

    name: RulesetName
    game: RulesetName
    title: Annotated[str, Field(min_length=1, max_length=MAX_TITLE_CHARACTERS)]
    players: Annotated[int, Field(ge=1, le=8)]
    provenance: dict[str, Provenance]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.title}, {self.players} players>"

    def __str__(self) -> str:
        options = (f"{key} = {json.dumps(value)}" for key, value in self.document["options"].items())
        return "\n  ".join(
            [f"{self.name}: {self.title}, {self.players} players", *(shorten(text, 76) for text in options)]
        )

    def _check_provenance(self, *tables: str) -> None:
        """Raise ValueError unless the provenance names each of these tables and no other."""
        for key in tables:
            if key not in self.provenance:
                raise ValueError(
                    f"provenance.{key}: expected 'book', 'reconstructed' or 'own', found nothing"
                )
        for key in self.provenance.keys() - set(tables):
            raise ValueError(f"provenance.{key}: there is no such table")

    @classmethod
    def player_counts(cls) -> tuple[int, ...]:
        """Return the numbers of players that the game allows."""
        allowed = cls.model_json_schema()["properties"]["players"]
        return tuple(range(allowed.get("minimum", 1), allowed.get("maximum", 8) + 1))

    @abstractmethod
    def action(self, number: int) -> Action:
        """Return the meaning of an action number; raise InvalidError if no action has this number."""

    @abstractmethod
    def read_action(self, notation: str) -> int:
        """Return the number of the action with this notation; raise InvalidError if it cannot be read."""

    @property
    @abstractmethod
    def actions_end(self) -> int:
        """One more than the greatest action number: the length of a list that is indexed by action."""

    @property
    @abstractmethod
    def board_size(self) -> tuple[int, int]:
        """Columns and rows of a board; a cell is column + columns x row."""

    @property
    def piece_areas(self) -> dict[str, int]:
        """The number of squares of every piece, by the name that `Action.piece` has; empty for a game without pieces."""
        return {}

    def equal_actions(self, number: int) -> tuple[int, ...]:
        """Return the actions that are as good as an action at the start of a game, because the rules are symmetric; itself, too."""
        return (number,)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The whole ruleset as JSON data. `from_document` turns it back into an equal ruleset."""
        return self.model_dump(mode="json")

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the document in hexadecimal. Rulesets with equal hashes have the same rules."""
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.sha256)

    def with_options(self, *, name: str = "", **options: Any) -> Self:  # noqa: ANN401 - each option has its own type
        """Return a ruleset of another name with other options, which its title names. Raises InvalidError for options and values that do not exist."""
        known = self.document["options"]
        if unknown := [*options.keys() - known.keys()]:
            raise unknown_name_error("option", unknown[0], known)
        if not name or name == self.name:
            raise InvalidError(
                f"with_options: the changed ruleset needs a name of its own, such as name='hard-{self.name}'"
            )
        others = {key: value for key, value in options.items() if value != known[key]}
        title = suggest_title(self, others, ()) if others else self.title
        changed = {"name": name, "title": title, "options": {**known, **options}}
        return self.from_document(self.document | changed, name)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str) -> Self:
        """Validate a document and return its ruleset.

        Raises InvalidError with one line that contains `where`, the key and what was expected.
        """
        try:
            return cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            raise InvalidError(_format_error_line(cls, error, where)) from None
        except TypeError:  # TOML has dates, JSON does not
            raise InvalidError(f"{where}: a ruleset cannot contain a date or a time") from None

    @classmethod
    def errors_by_key(cls, document: Mapping[str, Any]) -> dict[str, str]:
        """Return one message for each key with an error, nested keys joined by dots; empty if the document is valid.

        An error that concerns several keys and names no key of the document is under "".
        """
        try:
            cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            messages: dict[str, str] = {}
            for details in error.errors(include_url=False):
                key, message = _format_key(details["loc"]), _format_error_message(cls, details)
                match = _MESSAGE_WITH_KEY.fullmatch(message)
                inner = ".".join(filter(None, (key, match[1]))) if match else key
                if match and _has_key(document, inner):
                    key, message = inner, match[2]
                messages.setdefault(key, message)
            return messages
        return {}


def _has_key(document: object, key: str) -> bool:
    """Return whether a document has a key; nested keys are joined by dots."""
    for step in key.split("."):
        if not isinstance(document, dict) or step not in document:
            return False
        document = document[step]
    return True


def _format_error_line(model: type[BaseModel], error: ValidationError, where: str) -> str:
    """Return a validation error as one line: `where`, the key, what was expected, and what was found."""
    errors = error.errors(include_url=False)
    first, *others = sorted(
        errors, key=lambda detail: detail["type"] != "extra_forbidden"
    )  # a misspelt key lacks another one, too
    key = _format_key(first["loc"])
    more = f" (and {len(others)} more)" if others else ""
    place = f"{where}: {key}" if key else where  # an error about several keys names them in its message
    return f"{place}: {_format_error_message(model, first)}{more}"


def _format_key(steps: tuple[int | str, ...]) -> str:
    return ".".join(map(str, steps))


def _format_error_message(model: type[BaseModel], error: ErrorDetails) -> str:
    """Return what was expected and, if it is short, what was found."""
    *parents, key = error["loc"] or ("",)
    if error["type"] == "extra_forbidden":
        return str(unknown_name_error("key", str(key), _list_keys(model, parents)))
    if error["type"] == "missing" and parents[:1] == ["tables"]:
        return "it is missing; a table takes the place of the whole table of a file that it extends"
    message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    value = repr(error["input"])
    is_shown = len(value) <= 60 and error["type"] not in {"missing", "value_error"}
    return f"{message[0].lower()}{message[1:]}{f', not {value}' if is_shown else ''}"


def _list_keys(model: type[BaseModel], parents: Sequence[int | str]) -> list[str]:
    """Return the keys that a part of a document may have; `parents` are the keys that lead to it."""
    for key in parents:
        part = model.model_fields[str(key)].annotation if str(key) in model.model_fields else None
        if not (isinstance(part, type) and issubclass(part, BaseModel)):
            return []
        model = part
    return [name for name in model.model_fields if name != "name"]


def suggest_title(base: Ruleset, options: Mapping[str, Any], tables: Iterable[str]) -> str:
    """Return a title for a ruleset with other options and other tables than `base`, such as "BLOXX! with gap penalty 2".

    Of more than two changes it says one; without changes, or if they are too long for a title, it says that the ruleset is one's own.
    """
    changes = [
        f"{key} {value}" if isinstance(value, int | str) else f"other {key}" for key, value in options.items()
    ]
    changes = [change.replace("_", " ") for change in (*changes, *(f"other {key}" for key in tables))]
    if len(changes) > 2:
        changes[1:] = [format_count(len(changes) - 1, "more change")]
    title = f"{base.title} {'and' if ' with ' in base.title else 'with'} {' and '.join(changes)}"
    fallback = f"{base.title[: MAX_TITLE_CHARACTERS - 10]} (my own)"
    return title if changes and len(title) <= MAX_TITLE_CHARACTERS else fallback
