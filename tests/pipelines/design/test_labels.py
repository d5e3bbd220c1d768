"""The label of a strategy, `name="..."`: tables and charts show it, designs and commands keep the whole text."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.errors import InvalidError
from engine.games import find_game
from engine.strategies import read_player
from pipelines.design.designs import design_comparison, design_simulation, read_design
from pipelines.experiments.comparison import compare_strategies
from pipelines.experiments.fork import Change, fork_logged_game
from pipelines.report.verdicts import write_comparison
from pipelines.runs.run import Run
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import verify_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

GTP_PROGRAM = Path(__file__).parents[2] / "engine" / "games" / "blokus" / "gtp_program.py"
PROGRAM = f'gtp:command="{shlex.join([sys.executable, str(GTP_PROGRAM)])}"'
SLOW = 'noisy:sigma=3,name="slow, but sure"'


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Run:
    path = tmp_path_factory.mktemp("labels") / "labelled.duckdb"
    done = run_reroll(
        "simulate", "bloxx-2p", "-s", f"{SLOW},greedy", "--blocks", 3, "--seed", 1, "--out", path
    )
    assert done.exit_code == 0, done.output
    return Run(path)


def test_all_tables_call_the_player_by_its_label(labelled: Run) -> None:
    assert labelled.summary.strategies == ("greedy", "slow, but sure")
    with labelled.connect() as connection:
        for table in ("seats", "score_histogram", "block_scores", "part_totals", "score_by_round", "squares"):
            names = {name for (name,) in connection.table(table).select("strategy").fetchall()}
            assert names == {"greedy", "slow, but sure"}, table
        rows = connection.execute(
            "SELECT strategy, notation, name, params FROM strategies ORDER BY strategy"
        ).fetchall()
    assert [row[:3] for row in rows] == [("greedy", "greedy", "greedy"), ("slow, but sure", SLOW, "noisy")]
    assert json.loads(rows[1][3]) == {"sigma": 3}
    verify_run(labelled, workers=1)


def test_the_label_changes_no_game(labelled: Run, ruleset: Ruleset, tmp_path: Path) -> None:
    plain = simulate_run(
        design_simulation(ruleset, ["noisy:sigma=3", "greedy"], blocks=3, seed=1), tmp_path / "plain.duckdb"
    )
    assert [labelled.actions(game) for game in range(6)] == [plain.actions(game) for game in range(6)]


def test_the_command_of_the_run_gives_the_same_games(labelled: Run, tmp_path: Path) -> None:
    words = shlex.split(labelled.summary.command)[1:]
    assert f"{SLOW},greedy" in words
    again = run_reroll(*words, "--out", tmp_path / "again.duckdb", "--json")
    assert again.exit_code == 0, again.output
    assert labelled.summary.title == "BLOXX!, 2 players: slow, but sure, greedy"


def test_a_labelled_player_can_be_forked(labelled: Run) -> None:
    fork = fork_logged_game(labelled, 0, 20, Change({1: "random"}))
    assert [player.name for player in fork.base.seating] == [SLOW, "greedy"]
    assert [player.label for player in fork.changed.seating] == ["slow, but sure", "random"]


def test_a_comparison_names_its_sides_by_their_labels(ruleset: Ruleset, tmp_path: Path) -> None:
    design = design_comparison(ruleset, [SLOW, "random"], blocks=20, seed=2)
    compared = compare_strategies(simulate_run(design, tmp_path / "compared.duckdb", workers=1))
    assert compared.strategies == ("slow, but sure", "random")
    assert compared.pairs[0].a == "slow, but sure"
    assert "noisy" not in write_comparison(compared)
    assert shlex.quote(SLOW) in compared.command


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('greedy:name="random"', "name='random' is a strategy itself"),
        ('greedy:name="random:x"', "is a strategy itself"),
        ('greedy:name=""', "name is a text in double quotes"),
        (f'greedy:name="{"x" * 61}"', "at most 60 characters"),
        ('greedy:name=" a"', "no spaces at its ends"),
        ('greedy:name="a",name="b"', "name is given twice"),
    ],
)
def test_a_wrong_label_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        read_player(find_game("bloxx"), text)


def test_two_strategies_cannot_share_a_label(ruleset: Ruleset) -> None:
    with pytest.raises(
        InvalidError, match="two different strategies are called 'a': give them different names"
    ):
        design_simulation(ruleset, ['greedy:name="a"', 'random:name="a"'], blocks=1)


def test_two_strategies_with_one_label_are_refused_in_one_line() -> None:
    refused = run_reroll("simulate", "bloxx-2p", "-s", 'greedy:name="a",random:name="a"', "--games", 1)
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_program_is_known_by_its_label_and_by_what_it_calls_itself(tmp_path: Path) -> None:
    path = tmp_path / "run.duckdb"
    done = run_reroll(
        "simulate", "blokus-duo", "-s", f'{PROGRAM},name="Tester",greedy', "--blocks", 1, "--seed", 1, "--out", path
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "gtp" not in done.stdout.replace(str(path), "")
    run = Run(path)
    verify_run(run, workers=1)
    with run.connect() as connection:
        rows = connection.execute("SELECT strategy, name, program FROM strategies ORDER BY 1").fetchall()
        times = connection.execute(
            "SELECT strategy, seat, decisions, seconds FROM decision_times ORDER BY 1, 2"
        ).fetchall()
        decided = connection.execute(
            """SELECT strategy, seat, count(*) FROM plies JOIN seats USING (game_id, seat)
               GROUP BY ALL ORDER BY ALL"""
        ).fetchall()
    assert rows == [("Tester", "gtp", "Test Player 1.2"), ("greedy", "greedy", None)]
    assert [row[:3] for row in times] == decided
    assert all(0 < seconds < 60 for *_, seconds in times)


def test_runs_of_built_in_strategies_time_no_decisions(small_run: Run) -> None:
    with small_run.connect() as connection:
        assert connection.execute("SELECT count(*) FROM decision_times").fetchall() == [(0,)]


def test_a_ruleset_that_a_program_cannot_play_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    for command in (
        ("simulate", "blokus-2p", "-s", f"{PROGRAM},greedy", "--games", 1, "--out", tmp_path / "run.duckdb"),
        ("compare", "blokus-2p", PROGRAM, "greedy", "--blocks", 1, "--out", tmp_path / "run.duckdb"),
    ):
        refused = run_reroll(*command)
        assert refused.exit_code == 2
        assert refused.stderr.startswith("reroll: blokus-2p: programs play Blokus with fixed corners")
        assert len(refused.stderr.splitlines()) == 1
        assert list(tmp_path.iterdir()) == []


def test_a_design_of_an_import_keeps_the_names_of_its_file(small_run: Run) -> None:
    with small_run.connect() as connection:
        document = json.loads(connection.execute("SELECT design FROM run").fetchall()[0][0])
    imported = {
        **document, "kind": "import", "lineup": ['who:name="x"', "b"], "seatings": [[0, 1]], "source": "f.txt",
    }  # fmt: skip
    assert read_design(json.dumps(imported), "the file").labels == ('who:name="x"', "b")
