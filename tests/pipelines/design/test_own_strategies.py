"""Own strategies in runs: they get equal luck, their errors are clear, and they run only if a person has named them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.strategies import read_player
from engine.strategy import Strategy
from pipelines.design.designs import design_simulation, read_design
from pipelines.design.own_strategies import OwnStrategies
from pipelines.runs.library import Library
from pipelines.runs.unfinished_run import UnfinishedRun, begin_run
from pipelines.service import jobs
from pipelines.simulate import compiled_games
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shards import blocks_per_shard, play_game, play_shard
from pipelines.simulate.simulate import resume_run, simulate_run
from pipelines.simulate.verify import verify_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from engine.luck import Source
    from engine.ruleset import Ruleset
    from engine.state import State
    from engine.strategy import Player
    from pipelines.design.design import Design
    from tests.processes import StartProcess

GTP_PROGRAM = Path(__file__).parents[2] / "engine" / "games" / "blokus" / "gtp_program.py"

STRATEGY_SOURCE = '''
def twin(state, source):
    """As random."""
    return source.choice(state.actions)


def last(state, source, back=1):
    return state.actions[-min(back, len(state.actions))]


def breaks(state, source, ply=0):
    if state.round == 3:
        return 1 // 0
    return source.choice(state.actions)


def endless(state, source):
    while state.round == 3:
        try:
            time = 1
        except Exception:
            pass
    return source.choice(state.actions)


def stuck(state, source):
    if state.round == 3:
        sum(range(10**13))  # in compiled code, which nothing interrupts
    return source.choice(state.actions)


def dies(state, source):
    if state.round == 3:
        import os
        os._exit(3)
    return source.choice(state.actions)


def nothing(state, source):
    return None


def truth(state, source):
    return True


def far_off(state, source):
    return 10**9
'''


@pytest.fixture
def strategy_file(tmp_path: Path) -> Path:
    path = tmp_path / "my.py"
    path.write_text(STRATEGY_SOURCE, encoding="utf-8")
    return path


def own_design(ruleset: Ruleset, lineup: list[str], mine: Path, blocks: int = 2, **own: float) -> Design:
    named = OwnStrategies.from_names([mine], lineup, **own)  # type: ignore[arg-type]  # a bool or a number
    return design_simulation(ruleset, lineup, blocks=blocks, seed=3, own_strategies=named)


@pytest.mark.slow
def test_an_own_strategy_plays_on_the_same_luck_as_a_built_in_one(
    ruleset: Ruleset, strategy_file: Path, tmp_path: Path
) -> None:
    """A copy of random plays the same games as random, which a kernel plays, with one worker and with two."""
    built_in = simulate_run(
        design_simulation(ruleset, ["random", "greedy"], blocks=3, seed=3),
        tmp_path / "built-in.duckdb",
        workers=1,
    )
    for workers in (1, 2):
        own = simulate_run(
            own_design(ruleset, ["twin", "greedy"], strategy_file, blocks=3),
            tmp_path / f"{workers}.duckdb",
            workers=workers,
        )
        assert [own.actions(game) for game in range(6)] == [built_in.actions(game) for game in range(6)]
        assert [[seat.score for seat in own.list_seats(game)] for game in range(6)] == [
            [seat.score for seat in built_in.list_seats(game)] for game in range(6)
        ]


@pytest.mark.slow
def test_a_run_records_the_code_that_played_and_is_verified_without_it(
    ruleset: Ruleset, strategy_file: Path, tmp_path: Path
) -> None:
    design = own_design(ruleset, ["last:back=2", "random"], strategy_file)
    run = simulate_run(design, tmp_path / "run.duckdb", workers=1)
    strategy_file.unlink()
    verify_run(run, workers=1)
    assert run.summary.strategies == ("last:back=2", "random")
    assert run.summary.command.endswith("--blocks 2 --seed 3 --code my.py")
    with run.connect() as connection:
        rows = dict(connection.execute("SELECT strategy, params FROM strategies").fetchall())
    assert json.loads(rows["random"]) == {}
    assert json.loads(rows["last:back=2"]) == {
        "back": 2,
        "from": {"file": "my.py", "sha256": design.code[0].sha256, "package": "", "source": ""},
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("endless", "endless did not decide within 1 s ({})"),
        ("stuck", "stuck did not decide within 1 s and could not be interrupted ({})"),
        ("dies", "a worker process died while dies decided ({})"),
    ],
)  # fmt: skip
def test_a_failure_is_reported_with_strategy_game_ply_round_and_seat(
    ruleset: Ruleset, strategy_file: Path, tmp_path: Path, name: str, message: str
) -> None:
    where = _first_decision_of_round_3(ruleset, strategy_file)
    with pytest.raises(PlayError) as caught:
        simulate_run(
            own_design(ruleset, [name, "random"], strategy_file, blocks=1, decision_seconds=1),
            tmp_path / "run.duckdb",
            workers=1,
        )
    assert str(caught.value) == message.format(where)
    assert caught.value.partial is None
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("run")] == []


def _first_decision_of_round_3(ruleset: Ruleset, mine: Path) -> str:
    """Return the place of the first decision of seat 0 in round 3 of game 0, played at random."""
    plies = play_game(own_design(ruleset, ["twin", "random"], mine), 0, 0).plies
    ply = next(number for number, ply in enumerate(plies) if ply.round == 3 and ply.seat == 0)
    return f"game 1, move {ply + 1}, round 4, player 1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing", "nothing returned None; expected a number from state.actions (game 1, move 2, "),
        ("truth", "truth returned True; expected a number from state.actions (game 1, move 2, "),
        ("far-off", "far-off returned 1000000000, which is not one of the "),
    ],
)
def test_an_illegal_action_is_reported(
    ruleset: Ruleset, strategy_file: Path, name: str, message: str
) -> None:
    with pytest.raises(PlayError) as caught:
        play_game(own_design(ruleset, [name, name], strategy_file), 0, 0)
    assert str(caught.value).startswith(message)


@pytest.mark.slow
def test_finished_games_are_kept_and_only_the_same_code_named_again_can_resume(
    ruleset: Ruleset, strategy_file: Path, tmp_path: Path
) -> None:
    design = own_design(ruleset, ["twin", "random"], strategy_file)
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    play_shard(partial.folder, design.model_dump_json(), 0, design.own_strategies)
    for own, message in (
        (
            OwnStrategies(),
            "run plays strategy 'twin' of my.py; to allow this code, use --code my.py",
        ),
        (OwnStrategies.from_names([_edited_copy(strategy_file)]), "run was begun with my.py with hash "),
    ):
        with pytest.raises(InvalidError, match=message):
            resume_run(replace(UnfinishedRun(partial.folder), own=own), workers=1)
    assert UnfinishedRun(partial.folder).games_done == 2
    assert (
        resume_run(
            UnfinishedRun(partial.folder, OwnStrategies.from_names([strategy_file])), workers=1
        ).summary.games
        == 4
    )


def _edited_copy(mine: Path) -> Path:
    """Return an edited copy of the file in another folder."""
    other = mine.parent / "edited" / mine.name
    other.parent.mkdir(exist_ok=True)
    other.write_text(f"{STRATEGY_SOURCE}\n# edited\n", encoding="utf-8")
    return other


def test_a_document_never_loads_code(ruleset: Ruleset, strategy_file: Path) -> None:
    design = own_design(ruleset, ["twin", "random"], strategy_file)
    again = read_design(design.model_dump_json(), "design")
    assert again.code == design.code
    assert again.own_strategies == OwnStrategies()
    with pytest.raises(InvalidError, match="unknown strategy of bloxx 'twin'"):
        _ = again.players


def test_a_file_that_changes_while_a_run_is_played_is_reported(
    ruleset: Ruleset, strategy_file: Path, tmp_path: Path
) -> None:
    design = own_design(ruleset, ["twin", "random"], strategy_file)
    strategy_file.write_text(f"{STRATEGY_SOURCE}\n# edited\n", encoding="utf-8")
    with pytest.raises(InvalidError, match=r"my.py has changed since it was named"):
        simulate_run(design, tmp_path / "run.duckdb", workers=1)


def test_two_files_with_a_strategy_of_the_same_name_are_refused(
    ruleset: Ruleset, strategy_file: Path
) -> None:
    with pytest.raises(InvalidError, match=r"strategy 'twin' is in two files: my.py and my.py"):
        design_simulation(
            ruleset,
            ["twin", "random"],
            blocks=1,
            own_strategies=OwnStrategies.from_names([strategy_file, _edited_copy(strategy_file)], ["twin"]),
        )


def test_a_strategy_for_other_games_is_refused(ruleset: Ruleset, strategy_file: Path) -> None:
    strategy_file.write_text(f"GAMES = ['blokus']\n{STRATEGY_SOURCE}", encoding="utf-8")
    with pytest.raises(InvalidError, match=r"strategy 'twin' of my.py does not play bloxx; it plays blokus"):
        own_design(ruleset, ["twin", "random"], strategy_file)


@pytest.mark.slow
def test_an_installed_strategy_plays_when_it_is_named(
    ruleset: Ruleset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "brought_along.py").write_text(STRATEGY_SOURCE, encoding="utf-8")
    information = tmp_path / "brought_along-1.2.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: brought-along\nVersion: 1.2\n")
    (information / "entry_points.txt").write_text("[reroll.strategies]\nfinal = brought_along:last\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "installed    final        brought-along 1.2" in run_reroll("strategies", "bloxx").stdout
    assert "brought_along" not in sys.modules
    assert (
        "bloxx        final        From brought-along 1.2."
        in run_reroll("strategies", "bloxx", "--code", "final").stdout
    )
    lineup = ["final", "random"]
    design = design_simulation(
        ruleset, lineup, blocks=1, seed=3, own_strategies=OwnStrategies.from_names([], lineup)
    )
    partial = begin_run(tmp_path / "run.duckdb", design, free_name=False)
    with pytest.raises(InvalidError, match=r"'final' of brought-along 1.2; to allow .*, use --code final"):
        resume_run(UnfinishedRun(partial.folder), workers=1)
    assert (
        resume_run(
            UnfinishedRun(partial.folder, OwnStrategies.from_names(["final"])), workers=1
        ).summary.games
        == 2
    )


def test_no_game_is_played_to_size_the_shards_of_an_own_strategy(
    ruleset: Ruleset, strategy_file: Path
) -> None:
    """A game of an own strategy may take any time."""
    for blocks, size in ((16, 1), (1_000, 3), (1_000_000, 500), (10_000_000, 2442)):
        assert (
            blocks_per_shard(own_design(ruleset, ["endless", "stuck"], strategy_file, blocks=blocks)) == size
        )


def test_a_job_from_a_page_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page can send any name, but no name starts a program."""
    touched = tmp_path / "touched"
    job = jobs.start_simulation(
        Library(tmp_path), "blokus-duo", [f'gtp:command="touch {touched}"', "greedy"], games=1
    )
    end = time.monotonic() + 30
    while job.state in {"starting", "running"} and time.monotonic() < end:
        time.sleep(0.05)
    assert job.state == "failed"
    assert job.last_line.startswith("reroll: strategy 'gtp' starts a program")
    assert not touched.exists()
    monkeypatch.setenv("REROLL_OWN", "0")
    with pytest.raises(InvalidError, match="REROLL_OWN=0 allows built-in strategies only"):
        OwnStrategies.from_names([tmp_path / "my.py"])


@pytest.mark.slow
def test_a_program_plays_a_run_and_resuming_it_must_be_allowed(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, str(GTP_PROGRAM)])
    strategies = f'gtp:command="{words}",greedy'
    found = run_reroll(
        "simulate", "blokus-duo", "-s", strategies, "--blocks", 1, "--out", tmp_path / "whole", "--quiet"
    )
    assert found.exit_code == 0, found.output
    whole = Library(tmp_path).run(tmp_path / "whole.duckdb")
    verify_run(whole, workers=1)
    with whole.connect() as connection:
        rows = connection.execute("SELECT title, params FROM strategies ORDER BY strategy DESC").fetchall()
    assert "Equal seeds need not give equal games" in rows[0][0]
    assert json.loads(rows[0][1]) == {"command": words, "seconds": 60}
    document = read_design(_read_design_text(tmp_path / "whole.duckdb"), "design")
    partial = begin_run(tmp_path / "half.duckdb", document, free_name=False)
    refused = run_reroll("resume", partial.folder, "--quiet")
    assert (refused.exit_code, refused.stderr) == (
        2,
        "reroll: half plays a program; to allow that it is started, use --allow-programs\n",
    )
    allowed = run_reroll("resume", partial.folder, "--allow-programs", "--quiet")
    assert allowed.exit_code == 0, allowed.output
    again = Library(tmp_path).run(tmp_path / "half.duckdb")
    assert [again.actions(game) for game in range(2)] == [whole.actions(game) for game in range(2)]


def _read_design_text(path: Path) -> str:
    import duckdb

    with duckdb.connect(path, read_only=True) as connection:
        return str(connection.execute("SELECT design FROM run").fetchall()[0][0])


@pytest.mark.slow
def test_a_program_that_fails_is_reported_with_its_game_and_ply(tmp_path: Path) -> None:
    words = shlex.join([sys.executable, str(GTP_PROGRAM), "--do", "hang", "--at", "2"])
    found = run_reroll(
        "simulate", "blokus-duo", "-s", f'gtp:command="{words}",seconds=0.5,greedy', "--blocks", 1, "--out",
        tmp_path / "run", "--no-rotate", "--quiet",
    )  # fmt: skip
    assert found.exit_code == 1
    assert found.stderr.startswith(
        f'reroll: gtp:command="{words}",seconds=0.5 failed (game 1, move 3, round 2, player 1): '
        "the program did not answer 'genmove B' in time; its last words: x"
    )


@pytest.mark.slow
def test_the_command_line_lists_and_plays_own_strategies(strategy_file: Path, tmp_path: Path) -> None:
    listed = run_reroll("strategies", "bloxx", "--code", strategy_file)
    assert "bloxx        last         From my.py.\n                          back=1\n" in listed.stdout
    rows = {
        row["strategy"]: row
        for row in json.loads(run_reroll("strategies", "bloxx", "--code", strategy_file, "--json").stdout)
    }
    assert rows["last"]["parameters"] == [
        {"name": "back", "title": "", "default": 1, "low": None, "high": None}
    ]
    assert rows["last"]["file"] == "my.py"
    assert rows["greedy"]["file"] is None
    assert 'command="..."' in run_reroll("strategies", "blokus", "gtp").stdout
    played = run_reroll(
        "simulate",
        "bloxx-2p",
        "-s",
        "last:back=3,twin",
        "--code",
        strategy_file,
        "--blocks",
        1,
        "--out",
        tmp_path / "run",
    )
    assert played.exit_code == 0, played.output
    assert "\nlast " in played.stdout  # the short names of this line-up differ


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-s", "twin,random"), "unknown strategy of bloxx 'twin'"),
        (("-s", "random,random", "--code", "nowhere.py"), "nowhere.py: No such file or directory"),
        (("-s", "random,random", "--code", "nothing"), "--code nothing: there is no file and no installed strategy"),
        (("-s", "random,gtp:command=x"), "unknown strategy of bloxx 'gtp'"),
    ],
)  # fmt: skip
def test_wrong_names_are_refused_in_one_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    found = run_reroll("simulate", "bloxx-2p", *words, "--games", "1", "--out", tmp_path / "run")
    assert found.exit_code == 2
    assert message in found.stderr
    assert len(found.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_error_in_a_game_exits_with_1_and_saves_the_finished_games(
    strategy_file: Path, tmp_path: Path
) -> None:
    """The games of block 5 fail; the finished games before them are saved."""
    strategy_file.write_text(
        STRATEGY_SOURCE.replace("state.round == 3", "source.luck.block == 5"), encoding="utf-8"
    )
    found = run_reroll(
        "simulate", "bloxx-2p", "-s", "breaks,random", "--code", strategy_file, "--blocks", 8, "--workers", 1, "--quiet",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert found.exit_code == 1
    saved, fault = found.stderr.splitlines()
    assert saved.startswith("failed: ")
    assert saved.endswith(
        f"of 16 games are saved; resume with: reroll resume {tmp_path / 'run.partial'} --code my.py"
    )
    assert fault.startswith(
        "reroll: breaks:ply=0 raised ZeroDivisionError at my.py line 13 (game 11, move 2, round 1, "
    )
    assert 10 <= UnfinishedRun(tmp_path / "run.partial").games_done < 16


def test_ctrl_c_stops_a_strategy_that_thinks(
    start_process: StartProcess, strategy_file: Path, tmp_path: Path
) -> None:
    command = [
        sys.executable,
        "-m",
        "pipelines",
        "simulate",
        "bloxx-2p",
        "-s",
        "endless,random",
        "--code",
        str(strategy_file),
    ]
    options = ["--blocks", "2", "--workers", "1", "--out", str(tmp_path / "run"), "--quiet"]
    writing = tmp_path / "run.partial" / "writing"
    with start_process([*command, *options], stderr=subprocess.PIPE, start_new_session=True) as process:
        end = time.monotonic() + 60
        while not _is_thinking(writing):
            assert time.monotonic() < end
            time.sleep(0.1)
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.splitlines()[1].startswith("stopped: 0 of 4 games are saved; resume with: reroll resume ")
    assert time.monotonic() - started < 20


def _is_thinking(writing: Path) -> bool:
    return any(b"round 4" in path.read_bytes() for path in writing.glob("deciding-*"))


def test_a_compiled_strategy_can_sit_beside_an_own_one(
    ruleset: Ruleset, strategy_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A strategy that only the kernel has is asked of the kernel, which is compiled before the workers start."""
    compiled = find_kernel(ruleset)
    assert compiled

    def decide(_: object, state: State, __: Player, source: Source) -> int:
        return source.choice(state.actions)

    monkeypatch.setattr(
        "engine.strategies.COMMON_STRATEGIES",
        (*_common_strategies(), Strategy("compiled", "Compiled only.", None)),
    )
    monkeypatch.setattr(type(compiled), "strategies", (*compiled.strategies, "compiled"))
    monkeypatch.setattr(type(compiled), "decide", decide)
    mixed = own_design(ruleset, ["compiled", "last"], strategy_file)
    assert compiled_games.find_design_kernel(mixed) is None
    assert [player.name for player in compiled_games._kernel_players(mixed)] == ["compiled"]
    assert [ply.action for ply in play_game(mixed, 1, 0).plies] == [
        ply.action for ply in play_game(own_design(ruleset, ["twin", "last"], strategy_file), 1, 0).plies
    ]


def _common_strategies() -> tuple[Strategy, ...]:
    return (read_player(games.find_game("bloxx"), "random").strategy,)
