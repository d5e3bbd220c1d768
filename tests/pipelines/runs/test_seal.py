"""Sealing writes every value once, and its file wastes no space.

The roll-ups are equal to counts made in Python from the replayed games.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import duckdb

from engine import games
from engine.play import replay_actions
from pipelines.design.designs import design_simulation
from pipelines.runs.schema import SCHEMA
from pipelines.runs.seal import Sealing, sealed_file_path
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.shards import play_shard
from pipelines.simulate.verify import ROLLUP_QUERIES

if TYPE_CHECKING:
    from pathlib import Path

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Run


def test_sealing_writes_no_log_beside_the_file(ruleset: Ruleset, tmp_path: Path) -> None:
    design = design_simulation(ruleset, ["random", "random"], blocks=2)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    for number in range(len(design.shards)):
        play_shard(partial.folder, design.model_dump_json(), number)
    with Sealing(partial) as sealing:
        sealing.take_shards()
        built = sealed_file_path(partial)
        assert [path.name for path in built.parent.glob("sealed*")] == [built.name]
        run = sealing.finish(lambda: 1.0)
    assert run.summary.games == design.games
    assert not run.path.stat().st_mode & 0o222, "nothing writes into a run file by accident"
    with run.connect() as connection:
        logged = connection.execute("SELECT count(*), count(DISTINCT game_id) FROM plies").fetchall()[0]
        expected = connection.execute("SELECT sum(plies), count(*) FROM games").fetchall()[0]
    assert logged == expected


def _table_rows(run: Run, table: str) -> list[tuple[Any, ...]]:
    with run.connect() as connection:
        return connection.execute(f"SELECT * EXCLUDE (ruleset) FROM {table}").fetchall()  # noqa: S608 - names of ours


def test_score_histogram_counts_every_seat_once(small_run: Run) -> None:
    counted = Counter(
        (seat.strategy, seat.seat, seat.score) for game in range(20) for seat in small_run.list_seats(game)
    )
    assert {row[:3]: row[3] for row in _table_rows(small_run, "score_histogram")} == counted


def test_part_totals_hold_sums_and_sums_of_squares(small_run: Run) -> None:
    totals: dict[tuple[str, int, str], list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    points: Counter[tuple[str, str, int]] = Counter()
    for game in range(20):
        *_, end = replay_actions(games.start_state(small_run.ruleset("bloxx-2p")), small_run.actions(game))
        for seat in small_run.list_seats(game):
            for part in end.parts[seat.seat]:
                adds = (1, part.count, part.count**2, part.points, part.points**2)
                key = seat.strategy, seat.seat, part.part
                totals[key] = [old + new for old, new in zip(totals[key], adds, strict=True)]
                points[seat.strategy, part.part, part.points] += 1
    assert {row[:3]: list(row[3:]) for row in _table_rows(small_run, "part_totals")} == totals
    assert {row[:3]: row[3] for row in _table_rows(small_run, "part_histogram")} == points


def test_game_lengths_count_every_game_once(small_run: Run) -> None:
    counted = Counter((small_run.game(game).rounds, small_run.game(game).plies) for game in range(20))
    assert {row[:2]: row[2] for row in _table_rows(small_run, "game_lengths")} == counted


def test_score_by_round_takes_the_last_score_up_to_the_end_of_the_round(small_run: Run) -> None:
    sums: dict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0, 0])
    for game in range(20):
        states = list(
            replay_actions(games.start_state(small_run.ruleset("bloxx-2p")), small_run.actions(game))
        )
        for seat in small_run.list_seats(game):
            for round_ in range(small_run.game(game).rounds):
                last = max(
                    ply
                    for ply, state in enumerate(states[:-1])
                    if state.round <= round_ and state.seat == seat.seat
                )
                score = states[last + 1].scores[seat.seat]
                key = seat.strategy, round_
                sums[key] = [old + new for old, new in zip(sums[key], (1, score, score**2), strict=True)]
    assert {row[:2]: list(row[2:]) for row in _table_rows(small_run, "score_by_round")} == sums


def test_squares_count_every_square_that_was_covered(small_run: Run) -> None:
    ruleset, counted = small_run.ruleset("bloxx-2p"), Counter[tuple[str, str, str | None, int]]()
    for game in range(20):
        names = [seat.strategy for seat in small_run.list_seats(game)]
        state = games.start_state(ruleset)
        for number in small_run.actions(game):
            action = ruleset.action(number)
            counted.update((names[state.seat], action.kind, action.piece, cell) for cell in action.cells)
            state = state.play(number)
    assert {row[:4]: row[4] for row in _table_rows(small_run, "squares")} == counted


def test_a_seat_that_has_finished_keeps_its_score_in_later_rounds() -> None:
    """Otherwise the last rounds would be a mean over the seats that still play."""
    with duckdb.connect() as connection:
        connection.execute(SCHEMA)
        connection.execute("INSERT INTO games VALUES (0, 'r', 0, 0, 4, 5, true)")
        connection.execute("INSERT INTO seats VALUES (0, 0, 'a', 7, 1, 1), (0, 1, 'b', 2, 2, 0)")
        connection.execute(
            "INSERT INTO ply_rows VALUES (0, 0, 0, 0, 1, 1, 5), (0, 1, 0, 1, 1, 1, 2), "
            "(0, 2, 1, 0, 1, 1, 6), (0, 3, 3, -1, 2, NULL, NULL), (0, 4, 3, 0, 1, 1, 7)"
        )
        query = ROLLUP_QUERIES["score_by_round"]
        scores = [row[1:3] + row[4:5] for row in connection.execute(query).fetchall()]
    assert scores == [
        *(("a", round_, score) for round_, score in enumerate([5, 6, 6, 7])),
        *(("b", round_, 2) for round_ in range(4)),
    ]
