"""A ruleset: the data that makes one game out of a rulebook, checked when it is read.

What comes from a file or a run is not trusted: every game states the shape of its options and tables as
models, and everything else is refused with the key and what was expected there.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

    from engine.actions import Action

Provenance: TypeAlias = Literal["book", "reconstructed", "own"]
"""Where a table comes from: printed in the rulebook or on the game itself, our reconstruction of a picture that could
not be had, or somebody's own idea."""

_MESSAGE_WITH_KEY: Final = re.compile(r"([a-z][a-z_]*(?:\.[A-Za-z0-9_]+)*): (.+)", re.DOTALL)
"""A message that begins with the key that it is about."""

RulesetName: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]


class RulesetModel(BaseModel):
    """A piece of a ruleset: frozen, nothing unknown, no conversions."""

    # Docstrings of fields are what a form says beside them.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class Ruleset(RulesetModel):
    """A game with a number of players and every option settled.

    A game's subclass adds the fields `options` and `tables` and numbers the actions.
    """

    lowest_wins: ClassVar[bool] = False

    name: RulesetName
    game: RulesetName
    title: Annotated[str, Field(min_length=1, max_length=80)]
    players: Annotated[int, Field(ge=1, le=8)]
    provenance: dict[str, Provenance]

    @abstractmethod
    def action(self, number: int) -> Action:
        """Say what an action number means; raise InvalidError if it means nothing."""

    @abstractmethod
    def read_action(self, notation: str) -> int:
        """Return the action that a notation names; raise InvalidError if it cannot be read."""

    @property
    @abstractmethod
    def actions_end(self) -> int:
        """One more than the greatest number of an action: how long a list with a place for each of them is."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The whole ruleset as JSON data, from which `from_document` makes it again."""
        return self.model_dump(mode="json")

    @cached_property
    def sha256(self) -> str:
        """Hash of the document: two rulesets with equal hashes are the same rules."""
        text = json.dumps(self.document, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __hash__(self) -> int:
        return hash(self.sha256)

    @classmethod
    def from_document(cls, document: Mapping[str, Any], where: str) -> Self:
        """Check a document and return its ruleset; errors name `where`, the key, and what was expected."""
        try:
            return cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            raise InvalidError(_format_error_line(error, where)) from None
        except TypeError:  # TOML has dates, JSON has none
            raise InvalidError(f"{where}: a date or time has no place in a ruleset") from None

    @classmethod
    def errors_by_key(cls, document: Mapping[str, Any]) -> dict[str, str]:
        """Say what is wrong with a document, one line for each key written with dots; empty if it can be played by.

        What concerns several keys, and names none of the document's, stands under "".
        """
        try:
            cls.model_validate_json(json.dumps(document))
        except ValidationError as error:
            found: dict[str, str] = {}
            for one in error.errors(include_url=False):
                key, message = ".".join(str(step) for step in one["loc"]), _format_error_message(one)
                named = _MESSAGE_WITH_KEY.fullmatch(message)
                inner = ".".join(filter(None, (key, named[1]))) if named else key
                if named and _has_key(document, inner):
                    key, message = inner, named[2]
                found.setdefault(key, message)
            return found
        return {}


def _has_key(document: object, key: str) -> bool:
    """Say whether a document has a key, written with dots."""
    for step in key.split("."):
        if not isinstance(document, dict) or step not in document:
            return False
        document = document[step]
    return True


def _format_error_line(error: ValidationError, where: str) -> str:
    """Turn a validation error into one line: file, key, what was expected, what was there."""
    first, *others = error.errors(include_url=False)
    key = ".".join(str(step) for step in first["loc"])
    more = f" (and {len(others)} more)" if others else ""
    place = f"{where}: {key}" if key else where  # what concerns several keys names them in its message
    return f"{place}: {_format_error_message(first)}{more}"


def _format_error_message(error: ErrorDetails) -> str:
    """Say what was expected and what was there."""
    message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    found = repr(error["input"])
    shown = f", not {found}" if len(found) <= 60 and error["type"] not in {"missing", "value_error"} else ""
    return f"{message[0].lower()}{message[1:]}{shown}"
