"""The form fields of a ruleset, derived from the JSON schema of its model, so that each new game has a form.

Does not import Streamlit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from engine.errors import InvalidError
from engine.wording import capitalise
from pipelines.report.ruleset_words import join_entries

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

FieldKind: TypeAlias = Literal["choice", "number", "switch", "text", "list", "table", "other"]

MAX_FIELD_CHARACTERS: Final = 20_000
"""Maximum length of the text in a field."""
_CLAUSE_PREFIX: Final = re.compile(r"^[A-Z]{2}-[0-9]+: ")
"""The clause number at the start of a description."""


@dataclass(frozen=True)
class RulesetField:
    """A form field for one value of a ruleset."""

    key: str
    """The dotted key of the value in the document, for example `options.side`."""
    kind: FieldKind
    about: str
    """The meaning of the value, from the description in its model."""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    values: FieldKind = "text"
    """The kind of the values, if this is a table."""

    @property
    def setting(self) -> str:
        """The key within the options or the tables, for example `side` or `dice.A`."""
        return self.key.partition(".")[2]

    @property
    def group(self) -> str:
        """The name of the option or table to which the value belongs."""
        return self.setting.partition(".")[0]

    def value_in(self, document: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any value of a ruleset
        """Return the value of this field in a document; raise KeyError or TypeError if the document has none."""
        value: Any = document
        for name in self.key.split("."):
            value = value[name]
        return value

    def format_text(self, value: Any) -> str:  # noqa: ANN401 - as above
        """Return a value as the text of this field.

        >>> RulesetField("tables.rows", "table", "", values="list").format_text({"1": ["I1", "O4"]})
        '1 = I1 O4'
        """
        if self.kind == "list":
            return join_entries(value)
        if self.kind == "table":
            lines = (
                (key, join_entries(entry) if self.values == "list" else str(entry))
                for key, entry in value.items()
            )
            return "\n".join(f"{key} = {entry}" for key, entry in lines)
        return json.dumps(value, ensure_ascii=False) if self.kind == "other" else str(value)

    def parse_text(self, text: str) -> Any:  # noqa: ANN401 - as above
        """Return the value of a text in this field; raise InvalidError with the line number if it cannot be parsed.

        >>> RulesetField("tables.coloured_rows", "table", "", values="number").parse_text("green = 2")
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
        table: dict[str, Any] = {}
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or not key:
                raise InvalidError(f"line {number}: expected name = value, not {line.strip()[:40]!r}")
            if key in table:
                raise InvalidError(f"line {number}: {key} occurs twice")
            if self.values == "list":
                table[key] = value.replace(",", " ").split()
            elif self.values == "number":
                try:
                    table[key] = _parse_integer(value)
                except InvalidError as error:
                    raise InvalidError(f"line {number}, {key}: {error}") from None
            else:
                table[key] = value
        return table


def ruleset_fields(model: type[Ruleset]) -> list[RulesetField]:
    """Return the form fields of a ruleset model, options first."""
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    return [
        field
        for part in ("options", "tables")
        for field in _schema_fields(part, schema["properties"][part], definitions)
    ]


def with_value(document: Mapping[str, Any], key: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Return a copy of a document in which a dotted key has another value.

    >>> with_value({"options": {"side": 9}}, "options.side", 8)
    {'options': {'side': 8}}
    """
    head, _, rest = key.partition(".")
    return {**document, head: with_value(document.get(head, {}), rest, value) if rest else value}


def paint_square(text: str, column: int, row: int, mark: str) -> str:
    r"""Return the text of a drawing in which a square has another mark; rows count from the bottom. Others are ignored.

    >>> paint_square("1..\n..2", 0, 0, "9"), paint_square("1..\n..2", 7, 0, "9")
    ('1..\n9.2', '1..\n..2')
    """
    rows = text.split()
    if row in range(len(rows)) and column in range(len(rows[-1 - row])):
        marks = rows[-1 - row]
        rows[-1 - row] = marks[:column] + mark + marks[column + 1 :]
    return "\n".join(rows)


def _schema_fields(key: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[RulesetField]:
    """Return the field of a schema, or the fields of its properties if it has any."""
    about = _CLAUSE_PREFIX.sub("", schema.get("description", ""))
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rsplit("/", 1)[-1]]
    if "properties" in schema:
        return [
            field
            for name, inner in schema["properties"].items()
            for field in _schema_fields(f"{key}.{name}", inner, definitions)
        ]
    kind = _field_kind(schema)
    value_schemas = [*schema.get("patternProperties", {}).values(), schema.get("additionalProperties")]
    values: FieldKind = next(
        (_field_kind(inner) for inner in value_schemas if isinstance(inner, dict)), "text"
    )
    return [
        RulesetField(
            key,
            kind if kind != "table" or values in {"text", "number", "list"} else "other",
            capitalise(about),
            schema.get("minimum"),
            schema.get("maximum"),
            tuple(map(str, schema.get("enum", ()))),
            values,
        )
    ]


def _field_kind(schema: Mapping[str, Any]) -> FieldKind:
    if "enum" in schema:
        return "choice"
    kinds: dict[str, FieldKind] = {
        "integer": "number",
        "boolean": "switch",
        "string": "text",
        "object": "table",
    }
    if schema.get("type") == "array":
        return "list" if schema.get("items", {}).get("type") == "string" else "other"
    return kinds.get(str(schema.get("type")), "other")


def _parse_integer(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        raise InvalidError(f"expected a whole number, not {text[:40]!r}")
    return int(text)
