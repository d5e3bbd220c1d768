"""Limits of own strategies: their names, their loading, and what they may do to a game."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

import pytest

from engine import file_limits, own_strategies
from engine.errors import InvalidError
from engine.own_strategies import file_sha256, load_strategy_file
from pipelines.design.designs import design_simulation
from pipelines.design.own_strategies import OwnStrategies
from pipelines.simulate.errors import PlayError
from pipelines.simulate.shards import play_game
from pipelines.simulate.simulate import simulate_run
from pipelines.simulate.verify import verify_run
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue
    from engine.ruleset import Ruleset
    from tests.processes import RunProcess

PLAYER = "def mine(state, source):\n    return source.choice(state.actions)\n"


def write_code(folder: Path, text: str) -> Path:
    path = folder / "my.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_code_with_the_name_of_a_built_in_strategy_is_refused_by_every_command(tmp_path: Path) -> None:
    path = write_code(tmp_path, PLAYER.replace("mine", "greedy"))
    for command in (
        ("simulate", "bloxx-2p", "-s", "greedy,random", "--games", 1, "--out", tmp_path / "run"),
        ("compare", "bloxx-2p", "greedy", "random", "--blocks", 1, "--out", tmp_path / "run"),
        ("strategies", "bloxx"),
    ):
        refused = run_reroll(*command, "--code", path)
        assert refused.exit_code == 2
        assert "my.py line 1: greedy: Reroll already has a strategy 'greedy'" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import sys\nsys.exit()\n", "my.py line 2: it called sys.exit() while it was loaded"),
        ("raise SystemExit(0)\n", "my.py line 1: it called sys.exit(0) while it was loaded"),
        ("raise GeneratorExit\n", "my.py line 1: GeneratorExit"),
    ],
)
def test_code_that_exits_while_it_is_loaded_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = write_code(tmp_path, text + PLAYER)
    words = (
        "simulate",
        "bloxx-2p",
        "-s",
        "mine,random",
        "--games",
        1,
        "--code",
        path,
        "--out",
        tmp_path / "run",
    )
    refused = run_reroll(*words)
    assert (refused.exit_code, refused.stderr) == (2, f"reroll: {message}\n")
    assert not (tmp_path / "run.duckdb").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import os\nos._exit(0)\n", "my.py line 2: it called os._exit(0) while it was loaded"),
        (
            "import os\ntry:\n    os._exit(3)\nexcept Exception:\n    pass\n",
            "my.py line 3: it called os._exit(3) while it was loaded",
        ),
    ],
)
def test_code_that_would_end_the_process_while_it_is_loaded_is_refused(
    run_process: RunProcess, tmp_path: Path, text: str, message: str
) -> None:
    path = write_code(tmp_path, text + PLAYER)
    command = [sys.executable, "-m", "pipelines", "simulate", "bloxx-2p", "-s", "mine,random", "--games", "1"]
    done = run_process([*command, "--code", str(path), "--out", str(tmp_path / "run")])
    assert (done.returncode, done.stderr) == (2, f"reroll: {message}\n")
    assert not (tmp_path / "run.duckdb").exists()


def test_code_that_is_loaded_for_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_strategies, "LOADING_TIMEOUT_SECONDS", 0.3)
    path = write_code(tmp_path, f"while True:\n    pass\n{PLAYER}")
    with pytest.raises(InvalidError, match=r"my\.py line [12]: it was not loaded within 0\.3 s"):
        load_strategy_file(path, file_sha256(path))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "import time\nwhile True:\n try:\n  while True: time.sleep(0.01)\n except BaseException: pass",
            "reroll: own code was not loaded within",
        ),
        ("sum(range(10**12))", "Timeout "),
    ],
)
def test_code_that_cannot_be_interrupted_while_it_is_loaded_ends_the_process(
    run_process: RunProcess, code: str, said: str
) -> None:
    program = (
        "from engine import file_limits\n"
        "file_limits.KILL_GRACE_SECONDS = 0.3\n"
        "with file_limits.limit_loading(0.2):\n"
        f"    exec({code!r})\n"
    )
    done = run_process([sys.executable, "-c", program])
    assert done.returncode in {1, 2}
    assert done.stderr.startswith(said)


def test_a_process_can_exit_after_code_was_loaded(tmp_path: Path) -> None:
    before = os._exit
    path = write_code(tmp_path, PLAYER)
    load_strategy_file(path, file_sha256(path))
    assert os._exit is before
    with pytest.raises(file_limits.LoadingStopped), file_limits.limit_loading(1):
        os._exit(0)
    assert os._exit is before


def test_designs_share_their_ruleset_unless_own_code_plays(ruleset: Ruleset, tmp_path: Path) -> None:
    """Own code may change the ruleset that it sees; no other design may see that."""
    own = OwnStrategies.from_names([write_code(tmp_path, PLAYER)], ["mine"])
    built_in, other = (design_simulation(ruleset, ["greedy", "random"], blocks=2, seed=n) for n in (1, 2))
    mine, again = (
        design_simulation(ruleset, ["mine", "random"], blocks=2, seed=n, own_strategies=own) for n in (1, 2)
    )
    assert built_in.rules is other.rules
    assert len({id(design.rules) for design in (built_in, mine, again)}) == 3
    assert built_in.rules == mine.rules


STATE_CHANGES: Final = {
    "order": "object.__setattr__(state, 'sheets', tuple(reversed(state.sheets)))",
    "rounds": "object.__setattr__(state, 'round', state.round + 1)",
    "forfeits": "state.__dict__['forfeits'] = 2",
    "completed": "state.__dict__['completed'] = ()",
}
"""What strategies of these names do to the state that they see."""


@pytest.mark.slow
def test_changes_of_the_state_do_not_change_the_game(catalogue: Catalogue, tmp_path: Path) -> None:
    """Each strategy acts first and spoils its copy afterwards; the games are those of the rules."""
    path = write_code(
        tmp_path,
        "\n".join(
            f"def {name}(state, source):\n    actions = state.actions\n    {change}\n    return source.choice(actions)\n"
            for name, change in STATE_CHANGES.items()
        ),
    )
    own = OwnStrategies.from_names([path], [*STATE_CHANGES])
    ruleset = catalogue.find_ruleset("bloxx-4p")
    design = design_simulation(ruleset, [*STATE_CHANGES], blocks=1, seed=3, own_strategies=own)
    verify_run(simulate_run(design, tmp_path / "run.duckdb", workers=1), workers=1)


@pytest.mark.parametrize(
    "change",
    [
        "state.ruleset.options.__dict__['gap_penalty'] = 0",
        "state.ruleset.__dict__['square_count'] = 5",
        "state.ruleset.tables.dice.A.clear(); state.ruleset.__dict__['numbered_squares'] = ()",
    ],
)
def test_a_change_of_the_ruleset_stops_the_run(ruleset: Ruleset, tmp_path: Path, change: str) -> None:
    path = write_code(
        tmp_path, f"def mine(state, source):\n    {change}\n    return source.choice(state.actions)\n"
    )
    own = OwnStrategies.from_names([path], ["mine"])
    design = design_simulation(ruleset, ["mine", "random"], blocks=1, seed=3, own_strategies=own)
    with pytest.raises(PlayError, match=r"^mine changed the ruleset, .*\(game 1, move \d+\)$"):
        play_game(design, 0, 0)


@pytest.mark.slow
def test_a_strategy_that_exits_while_it_decides_fails_with_its_place(tmp_path: Path) -> None:
    path = write_code(tmp_path, "import sys\n\n\ndef mine(state, source):\n    sys.exit(0)\n")
    failed = run_reroll(
        "simulate", "bloxx-2p", "-s", "mine,random", "--games", 1, "--code", path, "--out", tmp_path / "run"
    )
    assert failed.exit_code == 1
    assert failed.stderr.splitlines()[-1].startswith(
        "reroll: mine raised RuntimeError at my.py line 5 (game 1"
    )
    assert "it called sys.exit" in failed.stderr
