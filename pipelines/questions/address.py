"""Questions as addresses: the only reader and the only writer of the queries of addresses.

A question is a frozen model whose fields are the keys of an address. A field of one value takes the first text of its key, a
field of several values (a tuple) takes all texts. What an address leaves out has its default. A text that does not fit never
becomes another question in silence: the reader returns a sentence on it.

    reading = read_question("strategies", {"ruleset": ["bloxx-2p"], "strategies": ["greedy", "random"], "blocks": ["many"]})
    reading.problems        # ("Blocks: expected a whole number from 1 to 1,000,000, not many.",)
    write_address(reading.question)
"""

from __future__ import annotations

import difflib
import re
import shlex
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Self, TypeVar, get_args, get_origin
from urllib.parse import parse_qs, urlencode, urlsplit

from annotated_types import Ge, Le, MaxLen
from pydantic import BaseModel, Field, ValidationError
from pydantic.fields import FieldInfo

from engine.errors import InvalidError
from engine.wording import capitalise
from pipelines.design.limits import NumberLimits, normal_form

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Address = Mapping[str, Sequence[str]]
"""The query of an address: the texts of each key."""

MAX_CHARACTERS_NAMED: Final = 60
"""Characters of an invalid value that a message repeats."""
MAX_ADDRESS_FIELDS: Final = 1_000
LARGEST_LIMIT_SAID: Final = 1_000_000
"""A larger limit of a field is only said of a number beyond it: nobody comes near it."""
_INTEGER_PATTERN: Final = re.compile(r"[+-]?[0-9]{1,400}")
_TYPE_WORDS: Final = {
    "tuple_type": "a list",
    "string_type": "a text",
    "bool_type": "True or False",
    "float_type": "a number",
    "float_parsing": "a number",
}
"""What people call the types of fields, by the errors of pydantic."""
LIBRARY_PAGE: Final = "library"
"""The page at the address `/`."""


@dataclass(frozen=True)
class CountedFromOne:
    """Marks integers that Reroll counts from 0 and addresses count from 1, as people do. Metadata of a field."""


class Work(NamedTuple):
    """How much is played for the answer of a question."""

    amount: int
    usual: int
    """How much it is with the defaults of the fields."""
    unit: str
    """What is counted, such as "blocks"."""


class Question(BaseModel, frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True):
    """One question. A subclass names its page and says in words and as a command what it asks."""

    page: ClassVar[str]
    """The page of the dashboard that answers it."""
    marks: ClassVar[frozenset[str]] = frozenset()
    """An address with at least one of these keys asks this question and no other one of the page; empty for any address."""
    display_keys: ClassVar[frozenset[str]] = frozenset()
    """Further keys of the page, which say how it shows its lists and not what is asked."""

    @property
    @abstractmethod
    def title(self) -> str:
        """What is asked, as a heading."""

    @property
    def command(self) -> str:
        """The command line that asks the same; a question without a command of its own is asked by its address."""
        return shlex.join(["reroll", "ask", write_path(self)])

    @property
    def work(self) -> Work | None:
        """How much is played for the answer; None if it comes from what is stored."""
        return None

    @property
    def games_question(self) -> Self:
        """The question without what changes no game that is played for its answer."""
        return self

    @property
    def typed_sql(self) -> str:
        """The SQL of a person in the question; empty if it has none."""
        return ""


AnyQuestion = TypeVar("AnyQuestion", bound=Question)


def number_field(
    title: str, limits: NumberLimits, description: str | None = None, alias: str | None = None
) -> Any:  # noqa: ANN401 - what `Field` returns
    """Return the metadata of a field that takes the integers within some limits."""
    return Field(title=title, description=description, alias=alias, ge=limits.minimum, le=limits.maximum)


def read_fields(kind: type[AnyQuestion], query: Address) -> tuple[AnyQuestion, tuple[str, ...]]:
    """Return the question of one class that a query asks, with a sentence on everything that is wrong with the query.

    Instead of a number that is too small or too large the question has the nearest one, instead of any other text that does
    not fit the default.
    """
    values, problems = _take_known_keys(kind, query)
    for _ in range(len(values) + 1):
        try:
            return kind.model_validate(values), tuple(problems)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                problems.append(_mend_value(kind, values, detail))
    return kind(), tuple(problems)


def make_question(kind: type[AnyQuestion], fields: Mapping[str, object]) -> AnyQuestion:
    """Return the question with some fields by their names. Raises InvalidError with a sentence on each value that does not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        details = error.errors(include_url=False)
        raise InvalidError(" ".join(_describe_problem(kind, detail) for detail in details)) from None


def write_address(question: Question) -> dict[str, list[str]]:
    """Return a question as the query of an address: the fields in the order of their class, without defaults."""
    document = question.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    counted_from_one = {
        field.alias for field in type(question).model_fields.values() if _is_counted_from_one(field)
    }
    texts = {
        key: [
            _write_text(item + 1 if key in counted_from_one else item)
            for item in (value if isinstance(value, list) else [value])
        ]
        for key, value in document.items()
    }
    return {key: values for key, values in texts.items() if values}


def format_path(page: str, query: Address) -> str:
    """Return an address with its page.

    >>> format_path("replay", {"run": ["my run"], "game-number": ["3"]})
    '/replay?run=my+run&game-number=3'
    >>> format_path("library", {})
    '/'
    """
    text = urlencode(list(query.items()), doseq=True)
    return f"/{'' if page == LIBRARY_PAGE else page}{f'?{text}' if text else ''}"


def write_path(question: Question) -> str:
    """Return the whole address of a question, such as `/scores?rulesets=bloxx-2p`."""
    return format_path(question.page, write_address(question))


def is_address(text: str) -> bool:
    """Return whether a text is an address of the dashboard, with or without its host.

    >>> is_address("/replay?run=demo&game-number=3"), is_address("http://127.0.0.1:8600/sql?sql=x"), is_address("demo")
    (True, True, False)
    """
    return "?" in text and text.startswith(("/", "http://", "https://"))


def split_address(text: str) -> tuple[str, dict[str, list[str]]]:
    """Return the page and the query of an address of the dashboard; raise InvalidError for any other text.

    >>> split_address("http://127.0.0.1:8600/replay?run=demo&game-number=3")
    ('replay', {'run': ['demo'], 'game-number': ['3']})
    """
    try:
        parts = urlsplit(text)
        query = parse_qs(parts.query, keep_blank_values=True, max_num_fields=MAX_ADDRESS_FIELDS)
    except ValueError as error:
        raise InvalidError(f"{text[:80]!r} is not an address: {error}") from None
    page = parts.path.strip("/").rpartition("/")[2] or LIBRARY_PAGE
    return page, query


def nothing_asked_error(*kinds: type[Question]) -> InvalidError:
    """Return the error on an address that asks nothing, with the fields of the classes of questions of its page."""
    keys = dict.fromkeys(key for kind in kinds for key in list_keys(kind))
    return InvalidError(
        f"the address of the page {kinds[0].page} asks nothing; its fields are {', '.join(keys)}"
    )


def list_keys(kind: type[Question]) -> tuple[str, ...]:
    """Return the keys of the fields of a class of questions, in their order in an address."""
    return tuple(field.alias or name for name, field in kind.model_fields.items())


def find_limits(kind: type[Question], name: str) -> NumberLimits:
    """Return the limits of a field of integers of a class of questions, for forms and options. Raises KeyError without one."""
    field = kind.model_fields[name]
    minimum, maximum = _bounds(field)
    return NumberLimits(minimum, maximum, field.default)


def find_choices(kind: type[Question], name: str) -> tuple[str, ...]:
    """Return the values of a field that takes one of several words."""
    return get_args(kind.model_fields[name].annotation)


def find_misfit(kind: type[Question], name: str, texts: Sequence[str]) -> str:
    """Return why a field does not take some texts, such as "expected a whole number from 1 to 9, not 12"; empty if it does."""
    field = kind.model_fields[name]
    key = field.alias or name
    _, problems = read_fields(kind, {key: texts})
    return problems[0].removeprefix(f"{_title_of(key, field)}: ").rstrip(".") if problems else ""


class UnknownName(str):
    """A problem of a question that names what does not exist: pages say it and show something else, notebooks raise it."""

    __slots__ = ()


def describe_unknown(kind: str, value: str, where: str = "") -> UnknownName:
    """Return the sentence on a value that does not exist, or not at a place such as "in these games".

    >>> describe_unknown("strategy", "nope"), describe_unknown("run", "nope", "in these games")
    ('There is no strategy nope.', 'There is no run nope in these games.')
    """
    return UnknownName(f"There is no {kind} {shorten_value(value)}{where and f' {where}'}.")


def write_problem(error: object) -> str:
    """Return the message of an error as a sentence.

    >>> write_problem("unknown strategy 'gredy'; did you mean greedy?"), write_problem("no such game")
    ("Unknown strategy 'gredy'; did you mean greedy?", 'No such game.')
    """
    message = str(error)
    return f"{capitalise(message)}{'' if message.endswith(('.', '?')) else '.'}"


def shorten_value(text: str) -> str:
    """Return a text from outside with at most as many characters as a message repeats."""
    return text if len(text) <= MAX_CHARACTERS_NAMED else f"{text[:MAX_CHARACTERS_NAMED]}…"


def _take_known_keys(kind: type[Question], query: Address) -> tuple[dict[str, Any], list[str]]:
    """Return the texts of the fields of a question by their keys, and a sentence on each text and key that means nothing."""
    values: dict[str, Any] = {}
    problems: list[str] = []
    rest = {key: list(map(normal_form, texts)) for key, texts in query.items()}
    for name, field in kind.model_fields.items():
        key = field.alias or name
        texts = rest.pop(key, [])
        if _is_counted_from_one(field) and texts != [""]:
            problems += [_describe_range(key, field, text) for text in texts if not _is_integer(text)]
            texts = [str(int(text) - 1) for text in texts if _is_integer(text)]
        if not texts or texts == [""]:
            continue
        values[key] = texts if _takes_several(field) else texts[0]
        if len(texts) > 1 and not _takes_several(field):
            problems.append(
                f"{_title_of(key, field)}: only one is possible, so {_count_as_people(field, texts[0])} counts."
            )
    return values, problems + [
        f"The address has a field {shorten_value(key)} that means nothing here{_suggest_key(kind, key)}"
        for key in rest
        if key not in kind.display_keys
    ]


def _suggest_key(kind: type[Question], key: str) -> str:
    """Return the end of a sentence on an unknown key: the nearest known one, if any is near."""
    near = difflib.get_close_matches(key, list_keys(kind), n=1)
    return f"; did you mean {near[0]}?" if near else "."


def _mend_value(kind: type[Question], values: dict[str, Any], detail: ErrorDetails) -> str:
    """Replace or remove the value that a validation error is about; return a sentence on it."""
    place, field = detail["loc"], _find_field(kind, detail)
    if field is None:  # the fields do not fit together: none of them can be blamed
        values.clear()
        return _describe_error(detail)
    key, text = str(place[0]), str(detail["input"])
    several = values.get(key)
    if isinstance(several, list) and len(place) > 1 and isinstance(place[1], int):
        values[key] = [item for item in several if item != text]
    elif detail["type"] in {"greater_than_equal", "less_than_equal"}:
        minimum, maximum = _bounds(field)
        values.pop(key)
        with suppress(ValueError):  # pydantic reads "0-10" as a number, Python does not
            values[key] = max(minimum, min(maximum, int(text)))
    elif isinstance(several, list) and detail["type"] == "too_long":
        values[key] = several[: _max_length(field)]
    else:
        values.pop(key, None)
    return _describe_misfit(key, field, text, detail)


def _title_of(key: str, field: FieldInfo) -> str:
    """Return what people call a field, at the beginning of a sentence."""
    title = field.title or key
    return capitalise(title)


def _find_field(kind: type[Question], detail: ErrorDetails) -> FieldInfo | None:
    """Return the field that a validation error is about; None if it is about several."""
    fields_by_name = {
        alias: field for name, field in kind.model_fields.items() for alias in (name, field.alias)
    }
    return fields_by_name.get(str(detail["loc"][0])) if detail["loc"] else None


def _describe_problem(kind: type[Question], detail: ErrorDetails) -> str:
    """Return the sentence on a validation error."""
    field = _find_field(kind, detail)
    if field is None and detail["type"] == "extra_forbidden":
        key = str(detail["loc"][0])
        return f"There is no argument {shorten_value(key)}{_suggest_key(kind, key)}"
    if field is None:
        return _describe_error(detail)
    return _describe_misfit(str(detail["loc"][0]), field, str(detail["input"]), detail)


def _describe_misfit(key: str, field: FieldInfo, text: str, detail: ErrorDetails) -> str:
    if detail["type"] in {
        "greater_than_equal",
        "less_than_equal",
        "int_parsing",
        "int_parsing_size",
        "int_type",
    }:
        return _describe_range(key, field, _count_as_people(field, text))
    if detail["type"] == "literal_error":
        expected = detail["ctx"]["expected"].replace("'", "").removeprefix(", ")
        near = difflib.get_close_matches(text, map(str, get_args(field.annotation)), n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected {expected}."
        return f"{describe_unknown(field.title or key, text).rstrip('.')}; {hint}"
    if detail["type"] == "bool_parsing":
        return describe_unknown(field.title or key, text)
    if detail["type"] == "too_long":
        return f"{_title_of(key, field)}: at most {_max_length(field)} are possible; the others are left out."
    if detail["type"] == "string_too_long":
        return (
            f"{_title_of(key, field)}: expected at most {_max_length(field):,} characters, not {len(text):,}."
        )
    words = _TYPE_WORDS.get(detail["type"])
    misfit = f"expected {words}, not {shorten_value(text)}." if words else _describe_error(detail)
    return f"{_title_of(key, field)}: {misfit}"


def _describe_range(key: str, field: FieldInfo, text: str) -> str:
    """Return the sentence on a text that is not an integer, or not within the limits of its field."""
    minimum, maximum = (limit + _is_counted_from_one(field) for limit in _bounds(field))
    is_too_large = _is_integer(text) and int(text) > maximum
    end = f"to {maximum:,}" if is_too_large or maximum <= LARGEST_LIMIT_SAID else "on"
    return (
        f"{_title_of(key, field)}: expected a whole number from {minimum:,} {end}, not {shorten_value(text)}."
    )


def _count_as_people(field: FieldInfo, text: str) -> str:
    """Return the value of a field as an address writes it, shortened."""
    is_shifted = _is_counted_from_one(field) and _is_integer(text)
    return shorten_value(str(int(text) + 1) if is_shifted else text)


def _is_counted_from_one(field: FieldInfo) -> bool:
    return any(isinstance(mark, CountedFromOne) for mark in field.metadata)


def _is_integer(text: str) -> bool:
    return _INTEGER_PATTERN.fullmatch(text) is not None


def _describe_error(detail: ErrorDetails) -> str:
    words = "expected UTF-8 text" if detail["type"] == "string_unicode" else detail["msg"]
    return write_problem(detail.get("ctx", {}).get("error", words))


def _takes_several(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is tuple


def _bounds(field: FieldInfo) -> tuple[int, int]:
    """Return the smallest and the largest integer of a field, or of each of its values."""
    marks = [*field.metadata]
    for part in get_args(field.annotation):
        for mark in getattr(part, "__metadata__", ()):
            marks += mark.metadata if isinstance(mark, FieldInfo) else [mark]
    least = next(mark.ge for mark in marks if isinstance(mark, Ge))
    maximum = next(mark.le for mark in marks if isinstance(mark, Le))
    return int(str(least)), int(str(maximum))


def _max_length(field: FieldInfo) -> int:
    return next(mark.max_length for mark in field.metadata if isinstance(mark, MaxLen))


def _write_text(value: object) -> str:
    """Return a value of JSON as the text of an address.

    >>> _write_text(True), _write_text(3), _write_text("greedy")
    ('1', '3', 'greedy')
    """
    return str(int(value)) if isinstance(value, bool) else str(value)
