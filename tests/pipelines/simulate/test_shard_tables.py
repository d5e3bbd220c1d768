"""The roll-ups of a shard do not depend on whether Numba counts them, nor on how large the action numbers are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.design.designs import design_simulation
from pipelines.runs.schema import SHARD_TABLES, kind_spans, plies_query
from pipelines.simulate import shard_tables
from pipelines.simulate.shard_tables import ShardColumns
from pipelines.simulate.shards import play_game

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.runs.run import Run


@pytest.fixture(scope="module")
def made_tables(ruleset: Ruleset) -> dict[str, pa.Table]:
    planned = design_simulation(ruleset, ["greedy", "random"], blocks=3, log="sample=0.5")
    columns = ShardColumns()
    for block in range(planned.blocks):
        for rotation in range(planned.rotations):
            columns.add_game(planned, play_game(planned, block, rotation))
    return {table: columns.build_table(table) for table in SHARD_TABLES}


def test_numba_counts_what_plain_python_counts(
    made_tables: dict[str, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard_tables, "MAX_UNCOMPILED_PLIES", 0)
    compiled = shard_tables.ply_sums(made_tables)
    monkeypatch.setattr(shard_tables, "_load_ply_counter", lambda: shard_tables._count_plies)
    assert compiled == shard_tables.ply_sums(made_tables)


def test_a_small_shard_is_counted_without_loading_numba(
    made_tables: dict[str, pa.Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse_to_load() -> None:
        raise AssertionError("Numba takes a second to load")

    monkeypatch.setattr(shard_tables, "_load_ply_counter", refuse_to_load)
    assert 0 < len(made_tables["plies"]) < shard_tables.MAX_UNCOMPILED_PLIES
    assert len(shard_tables.ply_sums(made_tables)["rounds"]) > 0


def test_every_logged_ply_is_counted_once(made_tables: dict[str, pa.Table]) -> None:
    counts = shard_tables.ply_sums(made_tables)["actions"]
    assert sum(counts["plies"].to_pylist()) == len(made_tables["plies"]) > 0
    chance = [row["plies"] for row in counts.to_pylist() if row["strategy"] is None]
    assert sum(chance) == made_tables["plies"]["seat"].to_pylist().count(-1) > 0


def test_actions_may_have_very_large_numbers(made_tables: dict[str, pa.Table]) -> None:
    offset = 2_000_000_000
    plies = made_tables["plies"]
    actions = pa.array([number + offset for number in plies["action"].to_pylist()], pa.int32())
    moved = {
        **made_tables,
        "plies": plies.set_column(plies.schema.get_field_index("action"), "action", actions),
    }
    near, shifted = shard_tables.ply_sums(made_tables)["actions"], shard_tables.ply_sums(moved)["actions"]
    assert [number - offset for number in shifted["action"].to_pylist()] == near["action"].to_pylist()
    assert shifted["plies"] == near["plies"]


@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.sampled_from([-(2**31), -3, 0, 1, 700, 2**31 - 1])] * width), min_size=1
        )
    )
)
def test_equal_rows_are_counted_whatever_numbers_they_hold(rows: list[tuple[int, ...]]) -> None:
    found = shard_tables._count_rows([np.array(column) for column in zip(*rows, strict=True)])
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [
        (*row, count) for row, count in sorted(Counter(rows).items())
    ]


def test_without_plies_there_are_no_sums(made_tables: dict[str, pa.Table]) -> None:
    games = made_tables["games"]
    unlogged = games.set_column(
        games.schema.get_field_index("logged"), "logged", pa.array([False] * len(games))
    )
    none = shard_tables.ply_sums(
        {**made_tables, "games": unlogged, "plies": made_tables["plies"].slice(0, 0)}
    )
    assert [len(table) for table in none.values()] == [0, 0]


def test_the_view_of_plies_has_the_kind_of_every_action(small_run: Run) -> None:
    with small_run.connect() as connection:
        wrong = connection.execute(
            "SELECT count(*) FROM plies JOIN actions USING (action) WHERE plies.kind <> actions.kind"
        ).fetchall()
        kinds = connection.execute("SELECT count(DISTINCT kind) FROM plies").fetchall()
    assert wrong == [(0,)]
    assert kinds[0][0] > 1


@pytest.mark.parametrize(
    ("kinds", "expression"),
    [
        ({}, "'' AS kind"),
        ({7: "place"}, "'place' AS kind"),
        (
            {3: "b", 1: "a", 2: "b", 9: "a"},
            "CASE WHEN action <= 1 THEN 'a' WHEN action <= 3 THEN 'b' ELSE 'a' END AS kind",
        ),
        ({0: "it's", 1: "b"}, "CASE WHEN action <= 0 THEN 'it''s' ELSE 'b' END AS kind"),
    ],
)
def test_kinds_are_told_apart_by_spans_of_numbers(kinds: dict[int, str], expression: str) -> None:
    assert expression in plies_query(kind_spans(kinds.items()))
