"""Parameters of a query, such as `$n`: their names, their kinds, and their values as DuckDB binds them.

A value never becomes part of the text of a query: `pipelines.runs.query.answer_query` takes text and values apart.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from engine import games
from engine.errors import InvalidError, unknown_name_error
from pipelines.design.limits import MAX_VALUE_CHARACTERS, check_length

if TYPE_CHECKING:
    from pipelines.runs.run import Run

ParameterKind = Literal["number", "text", "run", "ruleset", "strategy"]
PARAMETER_KINDS: Final[tuple[ParameterKind, ...]] = get_args(ParameterKind)
ParameterValue: TypeAlias = int | float | str

MAX_PARAMETERS: Final = 20
_MAX_DIGITS: Final = 30
_TOKEN_PATTERN: Final = re.compile(
    r"""--[^\n]*+                                     # a comment to the end of the line
      | (?P<comment>/\*)                              # comments in comments are counted below
      | [eE]'(?:[^'\\]|''|\\.)*+'?                    # a text with backslashes
      | '(?:[^']|'')*+'?
      | "(?:[^"]|"")*+"?                              # a name in quotes
      | \$(?P<tag>[^\W\d]\w*+)?\$.*?(?:(?(tag)\$(?P=tag)|\$)\$|\Z)    # a text between dollars
      | (?P<word>\w[\w$]*+)                         # a name or a number may contain dollars
      | \$(?P<name>\w++)""",
    re.VERBOSE | re.DOTALL,
)
_COMMENT_END_PATTERN: Final = re.compile(r"/\*|\*/")
_NUMBER_PATTERN: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_WHOLE_NUMBER_PATTERN: Final = re.compile(rf"[+-]?\d{{1,{_MAX_DIGITS}}}", re.ASCII)


def find_parameters(sql: str) -> list[str]:
    """Return the names of the parameters of a query in the order in which they first occur.

    Upper and lower case are the same, as in DuckDB. Texts, names in quotes and comments contain no parameters.

    >>> find_parameters("SELECT '$no', $n FROM t WHERE x > $least AND y < $N -- $no")
    ['n', 'least']
    """
    names: dict[str, str] = {}
    for match in _iter_tokens(sql):
        if match["name"]:
            names.setdefault(match["name"].lower(), match["name"])
    return list(names.values())


def list_words(sql: str) -> list[str]:
    """Return the words of a query, without those in texts, names in quotes and comments.

    >>> list_words("SELECT 'no', score /* no */ FROM seats -- no")
    ['SELECT', 'score', 'FROM', 'seats']
    """
    return [word for match in _iter_tokens(sql) if (word := match["word"]) and not word[0].isdecimal()]


def _iter_tokens(sql: str) -> Iterator[re.Match[str]]:
    """Yield texts, names, comments and parameters; the time grows with the length of the query, whatever is in it."""
    position = 0
    while match := _TOKEN_PATTERN.search(sql, position):
        position = _comment_end(sql, match.end()) if match["comment"] else match.end()
        yield match


def _comment_end(sql: str, position: int) -> int:
    """Return where a comment ends whose inside begins at a position."""
    depth = 1
    while depth and (match := _COMMENT_END_PATTERN.search(sql, position)):
        depth += 1 if match[0] == "/*" else -1
        position = match.end()
    return len(sql) if depth else position


def named_kind(name: str) -> ParameterKind | None:
    """Return the kind that the name of a parameter says; None if it says none.

    >>> named_kind("run"), named_kind("strategy_b"), named_kind("first_ruleset"), named_kind("rounds")
    ('run', 'strategy', 'ruleset', None)
    """
    words = re.sub(r"\d+", " ", name.lower()).replace("_", " ").split()
    return next((kind for kind in ("run", "ruleset", "strategy", "text") if kind in words), None)


def default_kind(name: str, text: str | None) -> ParameterKind:
    """Return the kind of a parameter that nobody has described: that of its name, else of its value.

    >>> default_kind("run", "demo"), default_kind("n", None), default_kind("n", "3"), default_kind("n", "three")
    ('run', 'number', 'number', 'text')
    """
    return named_kind(name) or ("number" if text is None or is_number(text) else "text")


def is_number(text: str) -> bool:
    """Return whether a text is a number as people type it, without thousands separators."""
    return _NUMBER_PATTERN.fullmatch(text.strip()) is not None


def parse_value(name: str, kind: ParameterKind, text: str) -> ParameterValue:
    """Return the value of a parameter; raise InvalidError if the text does not fit its kind.

    >>> parse_value("n", "number", "3"), parse_value("x", "number", "0.5"), parse_value("t", "text", "3")
    (3, 0.5, '3')
    """
    check_length(text, MAX_VALUE_CHARACTERS, f"the value of ${name}")
    if kind != "number":
        return text
    if _WHOLE_NUMBER_PATTERN.fullmatch(text.strip()):
        return int(text)
    number = float(text) if is_number(text) else math.nan
    if not math.isfinite(number):
        raise InvalidError(f"the value of ${name} is not a number: {text[:40]!r}")
    return number


def known_values(kind: ParameterKind, runs: Iterable[Run]) -> list[str]:
    """Return the runs, rulesets or strategies from which a parameter is chosen; nothing for numbers and texts."""
    if kind == "run":
        return [run.name for run in runs]
    if kind == "ruleset":
        names = {
            (games.list_order(ruleset.game), ruleset.name) for run in runs for ruleset in run.summary.rulesets
        }
        return [name for _, name in sorted(names)]
    return sorted({name for run in runs for name in run.summary.strategies}) if kind == "strategy" else []


def bind_parameters(
    sql: str, texts: Mapping[str, str], kinds: Mapping[str, ParameterKind], runs: Sequence[Run]
) -> dict[str, ParameterValue]:
    """Return the values of all parameters of a query, from what people typed.

    A parameter without a kind is what its name says; else it is a number if its text is one. Texts of other names do not
    count. Raises InvalidError if a value is missing or does not fit.
    """
    names = {name.lower(): name for name in find_parameters(sql)}
    if len(names) > MAX_PARAMETERS:
        raise InvalidError(f"a query has at most {MAX_PARAMETERS} parameters, not {len(names)}")
    typed = {name.lower(): text for name, text in texts.items()}
    declared = {name.lower(): kind for name, kind in kinds.items()}
    values: dict[str, ParameterValue] = {}
    for key, name in names.items():
        if key not in typed:
            raise InvalidError(f"the query needs a value for ${name}")
        text = typed[key]
        kind = declared.get(key) or default_kind(name, text)
        values[name] = parse_value(name, kind, text)
        known = known_values(kind, runs)
        if kind in {"run", "ruleset", "strategy"} and text not in known:
            raise unknown_name_error(kind, text[:80], known)
    return values


def check_parameter_names(sql: str, required_names: Iterable[str]) -> None:
    """Raise InvalidError if one of these names is not a parameter of a query."""
    names = find_parameters(sql)
    known = {name.lower() for name in names}
    unknown = next((name for name in required_names if name.lower() not in known), None)
    if unknown is not None:
        listed = f"its parameters are {', '.join(f'${name}' for name in names)}"
        raise InvalidError(
            f"the query has no parameter ${unknown[:40]}; {listed if names else 'it has none'}"
        )


def split_setting(setting: str) -> tuple[str, str]:
    """Return the name and the value of a setting such as `n=3` or `$n=3`; raise InvalidError for any other text.

    >>> split_setting("n=3"), split_setting("$text=a=b")
    (('n', '3'), ('text', 'a=b'))
    """
    name, equals, value = setting.partition("=")
    name = name.strip().removeprefix("$")
    if not equals or not re.fullmatch(r"\w{1,60}", name):
        raise InvalidError(f"expected NAME=VALUE, such as n=3, not {setting[:40]!r}")
    return name, value
