"""The ladder: its steps are read from a file, measured once, and written as JSON and as a page."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from benchmarks import ladder
from benchmarks.measuring_plan import PLANS_FOLDER, read_plan
from engine import games
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games
from engine.strategies import built_in_strategies, read_player
from pipelines import bench
from pipelines.cli import app
from pipelines.records.strategies import Rung
from pipelines.report.estimates import format_interval

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue

SMALL_LADDER = """
seed = 3
[ladders.bloxx-2p]
rungs = ["random", "noisy", "greedy"]
blocks = [10, 12]
[ladders.blokus-dice-2p]
rungs = ["random", "greedy"]
blocks = [10]
[curves.bloxx-2p]
against = "noisy"
strategies = ["greedy", "noisy:sigma=9"]
blocks = 11
"""


@pytest.fixture
def ladder_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a small ladder. Decisions are timed for a moment only."""
    monkeypatch.setattr(bench, "TIMING_SECONDS", 0.01)
    path = tmp_path / "ladder.toml"
    path.write_text(SMALL_LADDER, encoding="utf-8")
    return path


def read_rungs(file: Path) -> list[dict[str, Any]]:
    """Return the measured rungs beside the file of a ladder."""
    documents: list[dict[str, Any]] = json.loads(file.with_name("ladder.json").read_text(encoding="utf-8"))[
        "rungs"
    ]
    return documents


def climb_ladder(file: Path, *words: str) -> list[str]:
    """Measure a ladder; return its rungs as "ruleset strategy opponent blocks"."""
    assert ladder.main([*words, "--workers", "1", "--file", str(file)]) == 0
    return [
        f"{rung['ruleset']} {rung['strategy']} {rung['against']} {rung['blocks']}"
        for rung in read_rungs(file)
    ]


def test_the_shipped_ladder_has_every_game_with_every_number_of_players(catalogue: Catalogue) -> None:
    steps = ladder.ladder_steps(read_plan())
    climbed = {step.ruleset.name for step in steps}
    for ruleset in catalogue.rulesets.values():
        if ruleset.name == f"{ruleset.game}-{ruleset.players}p":
            assert ruleset.name in climbed
    assert "blokus-duo" in climbed


def test_the_shipped_ladder_has_every_strategy() -> None:
    contents = read_plan()
    steps = ladder.ladder_steps(contents)
    for name in games.game_names():
        game = games.find_game(name)
        climbed = {
            step.ruleset.name: contents.ladders[step.ruleset.name].rungs
            for step in steps
            if step.ruleset.game == name
        }
        for strategies in climbed.values():
            assert strategies[0] == "random"
            assert {read_player(game, text).strategy.name for text in strategies} == set(
                built_in_strategies(game)
            )


def test_a_climb_is_written_as_a_table_and_as_json(ladder_file: Path) -> None:
    assert climb_ladder(ladder_file) == [
        "bloxx-2p noisy random 10",
        "bloxx-2p greedy noisy 12",
        "blokus-dice-2p greedy random 10",
        "bloxx-2p greedy noisy 11",
        "bloxx-2p noisy:sigma=9 noisy 11",
    ]
    measured = [Rung.model_validate(rung) for rung in read_rungs(ladder_file)]
    assert [rung.is_curve for rung in measured] == [False] * 3 + [True] * 2
    for rung in measured[:3]:
        assert rung.is_clear
        assert abs(rung.difference.estimate - (rung.mean.estimate - rung.mean_against.estimate)) < 1e-9
        assert 0.5 < rung.win_share.estimate <= 1
        assert rung.microseconds > 0
    assert measured[2].difference.high < 0, "the lowest score wins"
    assert not measured[4].is_clear
    table = ladder_file.with_suffix(".md").read_text(encoding="utf-8")
    assert "| noisy | random | 10 |" in table
    assert "mean scores (fewer is better)" in table.partition("## blokus-dice-2p")[2]
    assert "| noisy:sigma=9 | noisy | 11 |" in table.partition("## bloxx-2p: what thinking longer brings")[2]
    assert "At every step of a ladder the upper strategy is better" in table
    assert "missing" not in table
    times = json.loads(ladder_file.with_name("ladder.json").read_text(encoding="utf-8"))[
        "lowest_microseconds"
    ]
    assert times.keys() == {"bloxx-2p", "blokus-dice-2p"}
    assert all(0 < spent < 1e6 for spent in times.values())
    assert table.count("| random | | | | | | ") == 2, "the lowest strategies have a time, too"


def test_the_command_of_a_rung_reproduces_it(ladder_file: Path) -> None:
    climb_ladder(ladder_file, "blokus-dice")
    (rung,) = read_rungs(ladder_file)
    words = shlex.split(rung["command"])
    assert words[0] == "reroll"
    done = CliRunner().invoke(
        app, [*words[1:], "--json", "--workers", "1", "--out", str(ladder_file.with_name("same.duckdb"))]
    )
    (pair,) = json.loads(done.stdout)["pairs"]
    assert pair["difference"] == rung["difference"]
    assert pair["win_share"] == rung["win_share"]


def test_measured_rungs_are_not_measured_again(ladder_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stopped ladder continues. A changed number of blocks and --again measure again; other rungs do not change."""
    measured: list[str] = []
    measure_step = ladder.measure_step

    def measure_watched(step: ladder.LadderStep, *, workers: int | None = None) -> Rung:
        if len(measured) == 2 and not ladder_file.with_name("stopped").exists():
            ladder_file.with_name("stopped").touch()
            raise KeyboardInterrupt
        measured.append(f"{step.strategy} {step.blocks}")
        return measure_step(step, workers=workers)

    monkeypatch.setattr(ladder, "measure_step", measure_watched)
    assert ladder.main(["bloxx", "--workers", "1", "--file", str(ladder_file)]) == 130
    assert measured == ["noisy 10", "greedy 12"]
    assert "**3 steps are still missing.**" in ladder_file.with_suffix(".md").read_text(encoding="utf-8")
    first = read_rungs(ladder_file)
    climb_ladder(ladder_file, "bloxx")
    assert measured[2:] == ["greedy 11", "noisy:sigma=9 11"]
    assert read_rungs(ladder_file)[:2] == first
    ladder_file.write_text(SMALL_LADDER.replace("[10, 12]", "[10, 13]"), encoding="utf-8")
    climb_ladder(ladder_file, "bloxx-2p")
    assert measured[4:] == ["greedy 13"]
    climb_ladder(ladder_file, "blokus-dice-2p")
    climb_ladder(ladder_file, "blokus-dice-2p", "--again")
    assert measured[5:] == ["greedy 10", "greedy 10"]
    assert len(read_rungs(ladder_file)) == 5


def test_rungs_that_are_not_asked_for_stay_even_if_their_code_has_changed(ladder_file: Path) -> None:
    """They keep their fingerprints, so the command without names measures them again."""
    climb_ladder(ladder_file, "bloxx")
    changed = (
        ladder_file.with_name("ladder.json")
        .read_text(encoding="utf-8")
        .replace('"fingerprint": "', '"fingerprint": "0')
    )
    ladder_file.with_name("ladder.json").write_text(changed, encoding="utf-8")
    before = read_rungs(ladder_file)
    climb_ladder(ladder_file, "blokus-dice")
    after = read_rungs(ladder_file)
    assert [rung for rung in after if rung["ruleset"] == "bloxx-2p"] == before
    assert len(after) == len(before) + 1
    climb_ladder(ladder_file)
    assert not {rung["fingerprint"] for rung in read_rungs(ladder_file)} & {
        rung["fingerprint"] for rung in before
    }


@pytest.mark.quick
def test_the_documentation_tells_the_ladder_as_it_was_measured(catalogue: Catalogue) -> None:
    """The page on how good strategies are has a line for each game, with progress at every step. All steps of the plans are measured."""
    page = PLANS_FOLDER.parents[1].joinpath("docs", "yardsticks.md").read_text(encoding="utf-8")
    measured = [Rung.model_validate(rung) for rung in read_rungs(PLANS_FOLDER)]
    lines = [line for line in page.splitlines() if "→" in line]
    assert {catalogue.find_ruleset(line.split("`")[1]).game for line in lines} == set(games.game_names())
    for line in lines:
        ruleset = line.split("`")[1]
        steps = [rung for rung in measured if rung.ruleset == ruleset and not rung.is_curve]
        gains = [f"{rung.strategy} {format_interval(rung.difference)}" for rung in steps]
        assert " → ".join([steps[0].against, *gains]) in line
        assert all(rung.is_clear for rung in steps)
    planned = ladder.ladder_steps(read_plan())
    assert [(rung.ruleset, rung.strategy, rung.against, rung.blocks, rung.seed) for rung in measured] == [
        (step.ruleset.name, step.strategy, step.against, step.blocks, step.seed) for step in planned
    ]


@pytest.mark.skipif(not can_compile_games(), reason="nothing can be compiled here")
def test_a_weight_tuned_anew_is_measured_anew(catalogue: Catalogue) -> None:
    """The name of a strategy does not change with its tuned weights, but the fingerprint of its step does."""
    ruleset = catalogue.find_ruleset("spexxx-2p")
    step = ladder.LadderStep(ruleset, "builder", "greedy", 10, 0, is_curve=False)
    other = ladder.LadderStep(ruleset, "builder:near=0.123", "greedy", 10, 0, is_curve=False)
    assert (
        step.fingerprint == ladder.LadderStep(ruleset, "builder", "greedy", 10, 0, is_curve=False).fingerprint
    )
    assert step.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("seed = 3", "seed = ", "not TOML"),
        ("[10, 12]", "[10, 1]", "ladders.bloxx-2p.blocks.1: "),
        ("[10, 12]", "[10]", "ladders.bloxx-2p: Value error, expected blocks of 2 steps, not 1"),
        ("blocks = 11", "", "curves.bloxx-2p.blocks: Field required"),
    ],
)
def test_a_senseless_ladder_is_refused_with_file_and_key(
    ladder_file: Path, right: str, wrong: str, said: str
) -> None:
    ladder_file.write_text(SMALL_LADDER.replace(right, wrong), encoding="utf-8")
    with pytest.raises(InvalidError, match=r"ladder\.toml") as caught:
        read_plan(ladder_file)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("ladders.bloxx-2p", "ladders.blox-2p", "unknown ruleset 'blox-2p'"),
        (
            '"noisy", "greedy"]',
            '"noisy", "gredy"]',
            "unknown strategy of bloxx 'gredy'; did you mean greedy?",
        ),
        ("sigma=9", "sigma=-9", "sigma is a number from 0 to 100, not -9"),
    ],
)
def test_a_name_that_does_not_exist_is_refused_before_anything_is_played(
    ladder_file: Path, capsys: pytest.CaptureFixture[str], right: str, wrong: str, said: str
) -> None:
    ladder_file.write_text(SMALL_LADDER.replace(right, wrong), encoding="utf-8")
    assert ladder.main(["--file", str(ladder_file)]) == 2
    assert said in capsys.readouterr().err
    assert not ladder_file.with_name("ladder.json").exists()


def test_a_game_that_is_not_on_the_ladder_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert ladder.main(["chess"]) == 2
    assert "unknown game or ruleset of the ladder 'chess'" in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a = " + b"[" * 20_000, b"a = " + b"9" * 9_000])
def test_a_ladder_that_is_no_text_or_too_deep_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "ladder.toml"
    path.write_bytes(content)
    with pytest.raises(InvalidError, match="not TOML"):
        read_plan(path)
