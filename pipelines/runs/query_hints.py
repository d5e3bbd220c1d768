"""The table or column that was meant in a query that failed, for people who do not know the names by heart.

DuckDB says what it did not find; the schema says which names there are, and in which tables.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.runs.schema import documented_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pipelines.runs.query_errors import QueryPosition

SIMILARITY: Final = 0.6
"""How alike two names must be, as `difflib` measures it, for the one to be suggested instead of the other."""

_WORD: Final = re.compile(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/|\b[A-Za-z_]\w*", re.DOTALL)


class QueryHint(NamedTuple):
    """What is wrong with a query and what to do."""

    text: str
    replacement: str = ""
    """What may stand instead of the word that is wrong; empty if that is not known."""
    mended_sql: str = ""
    """The query with the replacement; empty if there is none."""


def explain_failure(sql: str, message: str, position: QueryPosition | None = None) -> QueryHint | None:
    """Return what to change in a query that DuckDB refused with `message`; None if nothing is known.

    `position` is where the mistake is, if that is known: only there is a word replaced.

    >>> explain_failure("SELECT score FROM seat", "Table with name seat does not exist!").text
    'There is no table seat. Did you mean seats?'
    """
    for pattern, explain in _EXPLANATIONS.items():
        match = pattern.search(message)
        if match:
            return explain(sql, match, position)
    return None


def _explain_unknown_column(sql: str, match: re.Match[str], position: QueryPosition | None) -> QueryHint:
    name = match[1]
    tables = {table.name: [column.name for column in table.columns] for table in documented_tables()}
    words = {word.lower() for word in _iter_words(sql)}
    used = [table for table in tables if table in words]
    start = f"There is no column {name}."
    if used:
        owners = f"The table {used[0]} has" if len(used) == 1 else f"The tables {', '.join(used)} have"
        start = f"{owners} no column {name}."
    elsewhere = [table for table, columns in tables.items() if name.lower() in columns]
    if elsewhere:
        return QueryHint(f"{start} {_list_tables(elsewhere)} it.")
    near = _find_nearest(name, sorted({column for table in used or tables for column in tables[table]}))
    hint = _suggest_name(sql, start, name, near, position)
    if near or not re.search(rf'=\s*"?{re.escape(name)}\b', sql):
        return hint
    return QueryHint(f"{start} If it is text, write it in single quotes: '{name}'.")


def _list_tables(names: list[str]) -> str:
    """Return which tables have a column, as the start of a sentence that ends with "it"."""
    if len(names) == 1:
        return f"The table {names[0]} has"
    return f"The tables {', '.join(names[:-1])} and {names[-1]} have"


def _explain_unknown_table(sql: str, match: re.Match[str], position: QueryPosition | None) -> QueryHint:
    near = _find_nearest(match[1], [table.name for table in documented_tables()])
    return _suggest_name(sql, f"There is no table {match[1]}.", match[1], near, position)


def _suggest_name(
    sql: str, start: str, name: str, near: str | None, position: QueryPosition | None
) -> QueryHint:
    if near is None:
        return QueryHint(start)
    return QueryHint(f"{start} Did you mean {near}?", near, _replace_word(sql, name, near, position))


def _replace_word(sql: str, name: str, replacement: str, position: QueryPosition | None) -> str:
    """Return the query with another word at the position of the mistake; empty if `name` does not stand there."""
    if position is None:
        return ""
    lines = sql.split("\n")
    line, start = lines[position.line - 1], position.column - 1
    match = re.compile(rf"(?:\w+\.)?{re.escape(name)}\b", re.IGNORECASE).match(line, start)
    if match is None:
        return ""
    end = match.end()
    lines[position.line - 1] = line[: end - len(name)] + replacement + line[end:]
    return "\n".join(lines)


def _find_nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most alike; None if none is alike."""
    by_letters = {one.lower(): one for one in names}
    found = get_close_matches(name.lower(), by_letters, 1, SIMILARITY)
    return by_letters[found[0]] if found else None


def _iter_words(sql: str) -> list[str]:
    """Return the words of a query, without those in text and comments."""
    return [word for word in _WORD.findall(sql) if word[0].isalpha() or word[0] == "_"]


_EXPLANATIONS: Final[
    Mapping[re.Pattern[str], Callable[[str, re.Match[str], QueryPosition | None], QueryHint]]
] = {
    re.compile(r'Referenced column "([^"]+)" not found'): _explain_unknown_column,
    re.compile(r'does not have a column named "([^"]+)"'): _explain_unknown_column,
    re.compile(r"Table with name (\w+) does not exist"): _explain_unknown_table,
}
