"""Export and import: games and runs come back equal, and invalid files are refused with file and line."""

from __future__ import annotations

import json
import signal
import sys
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.exchange import game_files, game_formats, import_games
from pipelines.exchange import game_files as log_text
from pipelines.exchange.game_files import game_text, make_new_folder
from pipelines.exchange.import_games import plan_import, play_import
from pipelines.exchange.run_files import COLUMNS_FILE, EXPORTED_TABLES
from pipelines.runs.library import Library, Run
from pipelines.runs.unfinished_run import begin_run
from pipelines.simulate.errors import VerificationFailed
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.verify import verify_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.processes import RunProcess

HANDWRITTEN_HEAD = """\
reroll log 2            # Friday, after dinner
ruleset blokus-duo
title    At the kitchen table
player 1  Anna
player 2  Ben

"""


@pytest.fixture(scope="session")
def blokus_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Games of Blokus for three, with every strategy on every seat."""
    design = design_simulation(
        Catalogue().find_ruleset("blokus-fixed-3p"), ["greedy", "random", "random"], blocks=2, seed=3
    )
    return simulate_run(design, tmp_path_factory.mktemp("blokus") / "blokus.duckdb", workers=1)


def export_run(run: Run, folder: Path, ending: str) -> Path:
    path = folder / ending
    result = run_reroll("export", run.path, "--as", ending, "--out", path, "--quiet")
    assert result.exit_code == 0, result.stderr
    return path


@pytest.mark.parametrize("ending", ["blksgf", "txt", "json"])
def test_an_exported_and_imported_run_equals_itself_table_by_table(
    blokus_run: Run,
    tmp_path: Path,
    ending: str,
    read_contents: Callable[[Run], dict[str, Any]],
) -> None:
    planned = plan_import([export_run(blokus_run, tmp_path, ending)], Catalogue())
    back = play_import(planned, tmp_path / "back.duckdb")
    before, after = read_contents(blokus_run), read_contents(back)
    assert before.keys() == after.keys()
    assert len(before["games"]) == 6
    assert len(before["ply_rows"]) > 300
    for table in before.keys() - {"run"}:
        assert after[table] == before[table], table
    verify_run(back, workers=1)
    assert back.summary.kind == "import"
    assert back.summary.command == f"reroll import {ending} --ruleset blokus-fixed-3p"
    assert {**back.scene(3), "run": ""} == {**blokus_run.scene(3), "run": ""}


@pytest.mark.slow
def test_games_with_dice_can_be_imported_again(
    small_run: Run, tmp_path: Path, read_contents: Callable[[Run], dict[str, Any]]
) -> None:
    """An import has no seed, so it is verified without its luck; a simulation is verified with it."""
    back = play_import(
        plan_import([export_run(small_run, tmp_path, "txt")], Catalogue()), tmp_path / "back.duckdb"
    )
    assert {**read_contents(back), "run": None} == {**read_contents(small_run), "run": None}
    verify_run(back, workers=1)
    back.path.chmod(0o644)
    with duckdb.connect(back.path) as connection:
        connection.execute("UPDATE ply_rows SET score = score + 1 WHERE game_id = 2 AND ply = 1")
    with pytest.raises(VerificationFailed, match="game 3, move 2: score"):
        verify_run(Run(back.path), workers=1)


def test_a_log_counts_from_one(small_run: Run) -> None:
    text = game_text(small_run, 3, log_text.TEXT_FORMAT)
    assert text.startswith(
        "reroll log 2\nruleset bloxx-2p\ntitle BLOXX!, 2 players: greedy, random\nblock 2\nrotation 2\n"
    )
    assert "\nplayer 1  random\nplayer 2  greedy\n\nround 1\ndice > " in text
    with pytest.raises(InvalidError, match="a log begins with 'reroll log 2', not 'reroll log 1'"):
        log_text.read_log(text.replace("reroll log 2", "reroll log 1"))


def test_tables_as_parquet_and_csv_hold_what_the_run_holds(small_run: Run, tmp_path: Path) -> None:
    for ending, read in (("parquet", pd.read_parquet), ("csv", pd.read_csv)):
        folder = export_run(small_run, tmp_path, ending)
        assert sorted(path.name for path in folder.iterdir()) == sorted(
            f"{table}.{ending}" for table in (*EXPORTED_TABLES, COLUMNS_FILE)
        )
        with small_run.connect() as connection:
            for table in EXPORTED_TABLES:
                (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0]  # noqa: S608 - ours
                assert len(read(folder / f"{table}.{ending}")) == rows, table
            scores = connection.execute("SELECT score FROM seats").df()["score"]
        assert list(read(folder / f"seats.{ending}")["score"]) == list(scores)
    for table in ("actions", "log"):
        frame = pd.read_csv(tmp_path / "csv" / f"{table}.csv")
        assert frame["cells"].dropna().str.match(r"\d+( \d+)*$").all()
        assert frame["dice"].dropna().str.match(r"[A-Z]\d [A-Z]\d$").all()


def test_the_exported_log_is_in_the_order_of_the_games(
    small_run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipelines.runs.tables.GAMES_PER_BATCH", 3)
    log = pd.read_parquet(export_run(small_run, tmp_path, "parquet") / "log.parquet")
    with small_run.connect() as connection:
        rows = connection.execute(
            "SELECT game_id, ply, notation, turn FROM log ORDER BY game_id, ply"
        ).fetchall()
    exported = log[["game_id", "ply", "notation", "turn"]].astype(object).where(log.notna(), None)
    assert list(exported.itertuples(index=False, name=None)) == rows


def test_exported_tables_carry_the_comments_of_their_columns(small_run: Run, tmp_path: Path) -> None:
    for ending, read in (("parquet", pd.read_parquet), ("csv", pd.read_csv)):
        columns = read(export_run(small_run, tmp_path, ending) / f"columns.{ending}")
        assert set(columns["table"]) == set(EXPORTED_TABLES)
        assert columns["comment"].str.len().min() > 5
        described = columns.set_index(["table", "column"])["comment"]
        assert described["seats", "score"] == "Final score, the number of the rulebook."
    metadata = pq.read_schema(tmp_path / "parquet" / "seats.parquet").metadata
    assert metadata[b"comment"].decode().startswith("The result of every seat of every game")
    assert json.loads(metadata[b"column_comments"])["score"] == "Final score, the number of the rulebook."


def test_a_game_as_a_document_fits_its_schema_and_holds_its_ruleset(small_run: Run) -> None:
    text = game_text(small_run, 3, game_files.JSON_FORMAT)
    document = json.loads(text)
    assert json.loads(run_reroll("export", "--schema").stdout) == game_files.game_schema()
    assert set(document) == set(game_files.game_schema()["properties"])
    assert document["ruleset"] == small_run.ruleset("bloxx-2p").document
    assert document["scores"] == [seat.score for seat in small_run.list_seats(3)]
    assert len(document["plies"]) == small_run.game(3).plies
    with pytest.raises(InvalidError, match=r"^version: input should be 1$"):
        game_files.read_document(text.replace('"version": 1', '"version": 2'))


def test_a_game_as_a_page_needs_nothing_else(small_run: Run, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    assert run_reroll("export", small_run.path, "--game", "4", "--out", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert "default-src &#39;none&#39;" in text
    assert '"game_id":3' in text
    again = run_reroll("export", small_run.path, "--game", "4", "--out", page)
    assert (again.exit_code, again.stderr) == (2, f"reroll: {page} exists already; choose another name\n")


def write_handwritten_game(tmp_path: Path) -> Path:
    """A game of Duo as people write it down: squares in any order, no forced plies, no rounds, and the scores at the end."""
    design = design_simulation(Catalogue().find_ruleset("blokus-duo"), ["random", "random"], blocks=1, seed=5)
    run = simulate_run(design, tmp_path / "played.duckdb", workers=1)
    ruleset = run.ruleset("blokus-duo")
    lines = [ruleset.action(action).notation for action in run.actions(0)]
    turned = [f"{line[:2]} {', '.join(reversed(line[2:].split(',')))}" for line in lines if "out" not in line]
    scores = " ".join(str(seat.score) for seat in run.list_seats(0))
    path = tmp_path / "Friday's game.txt"
    path.write_text(HANDWRITTEN_HEAD + "\n".join(turned) + f"\n\nscores {scores}\n", encoding="utf-8")
    return path


def test_a_game_written_down_by_hand_is_checked_verified_and_replayed(tmp_path: Path) -> None:
    path = write_handwritten_game(tmp_path)
    data = tmp_path / "data"
    result = run_reroll("import", path, "--data", data, "--json", "--quiet")
    assert result.exit_code == 0, result.stderr
    (run,) = Library(data).runs()
    assert (run.name, run.summary.title) == ("friday-s-game", "At the kitchen table")
    assert run.summary.strategies == ("Anna", "Ben")
    assert run.actions(0) == Run(tmp_path / "played.duckdb").actions(0)
    assert run.scene(0)["strategies"] == ["Anna", "Ben"]
    assert run_reroll("verify", run.path, "--workers", "1").exit_code == 0
    second = run_reroll("import", path, "--data", data, "--quiet")
    assert second.stdout.startswith("friday-s-game-2: 1 game in ")


def test_a_wrong_line_is_reported_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = write_handwritten_game(tmp_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[9], lines[10] = lines[10], lines[9]  # now it is the other's turn
    path.write_text("\n".join(lines), encoding="utf-8")
    data = tmp_path / "data"
    result = run_reroll("import", path, "--data", data)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"reroll: {path}: line 10: blokus-duo, round 2: action ")
    assert len(result.stderr.splitlines()) == 1
    assert list((data / "runs").iterdir()) == []


LOG_HEAD = "reroll log 2\nruleset bloxx-2p\nplayer 1 A\nplayer 2 B\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "the file has no games: a log begins with 'reroll log 2'"),
        ("a.txt", "\nruleset bloxx-2p\n", "line 2: a log begins with 'reroll log 2', not 'ruleset bloxx-2p'"),
        ("a.txt", "reroll log 3\n", "line 1: a log begins with 'reroll log 2'"),
        ("a.txt", "reroll log 2\nplayer 1 A\n", "line 1: the game that begins here has no line 'ruleset ...'"),
        ("a.txt", "reroll log 2\nruleset bloxx-2p\n", "line 1: the game that begins here has no line 'player ...'"),
        ("a.txt", LOG_HEAD + "player 4 C\n", "line 5: players must be in the order of play, from 1"),
        ("a.txt", LOG_HEAD + "ruleset x\n", "line 5: the line ruleset occurs twice"),
        ("a.txt", LOG_HEAD + "I3 P5\ntitle x\n", "line 6: the line title must stand before the first ply"),
        ("a.txt", LOG_HEAD + "round one\n", "line 5: round: expected a number from 1, not 'one'"),
        ("a.txt", LOG_HEAD + "round 0\n", "line 5: round: expected a number from 1, not '0'"),
        ("a.txt", LOG_HEAD + "0 > I3 P5\n", "line 5: player: expected a number from 1, not '0'"),
        ("a.txt", LOG_HEAD + "round -1\n", "line 5: round: expected a number from 1, not '-1'"),
        ("a.txt", LOG_HEAD + "scores 1 b\n", "line 5: scores: expected one number per seat, not '1 b'"),
        ("a.txt", LOG_HEAD + "scores 1 2\nI3 P5\n", "line 6: only the next game may follow the scores"),
        ("a.txt", LOG_HEAD + "I3 Q5\n", "line 5: 'I3 Q5'"),
        ("a.txt", LOG_HEAD + "2 > I3 P5\n", "line 5: in round 1 chance has to act, not player 2"),
        ("a.txt", LOG_HEAD + "round 4\nI3 P5\n", "line 6: round: the file has 4, by the rules it is 1"),
        ("a.txt", LOG_HEAD + "I3 P5\n", "after line 5 the game is not over: in round 1 player 1 has "),
        ("a.txt", LOG_HEAD.replace("bloxx-2p", "bloxx-2q"), "unknown ruleset 'bloxx-2q'; did you mean bloxx-2p"),
        ("a.txt", LOG_HEAD.replace("bloxx-2p", "bloxx-3p"), "bloxx-3p has 3 seats, not 2"),
        ("a.json", "{\n]", "line 2: not JSON: "),
        ("a.json", "[" * 100_000, "not JSON: nested too deep"),
        ("a.json", "{}", "format: field required"),
        ("a.json", '{"format": "reroll game", "version": 1, "ruleset": {}, "seats": ["A"], "plies": []}', "ruleset: game: expected a text"),
        ("a.blksgf", "(;GM[Blokus Duo];B[a1])", "line 1: blokus-duo, round 1: action b:a1 is not legal here (player 1 has 414"),
        ("a.png", "x", "unknown format 'png'"),
        ("a.txt", "reroll log 2\n\udcff", "line 2: not UTF-8 text"),
    ],
)  # fmt: skip
def test_unreadable_files_are_reported_in_a_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode(errors="surrogateescape"))
    result = run_reroll("import", path, "--data", tmp_path / "data")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.glob("data/runs/*"))


def test_missing_and_too_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_games, "MAX_FILE_BYTES", 1 << 20)
    large = tmp_path / "large.txt"
    large.write_bytes(b"#" * ((1 << 20) + 1))
    (tmp_path / "empty").mkdir()
    for path, message in (
        (large, "the file is larger than 1 MB"),
        (tmp_path / "nothing.txt", "No such file or directory"),
        (tmp_path / "empty", "the folder has no files of games (.json, .txt, .blksgf)"),
    ):
        with pytest.raises(InvalidError) as result:
            plan_import([path], Catalogue())
        assert str(result.value) == f"{path}: {message}"


def test_games_that_do_not_fit_in_one_run_are_refused(small_run: Run, tmp_path: Path) -> None:
    first, other, seated = tmp_path / "1.txt", tmp_path / "2.txt", tmp_path / "3.txt"
    text = game_text(small_run, 0, log_text.TEXT_FORMAT)
    first.write_text(text, encoding="utf-8")
    other.write_text(text.replace("bloxx-2p", "bloxx-touch-2p"), encoding="utf-8")
    seated.write_text(text.replace("player 1  greedy", "player 1  Anna"), encoding="utf-8")
    with pytest.raises(
        InvalidError, match=r"2\.txt: the ruleset is bloxx-touch-2p, that of the first game bloxx-2p"
    ):
        plan_import([first, other], Catalogue())
    with pytest.raises(
        InvalidError, match=r"3\.txt: its players are Anna, random, those of the first game are greedy"
    ):
        plan_import([first, seated], Catalogue())
    twice = plan_import([first, first], Catalogue())
    assert (twice.design.blocks, twice.design.rotations) == (2, 1)
    blocks = tmp_path / "blocks"
    blocks.mkdir()
    for number in range(4):
        text = game_text(small_run, number, log_text.TEXT_FORMAT)
        (blocks / f"{number}.txt").write_text(text, encoding="utf-8")
    whole = plan_import([blocks], Catalogue())
    assert (whole.design.blocks, whole.design.rotations) == (2, 2)
    (blocks / "3.txt").write_text(text.replace("greedy", "Anna"), encoding="utf-8")
    with pytest.raises(InvalidError, match="its players are"):
        plan_import([blocks], Catalogue())


def test_names_from_files_are_one_line_and_not_endless(small_run: Run, tmp_path: Path) -> None:
    text = game_text(small_run, 0, game_files.JSON_FORMAT)
    document = json.loads(text)
    document["seats"] = ["\u202e<b>\n" + "x" * 300, " "]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    run = play_import(plan_import([path], Catalogue()), tmp_path / "a.duckdb")
    assert [seat.strategy for seat in run.list_seats(0)] == ["<b> " + "x" * 76, "unnamed"]


def test_an_import_that_was_killed_cannot_be_resumed_by_playing(small_run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(game_text(small_run, 0, log_text.TEXT_FORMAT), encoding="utf-8")
    partial = begin_run(tmp_path / "a.duckdb", plan_import([path], Catalogue()).design, free_name=False)
    with pytest.raises(
        InvalidError, match="a is an unfinished import; remove it with reroll rm a, and import again"
    ):
        resume_run(partial)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name the format to export made to, such as --as parquet"),
        (("--as", "pdf"), "unknown format 'pdf'; known: "),
        (("--game", "4", "--as", "csv"), "csv is for whole runs"),
        (("--game", "4", "--as", "blksgf"), "unknown format 'blksgf'; known: "),
        (("--game", "99"), "run made has no game 99 (1 to 20)"),
        (("--game", "4", "--out", "/proc/none/a.txt"), "/proc/none"),
    ],
)
def test_impossible_exports_are_refused_in_a_line(
    small_run: Run, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    options = () if "--out" in words or "--game" in words else ("--out", tmp_path / "new")
    result = run_reroll("export", small_run.path, *words, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_next_export_removes_the_folder_of_one_that_was_killed(
    run_process: RunProcess, tmp_path: Path
) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from pipelines.exchange.game_files import make_new_folder\n"
        "with make_new_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').touch(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    run_process([sys.executable, "-c", program, str(tmp_path / "killed")])
    (left,) = tmp_path.iterdir()
    other = tmp_path / ".new-other"
    other.mkdir()
    with make_new_folder(tmp_path / "first") as first, make_new_folder(tmp_path / "second") as second:
        assert first.is_dir()  # it is not left behind: this process writes it
        assert second.is_dir()
        assert not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".new-other", "first", "second"]


def test_ctrl_c_leaves_no_folder_of_an_export_that_cannot_be_interrupted(
    run_process: RunProcess, tmp_path: Path
) -> None:
    program = (
        "import hashlib, os, signal, sys; from pathlib import Path; from pipelines import interrupts\n"
        "from pipelines.exchange.game_files import make_new_folder\n"
        "interrupts.install_handler(); interrupts.GRACE_SECONDS = 0.2\n"
        "with make_new_folder(Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').touch()\n"
        "    try: os.kill(os.getpid(), signal.SIGINT)\n"
        "    finally: hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000_000)"
    )
    done = run_process([sys.executable, "-c", program, str(tmp_path / "exported")])
    assert done.returncode == 128 + signal.SIGINT
    assert list(tmp_path.iterdir()) == []


def test_every_format_of_games_has_its_own_ending() -> None:
    assert list(game_formats()) == ["json", "txt", "blksgf"]
