"""What to change in a query that failed, in words for people who know little SQL, from the messages of DuckDB.

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
KEYWORDS: Final = (
    *(
        "SELECT",
        "DISTINCT",
        "FROM",
        "JOIN",
        "LEFT",
        "USING",
        "ON",
        "WHERE",
        "AND",
        "OR",
        "NOT",
        "IN",
        "IS",
        "NULL",
        "LIKE",
    ),
    *(
        "BETWEEN",
        "GROUP",
        "BY",
        "ALL",
        "HAVING",
        "ORDER",
        "ASC",
        "DESC",
        "LIMIT",
        "OFFSET",
        "WITH",
        "AS",
        "UNION",
        "OVER",
    ),
    *("PARTITION", "CASE", "WHEN", "THEN", "ELSE", "END"),
)
FUNCTIONS: Final = (
    "abs",
    "avg",
    "count",
    "max",
    "median",
    "min",
    "round",
    "sqrt",
    "stddev_samp",
    "string_agg",
    "sum",
)

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


def _explain_unknown_function(sql: str, match: re.Match[str], position: QueryPosition | None) -> QueryHint:
    near = _find_nearest(match[1], FUNCTIONS)
    return _suggest_name(sql, f"There is no function {match[1]}.", match[1], near, position)


def _explain_missing_group(_: str, match: re.Match[str], __: QueryPosition | None) -> QueryHint:
    return QueryHint(
        f"Each row of the answer stands for many rows, which may differ in {match[1]}. "
        "End the query with GROUP BY ALL to have a row for each value."
    )


def _explain_ambiguous_column(_: str, match: re.Match[str], __: QueryPosition | None) -> QueryHint:
    owners = match[2].replace("'", "").replace(", ", " or ")
    return QueryHint(
        f"More than one table has the column {match[1]}: write {owners}. "
        f"If the tables are joined by it, write USING ({match[1]}) instead of ON."
    )


def _explain_syntax_error(sql: str, match: re.Match[str], _: QueryPosition | None) -> QueryHint:
    """Explain that a query cannot be read: usually a keyword is misspelt, or a comma is missing before the place."""
    near = match[1] or ""
    known = {name for table in documented_tables() for name in (table.name, *(c.name for c in table.columns))}
    for word in _iter_words(sql):
        if word.upper() in KEYWORDS or word.lower() in known or word.lower() in FUNCTIONS:
            continue
        keyword = _find_nearest(word.upper(), KEYWORDS, 0.75)
        if keyword:
            mended = re.sub(rf"\b{re.escape(word)}\b", keyword, sql, count=1)
            return QueryHint(
                f"The query cannot be read. Did you mean {keyword} instead of {word}?", keyword, mended
            )
    if not near:
        return QueryHint("The query ends too early: a word, a bracket or a quotation mark is missing.")
    return QueryHint(f"The query cannot be read at {near}. A comma or a word may be missing before it.")


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


def _find_nearest(name: str, names: Iterable[str], similarity: float = SIMILARITY) -> str | None:
    """Return the name that is most alike; None if none is alike."""
    by_letters = {one.lower(): one for one in names}
    found = get_close_matches(name.lower(), by_letters, 1, similarity)
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
    re.compile(r"Function with name (\w+) does not exist"): _explain_unknown_function,
    re.compile(r'column "([^"]+)" must appear in the GROUP BY'): _explain_missing_group,
    re.compile(r'Ambiguous reference to column name "([^"]+)" \(use: (.+)\)'): _explain_ambiguous_column,
    re.compile(r'syntax error at or near "([^"]*)"|syntax error at end of input'): _explain_syntax_error,
}
