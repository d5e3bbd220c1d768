"""The column `kind` of the view `plies`: it follows from the action, so that no file keeps it ply by ply."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def plies_view_sql(kinds: Mapping[int, str]) -> str:
    """Return the statement that makes `plies` of `ply_rows`; `kinds` has the kind of every action that occurs.

    Numbers of one kind lie together, so it takes one comparison or two to tell the kind of a ply.

    >>> plies_view_sql({0: "roll", 35: "roll", 36: "place", 90: "place"}).splitlines()[1]
    "SELECT game_id, ply, round, seat, CASE WHEN action <= 35 THEN 'roll' ELSE 'place' END AS kind,"
    """
    return (
        "CREATE OR REPLACE VIEW plies AS\n"
        f"SELECT game_id, ply, round, seat, {_kind_case_sql(kinds)} AS kind,\n"
        "action, options, score FROM ply_rows"
    )


def _kind_case_sql(kinds: Mapping[int, str]) -> str:
    spans = [
        (max(action for action, _ in span), kind.replace("'", "''"))
        for kind, span in groupby(sorted(kinds.items()), lambda item: item[1])
    ]
    if len(spans) < 2:
        return f"'{spans[0][1] if spans else ''}'"
    cases = " ".join(f"WHEN action <= {last} THEN '{kind}'" for last, kind in spans[:-1])
    return f"CASE {cases} ELSE '{spans[-1][1]}' END"
