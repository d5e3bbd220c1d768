"""The format number of a run file, and the columns from which questions are answered without knowing the game."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from engine import games
from engine.actions import CHANCE
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.play import replay_actions
from pipelines.design.designs import design_simulation, read_design
from pipelines.runs.schema import RUN_FORMAT, schema_columns
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import ROLLUP_QUERIES, verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs.run import Run

RULESETS = ("bloxx-3p", "blokus-2p", "blokus-3p", "blokus-duo", "blokus-dice-3p", "spexxx-2p")


@pytest.fixture(scope="module", params=RULESETS)
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of three games of each game."""
    ruleset = Catalogue().find_ruleset(request.param)
    design = design_simulation(ruleset, ["random"] * ruleset.players, blocks=3, seed=5)
    return simulate_run(design, tmp_path_factory.mktemp("played") / "run.duckdb", workers=1)


def rows_of(run: Run, query: str) -> list[tuple[Any, ...]]:
    with run.connect() as connection:
        return connection.execute(query).fetchall()


def log_rows(run: Run, column: str, game: int) -> list[int | None]:
    """Return a column of the log of a game."""
    with run.connect() as connection:
        rows = connection.table("log").filter(f"game_id = {game}").order("ply").select(column).fetchall()
    return [value for (value,) in rows]


def test_a_run_file_has_its_format_number(small_run: Run) -> None:
    assert rows_of(small_run, "SELECT format FROM run") == [(RUN_FORMAT,)]


def test_a_file_of_an_older_format_is_refused_with_the_command_that_plays_it_again(
    change_run: Callable[[str], Run],
) -> None:
    run = change_run("ALTER TABLE run DROP COLUMN format; UPDATE run SET versions = '{\"schema\": 2}'")
    with pytest.raises(InvalidError) as refused:
        _ = run.summary
    assert str(refused.value) == (
        f"{run.path}: the run file has format 2, this Reroll reads format {RUN_FORMAT}; play its games again with: "
        "reroll simulate bloxx-2p --strategies greedy,random --blocks 10 --seed 7"
    )


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf /",
        "reroll ls; rm -rf /",
        "reroll ls $(rm -rf /)",
        "reroll ls `rm`",
        "reroll ls\nrm -rf /",
        "reroll ls '",
        "reroll ls > /etc/passwd",
    ],
)
def test_the_command_of_a_stranger_is_not_recommended(change_run: Callable[[str], Run], command: str) -> None:
    quoted = command.replace("'", "''")
    run = change_run(f"UPDATE run SET format = 1, command = '{quoted}'")  # noqa: S608 - a quoted text
    with pytest.raises(InvalidError, match=r"play its games again, or read it with the Reroll that made it$"):
        _ = run.summary


def test_a_file_of_a_newer_format_asks_for_a_newer_reroll(change_run: Callable[[str], Run]) -> None:
    with pytest.raises(InvalidError, match=r"format 99.*newer Reroll"):
        _ = change_run("UPDATE run SET format = 99").summary


@pytest.mark.parametrize("found", [None, "2"])
def test_an_unfinished_run_of_an_older_reroll_is_refused_in_one_line(
    ruleset: Ruleset, tmp_path: Path, found: str | None
) -> None:
    design = design_simulation(ruleset, ["greedy", "random"], blocks=10, seed=7)
    partial = begin_run(tmp_path / "old.duckdb", design, free_name=False)
    file = partial.folder / "format"
    file.unlink() if found is None else file.write_text(found)
    with pytest.raises(
        InvalidError, match=r"begun by another Reroll .*play it again with: reroll simulate"
    ) as refused:
        _ = UnfinishedRun(partial.folder).design
    assert "\n" not in str(refused.value)


def test_a_design_in_a_run_file_does_not_depend_on_the_machine(ruleset: Ruleset, tmp_path: Path) -> None:
    planned = design_simulation(ruleset, ["greedy", "random"], blocks=40, seed=7)
    documents = []
    for size in (1, 3):
        design = planned.model_copy(update={"shard_blocks": size})
        run = simulate_run(design, tmp_path / f"{size}.duckdb", workers=1)
        documents.append(rows_of(run, "SELECT design FROM run")[0][0])
    assert documents[0] == documents[1]
    assert "shard_blocks" not in json.loads(documents[0])
    assert read_design(documents[0], "the run").games == 80


def test_columns_of_sums_are_called_sums() -> None:
    """Every other column of a roll-up is a key or counts rows, so `avg(score)` of a sum cannot be asked by mistake."""
    for table in ROLLUP_QUERIES:
        columns = schema_columns()[table]
        sums = {name for name, type_ in columns.items() if type_ in {"BIGINT", "HUGEINT"}}
        assert all(name.endswith("_sum") for name in sums), table
        assert not sums or "n" in columns


def test_a_mean_by_round_follows_from_the_sums(small_run: Run) -> None:
    """The sums of the last round of games of one length give the mean of the final scores."""
    by_round = rows_of(
        small_run,
        "SELECT strategy, sum(score_sum) FROM score_by_round WHERE round = 0 GROUP BY ALL ORDER BY ALL",
    )
    expected = rows_of(
        small_run,
        """SELECT strategy, sum(last) FROM (
             SELECT game_id, seat, arg_max(score, ply) AS last FROM plies WHERE round = 0 AND seat >= 0 GROUP BY ALL)
           JOIN seats USING (game_id, seat) GROUP BY ALL ORDER BY ALL""",
    )
    assert by_round == expected


def active_seat(state: State) -> int:
    """Return whose turn it is, as the rules of each game call it."""
    for name in ("active_seat", "thrower", "starter"):
        if hasattr(state, name):
            return int(getattr(state, name))
    return state.seat


@pytest.mark.slow
def test_the_log_tells_the_active_seat_as_the_rules_do(played: Run) -> None:
    for game in range(played.summary.games):
        ruleset = played.ruleset(played.game(game).ruleset)
        states = list(replay_actions(games.start_state(ruleset), played.actions(game)))[:-1]
        rows = log_rows(played, "active_seat", game)
        assert rows == [active_seat(state) for state in states]


def test_the_log_counts_the_turns_of_every_seat(played: Run) -> None:
    """A turn ends when another seat acts, or with an action after which the seat places its next piece."""
    for game in range(played.summary.games):
        ruleset = played.ruleset(played.game(game).ruleset)
        states = list(replay_actions(games.start_state(ruleset), played.actions(game)))[:-1]
        turns = [-1] * ruleset.players
        expected: list[int | None] = []
        for state in states:
            if state.seat == CHANCE:
                expected.append(None)
                continue
            if getattr(state, "throws", 0) <= 1:  # in Spexxx a seat decides after each of its throws
                turns[state.seat] += 1
            expected.append(turns[state.seat])
        assert log_rows(played, "turn", game) == expected


def test_actions_have_the_faces_of_their_dice(played: Run) -> None:
    rows = rows_of(played, "SELECT kind, notation, dice FROM actions")
    for kind, notation, dice in rows:
        expected = notation.split() if kind in {"roll", "throw", "keep"} and notation != "0" else []
        assert dice == expected


def test_the_area_of_a_piece_is_the_number_of_its_squares(played: Run) -> None:
    rows = rows_of(played, "SELECT area, len(cells) FROM actions JOIN pieces USING (ruleset, piece)")
    assert all(area == covered for area, covered in rows)
    pieces = rows_of(played, "SELECT count(*) FROM actions WHERE piece IS NOT NULL")[0][0]
    assert len(rows) == pieces
    assert bool(pieces) == (played.summary.rulesets[0].game != "spexxx")


def test_the_size_of_the_board_is_that_of_the_replay(played: Run) -> None:
    sizes = {(board["columns"], board["rows"]) for board in played.scene(0)["boards"]}
    assert set(rows_of(played, "SELECT board_width, board_height FROM rulesets")) == sizes


def test_the_scores_at_the_start_are_those_of_the_rules(played: Run) -> None:
    (name, scores), *_ = rows_of(played, "SELECT ruleset, start_scores FROM rulesets")
    ruleset = played.ruleset(name)
    state = games.start_state(ruleset)
    assert scores == [sum(part.points for part in parts) for parts in state.parts]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE rulesets SET board_width = 3",
        "UPDATE rulesets SET start_scores = [0, 0]",
        "UPDATE pieces SET area = 9 WHERE piece = 'I2'",
        "DELETE FROM pieces WHERE piece = 'I2'",
        "UPDATE strategies SET name = 'other'",
        "UPDATE strategies SET notation = 'random'",
        "UPDATE actions SET dice = ['I2', 'I2']",
    ],
)
def test_verify_finds_a_wrong_value_in_tables_that_describe_the_game(
    change_run: Callable[[str], Run], change: str
) -> None:
    with pytest.raises(VerificationFailed):
        verify_run(change_run(change), workers=1)
