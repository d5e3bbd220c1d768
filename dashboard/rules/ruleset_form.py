"""The fields of a ruleset, found by looking at what its game's models allow. Knows no Streamlit and no game."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from dashboard.rules.rulebook import MAX_NAME_CHARACTERS, format_key
from engine.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset

FieldKind: TypeAlias = Literal["choice", "number", "switch", "text", "list", "table", "other"]

MAX_FIELD_CHARACTERS: Final = 20_000
"""Characters in a field."""
_CLAUSE_PREFIX: Final = re.compile(r"^[A-Z]{2}-[0-9]+: ")


@dataclass(frozen=True)
class RulesetField:
    """One thing that a ruleset settles."""

    key: str
    """Written with dots, from the document: options.side."""
    kind: FieldKind
    title: str
    about: str
    """What it means, as its model says."""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    values: FieldKind = "text"
    """Of a table: what its values are."""

    @property
    def group(self) -> str:
        """The option or table that it belongs to."""
        return self.key.split(".")[1]

    def value_in(self, document: Mapping[str, Any]) -> Any:  # noqa: ANN401 - whatever stands there
        """Return what stands in a document."""
        found: Any = document
        for step in self.key.split("."):
            found = found[step]
        return found

    def format_text(self, value: Any) -> str:  # noqa: ANN401 - as above
        """Write a value as the text of a field.

        >>> RulesetField("tables.rows", "table", "rows", "", values="list").format_text({"1": ["I1", "O4"]})
        '1 = I1 O4'
        """
        if self.kind == "list":
            return _format_list(value)
        if self.kind == "table":
            lines = (
                (key, _format_list(one) if self.values == "list" else str(one)) for key, one in value.items()
            )
            return "\n".join(f"{key} = {told}" for key, told in lines)
        return json.dumps(value, ensure_ascii=False) if self.kind == "other" else str(value)

    def parse_text(self, text: str) -> Any:  # noqa: ANN401 - as above
        """Read the text of a field; raise InvalidError naming the line that cannot be read.

        >>> RulesetField("tables.coloured_rows", "table", "rows", "", values="number").parse_text("green = 2")
        {'green': 2}
        """
        if len(text) > MAX_FIELD_CHARACTERS:
            raise InvalidError(f"expected at most {MAX_FIELD_CHARACTERS:,} characters")
        if self.kind in {"text", "choice"}:
            return text
        if self.kind == "number":
            return _parse_integer(text.strip())
        if self.kind == "list":
            return text.replace(",", " ").split()
        if self.kind == "table":
            return self._parse_table(text)
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise InvalidError("expected JSON") from None

    def _parse_table(self, text: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            key, equals, told = (one.strip() for one in line.partition("="))
            if not equals or not key:
                raise InvalidError(
                    f"line {number}: expected a name, = and what it is, not {line.strip()[:40]!r}"
                )
            if key in found:
                raise InvalidError(f"line {number}: {key} stands there twice")
            if self.values == "list":
                found[key] = told.replace(",", " ").split()
            elif self.values == "number":
                try:
                    found[key] = _parse_integer(told)
                except InvalidError as error:
                    raise InvalidError(f"line {number}, {key}: {error}") from None
            else:
                found[key] = told
        return found


def ruleset_fields(model: type[Ruleset]) -> list[RulesetField]:
    """Return the fields of a game's rulesets, options first."""
    schema = model.model_json_schema()
    kinds = schema.get("$defs", {})
    parts = (("options", schema["properties"]["options"]), ("tables", schema["properties"]["tables"]))
    return [field for part, about in parts for field in _schema_fields(part, part, about, kinds)]


def with_value(document: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Return a document in which one key, written with dots, has another value.

    >>> with_value({"options": {"side": 9}}, "options.side", 8)
    {'options': {'side': 8}}
    """
    head, _, rest = key.partition(".")
    return {**document, head: with_value(document.get(head, {}), rest, value) if rest else value}


def player_counts(model: type[Ruleset]) -> tuple[int, ...]:
    """Return for how many players the rulesets of a game can be."""
    allowed = model.model_json_schema()["properties"]["players"]
    return tuple(range(allowed.get("minimum", 1), allowed.get("maximum", 8) + 1))


def _schema_fields(
    key: str, title: str, schema: Mapping[str, Any], kinds: Mapping[str, Any]
) -> list[RulesetField]:
    """Return the field of a part of the schema, or those within it."""
    about = _CLAUSE_PREFIX.sub("", schema.get("description", ""))
    if "$ref" in schema:
        schema = kinds[schema["$ref"].rsplit("/", 1)[-1]]
    if "properties" in schema:
        outer = "" if key in {"options", "tables"} else f"{title}: "
        return [
            field
            for name, inner in schema["properties"].items()
            for field in _schema_fields(f"{key}.{name}", f"{outer}{format_key(name)}", inner, kinds)
        ]
    kind = _field_kind(schema)
    within = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    values: FieldKind = next((_field_kind(one) for one in within if isinstance(one, dict)), "text")
    return [
        RulesetField(
            key,
            kind if kind != "table" or values in {"text", "number", "list"} else "other",
            title,
            about[:1].upper() + about[1:],
            schema.get("minimum"),
            schema.get("maximum"),
            tuple(map(str, schema.get("enum", ()))),
            values,
        )
    ]


def _field_kind(schema: Mapping[str, Any]) -> FieldKind:
    if "enum" in schema:
        return "choice"
    simple: dict[str, FieldKind] = {
        "integer": "number",
        "boolean": "switch",
        "string": "text",
        "object": "table",
    }
    if schema.get("type") == "array":
        return "list" if schema.get("items", {}).get("type") == "string" else "other"
    return simple.get(str(schema.get("type")), "other")


def _parse_integer(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise InvalidError(f"expected a whole number, not {text[:40]!r}")
    return int(text)


def _format_list(value: list[str]) -> str:
    """Rows of a drawing one below the other, names in a line."""
    return ("\n" if any(len(one) > MAX_NAME_CHARACTERS for one in value) else " ").join(value)
