"""Own functions, files and documents of rulesets play in a notebook, in this process, and the run says what they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.notebook.api import Library
from pipelines.simulate.errors import PlayError
from pipelines.simulate.verify import verify_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.luck import Source
    from engine.state import State


def first_move(state: State, source: Source) -> int:
    """Takes the first legal action."""
    del source
    return state.actions[0]


def last_move(state: State, source: Source, back: int = 1) -> int:
    """Takes the last legal action."""
    del source
    return state.actions[-back]


def faulty(state: State, source: Source) -> int:
    del state, source
    return 1 // 0


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def test_a_function_plays_and_the_run_records_its_source(library: Library) -> None:
    run = library.simulate("bloxx-2p", [first_move, "greedy"], games=4, seed=1, name="mine", workers=4)
    assert set(run["seats"]["strategy"]) == {"first-move", "greedy"}
    table = run["strategies"].set_index("strategy")
    assert table["title"]["first-move"] == "Takes the first legal action."
    code = json.loads(table["params"]["first-move"])["from"]
    assert code["file"] == "notebook"
    assert "return state.actions[0]" in code["source"]
    (decisions,) = run.pandas("SELECT sum(decisions)::INTEGER FROM decision_times").to_numpy().tolist()
    assert decisions[0] > 0
    assert library.simulate("bloxx-2p", [first_move, "greedy"], games=4, seed=1, name="mine") == run
    logged = run[0]
    seat = next(seat.seat for seat in logged.seats if seat.strategy == "first-move")
    ply = logged.plies["seat"].tolist().index(seat)
    assert logged.actions[ply] == logged.state(ply).actions[0]


def test_functions_compare_with_names_and_with_each_other(library: Library) -> None:
    comparison = library.compare("bloxx-2p", first_move, last_move, "greedy", blocks=12, seed=1)
    assert comparison.strategies == ("first-move", "last-move:back=1", "greedy")
    assert comparison.pandas()["b"].tolist().count("greedy") == 2


def test_a_function_plays_on_in_a_what_if(library: Library) -> None:
    run = library.simulate("bloxx-2p", "greedy,random", games=2, seed=1)
    answer = run[0].whatif(-4, strategies={0: first_move}, continuations=10)
    assert answer.pandas()["strategy"].tolist() == ["first-move", "random"]
    own = library.simulate("bloxx-2p", [first_move, "random"], games=2, seed=1)
    with pytest.raises(InvalidError, match="of a notebook, which only that notebook can play again"):
        own[0].whatif(-4, continuations=10)
    assert own[0].whatif(-4, strategies={1: "greedy"}, stand_ins={0: first_move}, continuations=10).n == 10


def test_a_fault_of_a_function_names_its_line(library: Library) -> None:
    with pytest.raises(
        PlayError, match=r"faulty raised ZeroDivisionError at test_own_strategies.py line \d+ \(game 1, move"
    ):
        library.simulate("bloxx-2p", [faulty, "greedy"], games=2, seed=1)
    assert not library.unfinished_runs()


def test_what_cannot_play_is_refused_in_one_line(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(state: State, source: Source) -> int:
        return first_move(state, source)

    for wrong, message in (
        (lambda state, _: state.actions[0], "expected a function with a name"),
        (len, "expected texts and functions"),
        (greedy, "Reroll already has a strategy 'greedy'"),
    ):
        with pytest.raises(InvalidError, match=message):
            library.simulate("bloxx-2p", [wrong, "random"], games=2)
    monkeypatch.setenv("REROLL_OWN", "0")
    with pytest.raises(InvalidError, match="REROLL_OWN=0"):
        library.simulate("bloxx-2p", [first_move, "random"], games=2)


def test_a_function_that_was_edited_is_said_to_be_so(library: Library) -> None:
    def make(number: int) -> Callable[..., int]:
        namespace: dict[str, Callable[..., int]] = {}
        exec(f"def same(state, source):\n    return state.actions[{number}]", namespace)  # noqa: S102 - ours
        return namespace["same"]

    library.simulate("bloxx-2p", [make(0), "random"], games=2, name="mine")
    with pytest.raises(
        InvalidError,
        match=r"the code has changed since the run .mine. was played; give another name, or replace=True",
    ):
        library.simulate("bloxx-2p", [make(-1), "random"], games=2, name="mine")


def test_two_functions_of_one_name_are_refused(library: Library) -> None:
    def make(number: int) -> Callable[..., int]:
        namespace: dict[str, Callable[..., int]] = {}
        exec(f"def same(state, source):\n    return state.actions[{number}]", namespace)  # noqa: S102 - ours
        return namespace["same"]

    with pytest.raises(InvalidError, match="two functions have the same name"):
        library.simulate("bloxx-2p", [make(0), make(-1)], games=2)
    run = library.simulate("bloxx-2p", [make(0), "random"], games=2)
    code = json.loads(run["strategies"].set_index("strategy")["params"]["same"])["from"]
    assert (code["source"], len(code["sha256"])) == ("", 64)


def test_the_moves_of_a_function_are_verified_by_the_rules(library: Library) -> None:
    run = library.simulate("bloxx-2p", [first_move, "greedy"], games=2, seed=1, name="mine")
    verified = verify_run(run)
    assert verified.games == 2
    result = CliRunner().invoke(app, ["verify", "mine", "--data", str(library.folder)])
    assert result.exit_code == 0, result.output


def test_strategies_of_a_file_and_rulesets_by_path_and_document_play(
    library: Library, tmp_path: Path
) -> None:
    file = tmp_path / "eager.py"
    file.write_text("def eager(state, source):\n    return state.actions[0]\n", encoding="utf-8")
    run = library.simulate("bloxx-2p", "eager,random", games=2, seed=1, code=file)
    assert set(run["seats"]["strategy"]) == {"eager", "random"}
    document = {**library.ruleset("bloxx-2p").document, "name": "mine-2p"}
    document["options"] = {**document["options"], "gap_penalty": 3}
    assert library.simulate(document, "greedy,random", games=2).ruleset("mine-2p").document == document
    same = library.rule_effect("bloxx-2p", document, blocks=10)
    assert "if every gap costs 3 points instead of 1" in same.verdict
    assert library.rule_effect(library.ruleset("bloxx-2p"), library.ruleset(document), blocks=10) == same
    toml = tmp_path / "two.toml"
    toml.write_text('extends = "bloxx"\ntitle = "Two"\nplayers = [2, 3]\n', encoding="utf-8")
    assert library.simulate(toml, "greedy,random,random", games=3).summary.rulesets[0].name == "two-3p"
