"""The command line: it answers people and programs, and reports bad input in one or two lines."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine import games
from engine.catalogue import Catalogue
from engine.clauses import read_clauses
from pipelines.cli import app
from pipelines.cli.errors import print_resume_hint
from pipelines.cli.output import print_table
from pipelines.experiments import review
from pipelines.experiments.review import start_review
from pipelines.report.show.terminal import format_table
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import UnfinishedRun
from pipelines.simulate.shards import play_shard
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.runs.library import Run
    from tests.processes import RunProcess, StartProcess

ROOT = Path(__file__).parents[3]
COMMANDS = [command.name for command in app.registered_commands if command.name]
LINE_UP_OPTIONS = ("--strategies", "greedy,random", "--seed", "7", "--workers", "1")


@pytest.fixture
def library_folder(small_run: Run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of the library with the run `made`."""
    folder = small_run.path.parent.parent
    monkeypatch.setenv("REROLL_DATA", str(folder))
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_every_command_has_an_example(command: str) -> None:
    result = run_reroll(command, "--help")
    assert result.exit_code == 0
    assert f"Example: reroll {command}" in result.stdout


def test_the_help_lists_every_command_in_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = run_reroll("--help").stdout.splitlines()
    for command in COMMANDS:
        assert [line for line in lines if line.split()[:1] == [command] and not line.endswith("...")], command
    assert capsys.readouterr().err == ""


def test_the_version_option_prints_the_version() -> None:
    assert run_reroll("--version").stdout.startswith("reroll ")


def test_help_loads_nothing_slow(run_process: RunProcess) -> None:
    code = (
        "import sys\n"
        "from pipelines.cli import app\n"
        "print(sorted({'duckdb', 'pyarrow', 'pydantic', 'rich', 'streamlit', 'numpy'} & sys.modules.keys()))"
    )
    result = run_process([sys.executable, "-c", code], check=True)
    assert result.stdout.strip() == "[]"


def test_a_run_is_made_looked_at_verified_and_deleted(tmp_path: Path) -> None:
    made = run_reroll("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "3", "--data", tmp_path)
    assert made.exit_code == 0, made.stderr
    (run,) = Library(tmp_path).runs()
    assert made.stdout.startswith(f"{run.name}: 4 games in ")
    assert str(run.path) in made.stdout
    for words in (
        ["ls"],
        ["info", run.name],
        ["show", run.name, "--game", "3"],
        ["verify", run.name, "--workers", "1"],
    ):
        result = run_reroll(*words, "--data", tmp_path)
        assert (result.exit_code, run.name in result.stdout) == (0, True), (words, result.stderr)
    assert run_reroll("rm", run.name, "--data", tmp_path, answer="n\n").exit_code == 1
    assert run.path.exists()
    assert run_reroll("rm", run.name, "--yes", "--data", tmp_path).stdout == f"deleted {run.name}\n"
    assert list(Library(tmp_path).runs_folder.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [
        ("ls",),
        ("info", "made"),
        ("show", "made", "--game", "4"),
        ("verify", "made", "--workers", "1"),
        ("sql", "FROM games"),
        ("sql", "FROM run"),
        ("rulesets",),
        ("rulesets", "bloxx-2p"),
        ("strategies",),
        ("strategies", "bloxx"),
    ],
)
@pytest.mark.usefixtures("library_folder")
def test_programs_get_json_alone_on_stdout(words: tuple[str, ...]) -> None:
    result = run_reroll(*words, "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)


@pytest.mark.usefixtures("library_folder")
def test_a_ruleset_is_shown_in_the_words_of_the_page_and_programs_get_its_document() -> None:
    ruleset = Catalogue().find_ruleset("bloxx-2p")
    said = run_reroll("rulesets", "bloxx-2p").stdout
    assert said.startswith("BLOXX! for 2 players\n")
    assert read_clauses("bloxx").short in said
    assert "The highest score wins. The game is BLOXX! (Klaus-Jürgen Wrede" in said
    assert re.search(
        r"^points that a gap costs +1 +BX-16: points that every gap costs\. +gap_penalty$", said, re.MULTILINE
    )
    assert re.search(
        r"^numbers on the sheet +our reconstruction +not printed in the rulebook text", said, re.MULTILINE
    )
    assert "\ntables.coloured_rows\ngreen: 2\n" in said
    document = json.loads(run_reroll("rulesets", "bloxx-2p", "--json").stdout)
    assert document == {**ruleset.document, "sha256": ruleset.sha256}


def test_simulate_answers_programs_with_the_run(tmp_path: Path) -> None:
    result = run_reroll(
        "simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--blocks", "1", "--out", tmp_path / "mine", "--json"
    )
    answer = json.loads(result.stdout)
    assert (answer["run"], answer["games"], answer["path"]) == ("mine", 2, str(tmp_path / "mine.duckdb"))


@pytest.mark.usefixtures("library_folder")
def test_show_draws_the_boards_after_a_ply(small_run: Run) -> None:
    start, end = (
        json.loads(run_reroll("show", "made", "--game", "1", "--json", *ply).stdout)
        for ply in (["--move", "0"], [])
    )
    assert start["boards"] == str(games.start_state(small_run.ruleset("bloxx-2p")))
    assert end["boards"] != start["boards"]
    assert [seat["strategy"] for seat in end["seats"]] == ["greedy", "random"]
    assert len(end["log"]) == end["plies"]


@pytest.mark.usefixtures("library_folder")
def test_sql_answers_in_csv_and_says_when_it_is_cut() -> None:
    result = run_reroll("sql", "SELECT game_id FROM games ORDER BY 1", "--csv", "--limit", "2")
    assert result.stdout == "game_id\n0\n1\n"
    assert result.stderr == "showing the first 2 rows; see --limit\n"


@pytest.mark.usefixtures("library_folder")
def test_a_plan_is_printed_as_the_drawing_that_it_is() -> None:
    lines = run_reroll("sql", "EXPLAIN SELECT 1").stdout.splitlines()
    assert any("Projection" in line for line in lines)
    assert any(line.startswith(("╰", "└")) for line in lines)


@pytest.mark.usefixtures("library_folder")
@pytest.mark.parametrize(
    ("words", "given"),
    [
        ((), "SELECT 2 AS two"),
        (("-",), "-- a comment\nSELECT 2 AS two\n"),
        (("-- a comment\nSELECT 2 AS two",), None),
        (("--comment\nSELECT 2 AS two", "--limit", "5"), None),
        (("--", "-- a comment\nSELECT 2 AS two"), None),
    ],
)
def test_a_query_may_come_from_stdin_and_begin_with_a_comment(
    words: tuple[str, ...], given: str | None
) -> None:
    result = run_reroll("sql", "--csv", *words, answer=given)
    assert (result.exit_code, result.stdout) == (0, "two\n2\n"), result.stderr


@pytest.mark.usefixtures("library_folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "reroll: the standard input has no query\n"),
        (("--limt=3",), "reroll: No such option: --limt"),
        (("-- only a comment",), "reroll: expected one query"),
    ],
)
def test_sql_without_a_query_says_so(words: tuple[str, ...], message: str) -> None:
    result = run_reroll("sql", *words, answer="")
    assert result.exit_code == 2
    assert result.stderr.startswith(message)


@pytest.mark.slow
def test_sql_names_damaged_runs_and_answers_from_the_others(
    small_run: Run, tmp_path: Path, damage_table: Callable[[Path, str], None]
) -> None:
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("good", "damaged", "fine"):
        shutil.copy(small_run.path, runs / f"{name}.duckdb")
    (runs / "text.duckdb").write_text("hello")
    damage_table(runs / "damaged.duckdb", "ply_rows")
    query = "SELECT run, count(*) AS n, sum(score) > 0 AS good FROM plies GROUP BY run ORDER BY run"
    result = run_reroll("sql", query, "--csv", "--data", tmp_path)
    assert result.exit_code == 0, result.stderr
    assert [line.split(",")[0] for line in result.stdout.splitlines()] == ["run", "fine", "good"]
    unread, damaged = result.stderr.splitlines()
    assert unread.startswith(f"reroll: {runs / 'text.duckdb'}: not a run file")
    assert damaged.startswith(f"reroll: {runs / 'damaged.duckdb'}: the file is damaged: ")
    alone = run_reroll("sql", query, "--run", "damaged", "--data", tmp_path)
    assert (alone.exit_code, alone.stdout) == (2, "")
    assert alone.stderr.startswith(f"reroll: {runs / 'damaged.duckdb'}: the file is damaged: ")


def test_a_damaged_run_is_reported_with_its_path_and_nothing_before_it(
    small_run: Run, tmp_path: Path, damage_table: Callable[[Path, str], None]
) -> None:
    path = tmp_path / "damaged.duckdb"
    shutil.copy(small_run.path, path)
    damage_table(path, "seats")
    for words in (
        ("info", path),
        ("info", path, "--json"),
        ("show", path, "--game", "1"),
        ("export", path, "--game", "1"),
    ):
        result = run_reroll(*words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert result.stderr.startswith(f"reroll: {path}: "), words
        assert len(result.stderr.splitlines()) == 1


def test_info_describes_an_unfinished_run(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    partial = _begin_unfinished_run(library, small_run)
    described = run_reroll("info", "half", "--data", tmp_path).stdout.splitlines()
    assert described[0] == "run      half"
    assert f"folder   {partial.folder}" in described
    assert "state    stopped, 0 of 4 games" in described
    assert "resume   reroll resume half" in described
    assert not any("mean score" in line for line in described)
    play_shard(partial.folder, partial.design.model_dump_json(), 0)
    assert any("mean score" in line for line in run_reroll("info", partial.folder).stdout.splitlines())
    answer = json.loads(run_reroll("info", "half", "--json", "--data", tmp_path).stdout)
    assert (answer["run"], answer["state"], answer["ruleset"]) == ("half", "stopped", "bloxx-2p")


@pytest.mark.parametrize("out", ["", ".", "/", ".."])
@pytest.mark.parametrize(
    "command", [("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2"), ("import", "x.txt")]
)
def test_an_out_without_the_name_of_a_file_is_refused(
    small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], out: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_reroll("export", small_run.path, "--game", "1", "--out", "x.txt").exit_code == 0
    result = run_reroll(*command, "--out", out)
    assert result.exit_code == 2, result.exception
    assert result.stderr.startswith("reroll: --out ")
    assert "expected the name of a new file" in result.stderr


def test_a_table_in_a_pipe_is_neither_wrapped_nor_cut(capsys: pytest.CaptureFixture[str]) -> None:
    name = "planner:" + ",".join(f"weight{number}=[red]1[/red]" for number in range(20))
    print_table(("strategy", "score"), [(name, -3), ("random", 12.5), ("\x1b[31mred", None)])
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        f"{'strategy':<{len(name)}}  score",
        f"{name}     -3",
        f"{'random':<{len(name)}}   12.5",
        r"\x1b[31mred",
    ]


def test_ls_shows_runs_that_are_not_finished_and_files_that_are_none(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    library.runs_folder.mkdir()
    (library.runs_folder / "text.duckdb").write_text("hello")
    begun = _begin_unfinished_run(library, small_run)
    result = run_reroll("ls", "--data", tmp_path)
    assert result.stdout == "half: stopped, 0 of 4 games\n"
    assert result.stderr.startswith(f"reroll: {library.runs_folder / 'text.duckdb'}: not a run file")
    assert run_reroll("rm", "half", "-y", "--data", tmp_path).stdout == "deleted half\n"
    assert not begun.folder.exists()


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "half"),
        ("show", "half", "--game", "1"),
        ("study", "half"),
        ("study", "half#1"),
        ("ask", "/scores?runs=half"),
        ("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--name", "half"),
    ],
)
def test_every_hint_at_an_unfinished_run_says_how_to_resume_and_to_remove_it(
    small_run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    begun = _begin_unfinished_run(Library(tmp_path), small_run)
    result = run_reroll(*words, "--data", tmp_path)
    assert result.exit_code == 2
    assert "reroll resume half" in result.stderr
    assert "reroll rm half" in result.stderr
    out = ("--out", begun.target)
    result = run_reroll(
        "simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", *out, "--data", tmp_path / "b"
    )
    assert f"reroll resume {begun.folder}" in result.stderr
    assert f"reroll rm {begun.folder}" in result.stderr


def test_rm_without_an_answer_deletes_nothing_and_names_the_option(small_run: Run, tmp_path: Path) -> None:
    begun = _begin_unfinished_run(Library(tmp_path), small_run)
    result = run_reroll("rm", "half", "--data", tmp_path, answer="")
    assert (result.exit_code, result.stdout.strip()) == (2, "")
    assert result.stderr.splitlines()[-1] == (
        "reroll: nothing was deleted, because there was no answer; to delete without a question: reroll rm half --yes"
    )
    assert begun.folder.exists()


def test_resume_finishes_a_run_by_its_name(small_run: Run, tmp_path: Path) -> None:
    library = Library(tmp_path)
    _begin_unfinished_run(library, small_run)
    assert run_reroll("resume", "half", "--workers", "1", "--data", tmp_path).exit_code == 0
    assert library.run("half").summary.games == 4


def _begin_unfinished_run(library: Library, made: Run) -> UnfinishedRun:
    from pipelines.design.designs import design_simulation
    from pipelines.runs.unfinished_run import begin_run

    planned = design_simulation(made.ruleset("bloxx-2p"), ["greedy", "random"], blocks=2)
    return begin_run(library.runs_folder / "half.duckdb", planned, free_name=False)


def test_verify_names_what_is_wrong_and_ends_with_1(small_run: Run, tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "changed.duckdb"
    path.write_bytes(small_run.path.read_bytes())
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE ply_rows SET score = 99 WHERE game_id = 6 AND ply = 4")
    result = run_reroll("verify", small_run.path, path, "--workers", "1")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == "made: all 20 games agree with the rules"
    assert result.stdout.splitlines()[1].startswith(
        "changed: game 7, move 5: score: the file has 99, by the rules it is "
    )


@pytest.mark.parametrize(
    ("log", "said"),
    [
        ("scores", "all 8 games were played again from the seed, with the same results"),
        (
            "sample=0.5",
            "all 8 games were played again from the seed, with the same results; the moves of 4 games agree with the rules",
        ),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "compare"])
def test_verify_plays_games_without_moves_again(tmp_path: Path, command: str, log: str, said: str) -> None:
    lineup = LINE_UP_OPTIONS if command == "simulate" else ("greedy", "random", *LINE_UP_OPTIONS[2:])
    options = ("--blocks", 4, "--log", log, "--out", tmp_path / "made")
    assert run_reroll(command, "bloxx-2p", *lineup, *options).exit_code == 0
    result = run_reroll("verify", tmp_path / "made.duckdb", "--workers", 1)
    assert (result.exit_code, result.stdout) == (0, f"made: {said}\n")


@pytest.mark.slow
def test_verify_says_which_results_it_cannot_check(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    lineup = ("--strategies", "last,random", "--code", file, "--workers", 1)
    made = run_reroll(
        "simulate", "bloxx-2p", *lineup, "--blocks", 4, "--log", "sample=0.5", "--out", tmp_path / "made"
    )
    assert made.exit_code == 0, made.stderr
    words = ("verify", tmp_path / "made.duckdb", "--workers", 1)
    result = run_reroll(*words)
    assert result.exit_code == 3
    assert "4 of 8 games agree with the rules; the results of 4 games could not be checked" in result.stdout
    (check,) = json.loads(run_reroll(*words, "--json").stdout)
    assert (check["ok"], check["fault"], check["replayed"], check["unchecked"]) == (False, None, 4, 4)
    allowed = run_reroll(*words, "--code", file)
    assert allowed.exit_code == 0, allowed.stderr
    assert "all 8 games were played again from the seed" in allowed.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simulate", "bloxx-2q", *LINE_UP_OPTIONS, "--games", "2"), "unknown ruleset 'bloxx-2q'; did you mean bloxx-2p"),
        (("simulate", "bloxx", *LINE_UP_OPTIONS, "--games", "2"), "choose one of bloxx-2p, bloxx-3p, bloxx-4p"),
        (("simulate", "bloxx-2p", "-s", "gredy,random", "--games", "2"), "unknown strategy of bloxx 'gredy'; did you mean greedy?"),
        (("simulate", "bloxx-2p", "-s", "greedy", "--games", "2"), "bloxx-2p has 2 seats, so it takes 2 strategies, not 1"),
        (("simulate", "bloxx-2p", "-s", "greedy:x=1,random", "--games", "2"), "unknown parameter of greedy 'x'"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS), "either --games N or --blocks N"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--blocks", "1"), "either --games N or --blocks N"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "0"), "see reroll simulate --help"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--log", "some"), "log: expected full, scores or sample=F"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--out", "/proc/none/x"), "/proc/none"),
        (("simulate", "nowhere.toml", *LINE_UP_OPTIONS, "--games", "2"), "nowhere.toml"),
        (("simulate",), "Missing argument 'RULESET'; see reroll simulate --help"),
        (("simulte",), "No such command 'simulte'"),
        (("info", "maid"), "unknown run 'maid'; did you mean made?"),
        (("verify", "/etc/hostname"), "/etc/hostname: not a run file"),
        (("verify", "/etc"), "/etc"),
        (("show", "made", "--game", "100"), "run made has no game 100 (1 to 20)"),
        (("show", "made", "--game", "4", "--move", "1000"), "game 4 has moves 1 to"),
        (("resume", "made"), "unknown unfinished run 'made'"),
        (("resume", "/etc"), "not an unfinished run"),
        (("rm", "maid", "--yes"), "unknown run 'maid'"),
        (("rulesets", "chess"), "unknown ruleset 'chess'"),
        (("strategies", "chess"), "unknown game 'chess'"),
        (("sql", "SELECT"), "Error"),
        (("sql", "DROP TABLE games"), "expected one query"),
    ],
)  # fmt: skip
def test_bad_input_is_reported_in_a_line_or_two(
    library_folder: Path, words: tuple[object, ...], message: str
) -> None:
    def list_files() -> set[Path]:
        # whoever reads the library first makes its index
        return {*library_folder.rglob("*")} - {*library_folder.glob("index.sqlite*")}

    before = list_files()
    result = run_reroll(*words)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert message in result.stderr
    assert len(result.stderr.splitlines()) <= 2
    assert list_files() == before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simulate", "BLOXX!", *LINE_UP_OPTIONS, "--games", "2"), "did you mean bloxx-2p or bloxx-3p or bloxx-4p?"),
        (("rulesets", "Blokus Duo"), "unknown ruleset 'Blokus Duo'; did you mean blokus-duo?"),
        (("rulesets", "zzzz"), "unknown ruleset 'zzzz'; reroll rulesets lists them, such as "),
        (("compare", "greedy", "random", "bloxx-2p"), "'greedy' is a strategy; the ruleset comes first, such as "),
        (("play", "made", "--seats", "me,greedy"), "'made' is a run; a ruleset is expected, such as "),
        (("compare", "bloxx-2p", "greedy,random"), "with spaces: reroll compare bloxx-2p greedy random"),
        (("simulate", "bloxx-2p", "-s", "greedy", "random"), "write --strategies A,B[,C,D] without spaces; see "),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "1,000"), "a whole number, not '1,000'"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--game", "9"), "--game; did you mean --games or --name?"),
        (("show", "made"), "Missing option '--game'; see reroll show --help\nExample: reroll show demo-bloxx-3p --game 17 "),
        (("show", "made", "--game", "0"), "expected at least 1, not"),
        (("export", "made", "3"), "Got unexpected extra argument(s) (3); see reroll export --help"),
        (("whatif", "made", "--move", "4", "--luck"), "name either one game with --game N, or many with --games all"),
        (("study", "made:3:12"), "there is no run, tag, collection or note 'made:3:12'"),
        (("simulate", "bloxx-2p", "-s", "greedy; random", "--games", "2"), "--strategies greedy,random"),
        (("play", "bloxx-2p", "--seats", "me greedy"), "write commas between the players: --seats me,greedy"),
        (("rulesets", "bloxx-2p.toml"), "No such file or directory; did you mean bloxx-2p?"),
        (("whatif", "0", "--game", "1", "--move", "4", "--luck"), "unknown run '0'"),
        (("baseline", "greedy"), "(greedy); see reroll baseline --help\nExample: reroll baseline --strategy greedy"),
        (("list",), "No such command 'list'; did you mean ls?"),
        (("version",), "did you mean --version?"),
        (("info", "made", "--data", "/proc/none"), "unknown run 'made': /proc/none/runs does not hold it"),
        (("resume", "made"), "unknown unfinished run 'made': the run of this name is finished"),
        (("whatif", "made", "--game", "1", "--move", "4", "--player", "3", "--strategy", "random"), "has players 1 to "),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("library_folder")
def test_the_first_mistakes_of_a_newcomer_are_answered_with_what_is_right(
    words: tuple[str, ...], message: str
) -> None:
    result = run_reroll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) <= 2
    assert "?;" not in result.stderr


def test_players_of_an_option_that_is_given_twice_are_joined(tmp_path: Path) -> None:
    words = ("-s", "greedy,noisy:sigma=3", "-s", "random", "--seed", "7", "--workers", "1", "--log", "scores")
    made = run_reroll("simulate", "bloxx-3p", *words, "--games", "3", "--data", tmp_path, "--json")
    assert made.exit_code == 0, made.stderr
    assert set(Library(tmp_path).runs()[0].summary.strategies) == {"greedy", "noisy:sigma=3", "random"}
    parameter = run_reroll(
        "simulate", "bloxx-2p", "-s", "rollout:playouts=4", "-s", "depth=2", "--games", "2"
    )
    assert (
        "unknown strategy of bloxx 'depth=2'" in parameter.stderr
    )  # a name, not a parameter of the first one
    begun = run_reroll(
        "play", "bloxx-2p", "--seats", "me", "--seats", "greedy", "--data", tmp_path, answer=""
    )
    assert "--seats me,greedy" in begun.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("whatif", "made", "--game", "1", "--move", "4", "--player", "1", "--strategy", "random", "--player", "1", "--strategy", "greedy"), "--player 1 is named twice"),
        (("whatif", "made", "--game", "1", "--move", "4", "--option", "gap_penalty=2", "--option", "gap_penalty=3"), "--option gap_penalty is named twice"),
        (("whatif", "made", "--game", "1", "--move", "4", "--luck", "--stand-in", "2=greedy", "--stand-in", "2=random"), "--stand-in 2 is named twice"),
        (("sql", "SELECT $n", "--set", "n=1", "--set", "$n=2"), "--set n is named twice"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("library_folder")
def test_two_values_of_one_name_are_refused(words: tuple[str, ...], message: str) -> None:
    result = run_reroll(*words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"reroll: {message}\n"


def test_sql_asks_every_run_that_is_named(small_run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("a", "b", "c"):
        shutil.copy(small_run.path, tmp_path / "runs" / f"{name}.duckdb")
    query = "SELECT run FROM run ORDER BY run"
    result = run_reroll("sql", query, "--run", "a", "--run", "c", "--data", tmp_path, "--csv")
    assert result.stdout.split() == ["run", "a", "c"]


def test_a_new_data_folder_is_announced_because_its_name_may_be_mistyped(tmp_path: Path) -> None:
    words = ("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--log", "scores")
    folder = tmp_path / "typo"
    refused = run_reroll(*words, "--log", "nonsense", "--data", folder)
    assert "data folder" not in refused.stderr
    assert not folder.exists()
    made = run_reroll(*words, "--data", folder)
    assert made.stderr.splitlines()[0] == f"new data folder: {folder}"
    assert "data folder" not in run_reroll(*words, "--data", folder).stderr
    assert "data folder" not in run_reroll(*words, "--data", tmp_path / "other", "--quiet").stderr
    elsewhere = run_reroll(*words, "--data", tmp_path / "none", "--out", tmp_path / "run.duckdb")
    assert "data folder" not in elsewhere.stderr
    assert not (tmp_path / "none").exists()
    pinned = run_reroll("baseline", "--strategy", "greedy", "--data", tmp_path / "third")
    assert pinned.stderr == f"new data folder: {tmp_path / 'third'}\n"


def test_the_help_lists_every_command_once_in_sections() -> None:
    listed = run_reroll("--help").stdout
    for section in ("Begin", "Play", "Ask", "Look at runs", "Keep and give away", "This machine"):
        assert f"\n{section}:\n" in listed
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2:3].islower()]
    assert sorted(name for name in names if name in COMMANDS) == sorted(COMMANDS)


def test_a_broken_ruleset_file_is_reported_with_file_key_and_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('extends = "bloxx"\nplayers = 2\n[options]\ngap_penalty = "one"\n', encoding="utf-8")
    result = run_reroll("simulate", path, *LINE_UP_OPTIONS, "--games", "2", "--data", tmp_path)
    assert result.exit_code == 2
    assert (
        result.stderr == f"reroll: {path}: options.gap_penalty: input should be a valid integer, not 'one'\n"
    )
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_way_of_a_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run_reroll("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--data", tmp_path / "file")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == [f"reroll: {tmp_path / 'file' / 'runs'}: Not a directory"]


def test_the_real_command_ends_with_2_and_no_traceback(run_process: RunProcess, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pipelines", "simulate", "bloxx-2q", *LINE_UP_OPTIONS, "--games", "2"]
    result = run_process([*command, "--data", str(tmp_path)])
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("reroll: unknown ruleset")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.usefixtures("plain_rules")
def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(
    start_process: StartProcess, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pipelines", "simulate", "bloxx-2p", "-s", "greedy,random"]
    options = ["--blocks", "4000", "--workers", "2", "--out", str(tmp_path / "run"), "--quiet"]
    partial = UnfinishedRun(tmp_path / "run.partial")
    with start_process([*command, *options], stderr=subprocess.PIPE, start_new_session=True) as process:
        end = time.monotonic() + 30
        while not partial.finished_shards and time.monotonic() < end:
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, for every process of the group
        _, message = process.communicate(timeout=30)
    assert process.returncode == 130
    stopping, stopped = message.splitlines()
    assert stopping.startswith("stopping ...")
    assert stopped.startswith(
        f"stopped: {partial.games_done} of 8,000 games are saved; resume with: reroll resume "
    )
    assert 0 < partial.games_done < 8000


def test_compare_says_the_verdict_first_and_how_to_play_it_again(tmp_path: Path) -> None:
    options = ("--seed", "7", "--workers", "1", "--blocks", "20", "--data", tmp_path)
    result = run_reroll("compare", "bloxx-3p", "greedy", "random", *options)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Greedy beats random by ")
    assert "120 games" in lines[0]
    (again,) = (line.removeprefix("command: ") for line in lines if line.startswith("command: "))
    assert again.startswith("reroll compare bloxx-3p greedy random --design duel ")
    (run,) = Library(tmp_path).runs()
    assert (run.summary.kind, run.summary.command) == ("compare", again)
    repeated = run_reroll(*again.split()[1:], "--workers", "1", "--data", tmp_path)
    assert repeated.stdout.splitlines()[0] == lines[0]
    reported = run_reroll("compare", "--run", run.name, "--data", tmp_path)
    assert reported.stdout == result.stdout


def test_compare_answers_programs_with_everything_and_people_with_which_intervals_allow_for_the_stop(
    tmp_path: Path,
) -> None:
    options = ("--seed", "7", "--workers", "1", "--data", tmp_path, "--out", tmp_path / "mine", "--json")
    words = ("--until-decided", "--blocks", "200", "--metric", "win", "--log", "scores")
    result = run_reroll("compare", "bloxx-2p", "greedy", "random", *words, *options)
    assert result.exit_code == 0, result.stderr
    answer = json.loads(result.stdout)
    assert (answer["run"], answer["path"]) == ("mine", str(tmp_path / "mine.duckdb"))
    assert (answer["is_sequential"], answer["blocks"], answer["pairs"][0]["decision"]) == (True, 100, "more")
    assert [control["holds"] for control in answer["controls"]] == [True, True, None]
    asked = ("compare", "--run", tmp_path / "mine.duckdb", "--metric")
    other = json.loads(run_reroll(*asked, "score", "--json").stdout)
    assert (other["metric"], other["is_sequential"]) == ("score", False)
    said = "Only the intervals of the difference that decides when to stop are valid at every look"
    assert said in run_reroll(*asked, "win").stdout
    said = "Another metric decides when to stop, so no interval allows for the stop"
    assert said in run_reroll(*asked, "score").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name what to compare"),
        (("bloxx-2p",), "name what to compare"),
        (("bloxx-2p", "greedy"), "a comparison takes from 2 to"),
        (("bloxx-2p", "greedy", "gredy"), "did you mean greedy?"),
        (("blox-2p", "greedy", "random"), "unknown ruleset"),
        (("bloxx-2p", "greedy", "random", "--design", "cup"), "design: expected rotate or duel"),
        (
            ("bloxx-2p", "greedy", "random", "--metric", "elo"),
            "There is no measure elo; expected score or margin or win",
        ),
        (("bloxx-2p", "greedy", "random", "--margin", "-1"), "margin: expected a difference above 0"),
        (("bloxx-2p", "greedy", "random", "--blocks", "0"), "expected at least 1, not"),
        (("bloxx-2p", "greedy", "random", "--run", "made"), "name either what to compare, or a run"),
        (("--run", "mad"), "unknown run 'mad'"),
        (("--run", "made", "--metric", "elo"), "There is no measure elo; expected score or margin or win"),
    ],
)
@pytest.mark.usefixtures("library_folder")
def test_compare_refuses_bad_input_in_a_line(words: tuple[str, ...], message: str) -> None:
    result = run_reroll("compare", *words)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


@pytest.mark.slow
def test_compare_takes_strategies_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def last(state, source):\n    return state.actions[-1]\n", encoding="utf-8")
    options = ("--seed", "7", "--workers", "1", "--blocks", "3", "--data", tmp_path)
    refused = run_reroll("compare", "bloxx-2p", "last", "random", *options)
    assert (refused.exit_code, refused.stdout) == (2, "")
    result = run_reroll("compare", "bloxx-2p", "last", "random", "--code", file, *options)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("Not enough games to compare last with random")
    (run,) = Library(tmp_path).runs()
    assert "--code" in run.summary.command
    assert run_reroll("compare", "--run", run.name, "--data", tmp_path).exit_code == 0


WHATIF_OPTIONS = ("--move", 21, "--player", 2, "--strategy", "random", "-n", 60, "--seed", 3)


@pytest.mark.slow
def test_what_if_answers_and_keeps_the_continuations(small_run: Run, tmp_path: Path) -> None:
    """The command stored in a saved run creates the same run again."""
    (tmp_path / "runs").mkdir()
    shutil.copy(small_run.path, tmp_path / "runs" / "made.duckdb")
    result = run_reroll(
        "whatif",
        "made",
        "--game",
        2,
        *WHATIF_OPTIONS,
        "--save",
        "kept",
        "--data",
        tmp_path,
        "--quiet",
        "--json",
    )
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["n"] == 60
    assert document["seats"][1]["score"]["high"] < 0
    saved = Library(tmp_path).run("kept")
    assert saved.summary.kind == "whatif"
    assert saved.summary.games == 120
    assert run_reroll("verify", "kept", "--data", tmp_path).exit_code == 0
    assert run_reroll("show", "kept", "--game", 2, "--move", 21, "--data", tmp_path).exit_code == 0
    words = shlex.split(saved.summary.command)[1:]
    again = run_reroll(
        *(word if word != "kept" else "again" for word in words), "--data", tmp_path, "--quiet"
    )
    assert again.exit_code == 0
    for game in (0, 1, 119):
        assert Library(tmp_path).run("again").actions(game) == saved.actions(game)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--game", 2, *WHATIF_OPTIONS, "--save", "made"), "there is a run made already"),
        (("--game", 2, *WHATIF_OPTIONS, "--save", "../made"), "cannot be the name of a run"),
        (
            ("--games", "lost:1", *WHATIF_OPTIONS, "--save", "kept"),
            "--save saves the continuations of one game",
        ),
        (("--game", 2, "--move", 21, "--option", "gap_penalty=2", "--save", "kept"), "a run has one ruleset"),
        (("--game", 2, "--move", 21), "name the change"),
        (("--game", 2, "--move", 9999, "--luck"), "cannot fork before move 9999"),
        (("--game", 2, *WHATIF_OPTIONS, "--margin", 0), "margin: expected a difference above 0, not 0"),
        (
            ("--games", "all", *WHATIF_OPTIONS, "--until-decided"),
            "--until-decided and --margin ask about one game",
        ),
        (
            ("--games", "all", *WHATIF_OPTIONS, "--margin", 2),
            "--until-decided and --margin ask about one game",
        ),
    ],
)
def test_what_if_refuses_bad_input_in_a_line(
    library_folder: Path, words: tuple[object, ...], message: str
) -> None:
    result = run_reroll("whatif", "made", *words, "--data", library_folder)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) <= 2


def test_what_if_forks_many_games(library_folder: Path) -> None:
    words = ("--move", "last-roll", "--player", 1, "--strategy", "random", "-n", 10, "--json", "--quiet")
    document = json.loads(
        run_reroll("whatif", "made", "--games", "all", *words, "--data", library_folder).stdout
    )
    assert (document["positions"], document["blocks"]) == (20, 10)
    assert document["sentence"].startswith(
        "over 20 positions of 10 blocks, the score of player 1 does not clearly change (95 % interval "
    )
    assert document["score"]["low"] <= document["score"]["estimate"] <= document["score"]["high"]


@pytest.mark.parametrize(("given", "expected"), [((), 100), (("-n", 1000), 1000)])
def test_what_if_of_many_games_plays_the_given_continuations(
    library_folder: Path, given: tuple[object, ...], expected: int
) -> None:
    words = ("--move", "last-roll", "--luck", "--max-games", 2, *given, "--json", "--quiet")
    document = json.loads(
        run_reroll("whatif", "made", "--games", "all", *words, "--data", library_folder).stdout
    )
    assert document["continuations"] == expected


def test_help_has_three_spellings_and_knows_no_other_commands() -> None:
    for command in ((), ("whatif",)):
        shown = run_reroll(*command, "--help").stdout
        assert run_reroll(*command, "-h").stdout == run_reroll("help", *command).stdout == shown
    wrong = run_reroll("help", "simulat")
    assert (wrong.exit_code, wrong.stderr) == (
        2,
        "reroll: unknown command 'simulat'; did you mean simulate?\n",
    )


def test_the_words_of_the_help_are_those_of_other_commands() -> None:
    shown = " ".join(run_reroll("--help").stdout.split())
    for words in ("Show the version and exit.", "Show this message and exit."):
        assert words in shown
    assert "Repeatable." in run_reroll("sql", "--help").stdout
    assert "by default" in run_reroll("whatif", "--help").stdout


def test_nobody_is_told_to_resume_a_run_that_is_complete_or_gone(
    small_run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both can happen between the moment in which a run stops and the message about it."""
    partial = _begin_unfinished_run(Library(tmp_path), small_run)
    print_resume_hint(partial, "stopped")
    assert "resume with: reroll resume" in capsys.readouterr().err
    shutil.rmtree(partial.folder)
    print_resume_hint(partial, "stopped")
    assert capsys.readouterr().err == f"stopped: the folder of the run is gone: {partial.folder}\n"
    partial.target.touch()
    print_resume_hint(partial, "stopped")
    assert capsys.readouterr().err == f"stopped: the run is complete: {partial.target}\n"


def test_the_documentation_is_listed_and_shown() -> None:
    pages = json.loads(run_reroll("docs", "--json").stdout)
    listed = run_reroll("docs").stdout
    assert {page["page"] for page in pages} == {path.stem for path in (ROOT / "docs").glob("*.md")}
    for page in pages:
        assert page["title"] in listed
        assert run_reroll("docs", page["page"]).stdout == Path(page["path"]).read_text(encoding="utf-8")
    assert "did you mean first-hour?" in run_reroll("docs", "first-our").stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("show", "made", "--game", "abc"), "'--game': expected a whole number, not 'abc'"),
        (
            ("simulate", "bloxx-2p", "-s", "greedy,random", "--games", "1.5"),
            "expected a whole number, not '1.5'",
        ),
        (("simulate", "bloxx-2p", "-s", "greedy,random", "--games", "0"), "expected at least 1, not"),
        (("dashboard", "--port", "99999"), "expected at most 65535, not"),
        (("review", "made", "--game", "1", "--effort", "much"), "expected a number, not 'much'"),
        (("review", "made", "--game", "1", "--by", "luck"), ": 'luck' is not one of 'win', 'points'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_plain_words(words: tuple[str, ...], expected: str) -> None:
    result = run_reroll(*words)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.endswith(f"; see reroll {words[0]} --help\n")


def test_a_run_gets_the_name_that_it_is_given(tmp_path: Path) -> None:
    played = ("bloxx-2p", "-s", "random,random", "--games", 2, "--seed", 1, "--quiet", "--data", tmp_path)
    assert run_reroll("simulate", *played, "--name", "mine").exit_code == 0
    assert [run.name for run in Library(tmp_path).runs()] == ["mine"]
    for given, expected in (
        (("--name", "mine"), "there is a run mine already; choose another name"),
        (("--name", "../mine"), "cannot be the name of a run"),
        (("--name", "new", "--out", tmp_path / "x"), "give either --name"),
    ):
        result = run_reroll("simulate", *played, *given)
        assert result.exit_code == 2
        assert expected in result.stderr
    compared = ("bloxx-2p", "random", "random", "--blocks", 2, "--quiet", "--data", tmp_path)
    assert run_reroll("compare", *compared, "--name", "pair").exit_code == 0
    assert {run.name for run in Library(tmp_path).runs()} == {"mine", "pair"}


def complete_words(*words: str) -> set[str]:
    """Return what the shell is told to complete after the words of a command line; the last one is incomplete."""
    environment = {
        "_REROLL_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    return set(CliRunner().invoke(app, [], prog_name="reroll", env=environment).stdout.split())


def test_the_shell_completes_strategies_and_formats() -> None:
    assert complete_words("reroll", "simulate", "bloxx-2p", "--strategies", "pl") == {"planner"}
    assert complete_words("reroll", "simulate", "blokus-duo", "--strategies", "pl") == set()
    assert complete_words("reroll", "simulate", "bloxx-2p", "-s", "greedy,pl") == {"greedy,planner"}
    assert "mcts" in complete_words("reroll", "compare", "blokus-duo", "greedy", "m")
    assert complete_words("reroll", "whatif", "made", "--game", "1", "--strategy", "kee") == {"keeper"}
    assert complete_words("reroll", "export", "made", "--as", "p") == {"parquet"}
    assert {"txt", "json", "html", "csv", "blksgf"} <= complete_words("reroll", "export", "made", "--as", "")
    assert complete_words("reroll", "docs", "first") == {"first-hour"}
    assert complete_words("reroll", "help", "sim") == {"simulate"}


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_a_table_breaks_no_word_however_narrow_the_terminal(width: int) -> None:
    columns = ("strategy", "what it does", "blocks that differ")
    rows = [("rollout:playouts=64", "plays every candidate on with greedy", 1234), ("random", "anything", 5)]
    text = format_table(columns, rows, width)
    words = {word for row in [columns, *rows] for cell in row for word in str(cell).split()}
    assert set(text.split()) == words
    if width >= 60:
        assert max(map(len, text.splitlines())) <= width
        assert text.splitlines()[0].startswith("strategy")


def test_a_wide_table_becomes_blocks_in_a_narrow_terminal() -> None:
    text = format_table(("strategy", "games"), [("rollout:playouts=64", 7), ("random", 12)], 20)
    assert text == "strategy  rollout:playouts=64\ngames     7\n\nstrategy  random\ngames     12"
    assert format_table(("strategy", "games"), [("random", 7), ("greedy", 12)], 20) == (
        "strategy  games\nrandom        7\ngreedy       12"
    )


def test_people_read_games_moves_players_and_rounds_from_one_and_programs_from_zero(
    library_folder: Path,
) -> None:
    words = ("show", "made", "--game", 2, "--data", library_folder)
    shown, document = run_reroll(*words).stdout, json.loads(run_reroll(*words, "--json").stdout)
    lines = [line.split() for line in shown.splitlines()]
    first = next(number for number, line in enumerate(lines) if line[:3] == ["move", "round", "player"]) + 1
    expected = [
        [str(ply["ply"] + 1), str(ply["round"] + 1), "dice" if ply["seat"] < 0 else str(ply["seat"] + 1)]
        for ply in document["log"]
    ]
    assert [line[:3] for line in lines[first : first + len(expected)]] == expected
    asked = (
        "whatif",
        "made",
        "--game",
        2,
        "--move",
        10,
        "--player",
        2,
        "--strategy",
        "random",
        "-n",
        20,
        "--quiet",
    )
    answer = run_reroll(*asked, "--data", library_folder).stdout
    assert re.match(r"(Player 2|The score of player 2) ", answer)
    assert "\nMove 10 of game 2 of made: what if player 2 played random?\n" in answer
    assert not re.search(r"\b(seat|ply)\b", shown + answer)


start_review_once = cache(start_review)


@pytest.fixture
def _reviewed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute a review once for all commands that print it."""
    monkeypatch.setattr(review, "start_review", start_review_once)


@pytest.mark.usefixtures("_reviewed_once")
def test_review_json_holds_every_ledger(library_folder: Path) -> None:
    result = run_reroll(
        "review", "made", "--game", 2, "--effort", 0.1, "--json", "--quiet", "--data", library_folder
    )
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["policy"] == "greedy"
    for seat, ledger in enumerate(document["ledgers"]):
        assert ledger["result"] == document["scores"][-1][seat]
    assert (
        "start + luck + own"
        in run_reroll("review", "made", "--game", 2, "--effort", 0.1, "--data", library_folder).stdout
    )


@pytest.mark.usefixtures("_reviewed_once")
def test_review_judges_by_win_chance_or_by_points(library_folder: Path) -> None:
    arguments = ("review", "made", "--game", 2, "--effort", 0.1, "--all", "--quiet", "--data", library_folder)
    by_win, by_points = run_reroll(*arguments).stdout, run_reroll(*arguments, "--by", "points").stdout
    assert "lost at least 5, 10 or 20 wins of 100; where the win was nearly decided, at least" in by_win
    assert ("so the move is judged by points." in by_win) == (" of 100  " in by_win)
    assert "two thirds of the spread of the scores" in by_points
    decisions = json.loads(run_reroll(*arguments, "--json").stdout)["decisions"]
    for text, key in ((by_win, "judged"), (by_points, "judged_by_points")):
        lines = text.splitlines()
        first = lines.index("Every decision") + 1
        assert lines[first].split()[:3] == ["move", "player", "class"]
        listed = [line.split()[2] for line in lines[first + 1 : first + 1 + len(decisions)]]
        assert listed == [decision[key] for decision in decisions]
    wrong = run_reroll(*arguments, "--by", "luck")
    assert wrong.exit_code == 2
    assert "'points'" in wrong.stderr


@pytest.mark.usefixtures("_reviewed_once")
def test_review_says_what_its_signs_mean_where_the_lowest_score_wins(tmp_path: Path) -> None:
    design = ("blokus-dice-2p", "--strategies", "random,random", "--games", 1, "--seed", 3, "--workers", 1)
    run_reroll("simulate", *design, "--name", "low", "--quiet", "--data", tmp_path)
    arguments = ("review", "low", "--game", 1, "--effort", 0.1, "--quiet", "--data", tmp_path)
    text = run_reroll(*arguments).stdout
    assert (
        "start \N{MINUS SIGN} luck \N{MINUS SIGN} own decisions \N{MINUS SIGN} others' decisions = result, in points. The lowest score wins"
        in text
    )
    for ledger in json.loads(run_reroll(*arguments, "--json").stdout)["ledgers"]:
        gains = ledger["luck"] + ledger["own"] + ledger["others"]
        assert ledger["start"] - gains == pytest.approx(ledger["result"], abs=0.01)
