"""The command line: it answers people and programs, and reports bad input in one or two lines."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from engine.catalogue import Catalogue
from engine.clauses import read_clauses
from pipelines.cli import app
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import UnfinishedRun
from tests.command_line import LINE_UP_OPTIONS, run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.runs.library import Run
    from tests.processes import RunProcess, StartProcess
COMMANDS = [command.name for command in app.registered_commands if command.name]


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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simulate", "bloxx-2q", *LINE_UP_OPTIONS, "--games", "2"), "unknown ruleset 'bloxx-2q'; did you mean bloxx-2p"),
        (("compare", "bloxx", "greedy", "random", "--blocks", "2"), "choose one of bloxx-2p, bloxx-3p, bloxx-4p"),
        (("simulate", "bloxx-2p", "-s", "gredy,random", "--games", "2"), "unknown strategy of bloxx 'gredy'; did you mean greedy?"),
        (("simulate", "bloxx-2p", "-s", "greedy", "--games", "2"), "bloxx-2p has 2 seats, so it takes 2 strategies, not 1"),
        (("simulate", "bloxx-2p", "-s", "greedy:x=1,random", "--games", "2"), "unknown parameter of greedy 'x'"),
        (("simulate", "bloxx-2p", *LINE_UP_OPTIONS, "--games", "2", "--blocks", "1"), "the number of games or that of blocks, not both"),
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
        (("strategies", "bloxx", "gredy"), "unknown strategy of bloxx 'gredy'; did you mean greedy?"),
        (("rulesets", "--toml"), "--toml: name one ruleset"),
        (("rulesets", "bloxx-9p", "--toml"), "unknown ruleset 'bloxx-9p'"),
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
        (("whatif", "made", "--move", "4", "--luck"), "name either one game with --game N, or many with --many all"),
        (("study", "made:3:12"), "there is no run, collection or note 'made:3:12'"),
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


def test_the_words_of_the_help_are_those_of_other_commands() -> None:
    shown = " ".join(run_reroll("--help").stdout.split())
    for words in ("Show the version and exit.", "Show this message and exit."):
        assert words in shown
    assert "Repeatable." in run_reroll("sql", "--help").stdout
    assert "by default" in run_reroll("whatif", "--help").stdout


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
        (
            ("--name", "mine"),
            "there is a run mine already; choose another name, or delete it with: reroll rm mine",
        ),
        (("--name", "../mine"), "cannot be the name of a run"),
        (("--name", "new", "--out", tmp_path / "x"), "give either --name"),
    ):
        result = run_reroll("simulate", *played, *given)
        assert result.exit_code == 2
        assert expected in result.stderr
    compared = ("bloxx-2p", "random", "random", "--blocks", 2, "--quiet", "--data", tmp_path)
    assert run_reroll("compare", *compared, "--name", "pair").exit_code == 0
    assert {run.name for run in Library(tmp_path).runs()} == {"mine", "pair"}


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
        "--continuations",
        20,
        "--quiet",
    )
    answer = run_reroll(*asked, "--data", library_folder).stdout
    assert re.match(r"(Player 2|The score of player 2) ", answer)
    assert (
        "\nMove 10 of a game of BLOXX!, greedy against random: what if random played on for player 2?\n"
        in answer
    )
    assert not re.search(r"\b(seat|ply)\b", shown + answer)


def test_the_file_of_a_ruleset_can_be_copied_and_is_then_a_ruleset_of_ones_own(tmp_path: Path) -> None:
    listed = run_reroll("rulesets", "--data", tmp_path).stdout
    assert f"Your own ruleset files belong in {tmp_path / 'rulesets'};" in listed
    for name in ("bloxx-3p", "bloxx", "blokus-duo"):
        printed = run_reroll("rulesets", name, "--toml", "--data", tmp_path).stdout
        (tmp_path / "rulesets").mkdir(exist_ok=True)
        (tmp_path / "rulesets" / "mine.toml").write_text(printed, encoding="utf-8")
        copied = json.loads(run_reroll("rulesets", "--json", "--data", tmp_path).stdout)
        assert {document["ruleset"] for document in copied} & {"mine", "mine-3p"}


def test_weights_are_listed_with_the_name_of_a_strategy_only() -> None:
    assert "(0 to 100)" not in run_reroll("strategies", "bloxx").stdout
    assert "sigma=2.3" in run_reroll("strategies", "bloxx", "noisy").stdout
