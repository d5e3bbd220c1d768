"""Own functions, files and documents of rulesets play in a notebook, in this process, and the run says what they were."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

from engine.errors import InvalidError
from pipelines.cli import app
from pipelines.notebook import lineups
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


def test_a_function_of_this_process_plays_on_in_its_games_and_an_unknown_one_needs_a_stand_in(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = library.simulate("bloxx-2p", [first_move, "random"], games=2, seed=1)
    answer = own[0].whatif(-4, strategies={1: "greedy"}, continuations=10)
    stood_in = own[0].whatif(-4, strategies={1: "greedy"}, stand_ins={0: first_move}, continuations=10)
    assert answer.columns().equals(stood_in.columns())
    numbers, others = (frame.select_dtypes("number") for frame in (answer.pandas(), stood_in.pandas()))
    assert numbers.equals(others)
    monkeypatch.setattr(lineups, "_NAMED", {})
    with pytest.raises(InvalidError, match=r"only that notebook can play again.* stand_ins=\{0: STRATEGY\}"):
        own[0].whatif(-4, continuations=10)
    quick = own[0].whatif(-4, strategies={1: "greedy"}, stand_ins={0: "greedy"}, continuations=10)
    assert quick.pandas()["strategy"].tolist() == ["greedy", "greedy"]


def make_mover(number: int) -> Callable[[State, Source], int]:
    def mover(state: State, source: Source) -> int:
        del source
        return state.actions[number % len(state.actions)]

    return mover


def test_functions_differ_by_the_variables_around_them(library: Library) -> None:
    with pytest.raises(InvalidError, match="two different ones are called mover"):
        library.compare("bloxx-2p", make_mover(0), make_mover(1), blocks=4)
    own = library.simulate("bloxx-2p", [make_mover(0), "random"], games=2, seed=1)
    with pytest.raises(InvalidError, match="two different strategies are called 'mover'"):
        own[0].whatif(-4, strategies={1: make_mover(1)}, continuations=4)


def test_quick_players_play_on_where_a_what_if_names_them(library: Library) -> None:
    game = library.simulate("blokus-duo", "greedy,random", games=2, seed=1)[0]
    action = library.simulate("blokus-duo", "random,greedy", games=2, seed=2)[0].plies["notation"][0]
    quick = game.whatif(0, action=action, stand_ins="quick", continuations=20)
    own = game.whatif(0, action=action, continuations=20)
    assert {*quick.pandas()["strategy"]} != {*own.pandas()["strategy"]} == {"greedy", "random"}
    for others in ({0: "greedy"}, "quick"):
        with pytest.raises(InvalidError, match=r"only the luck is different.* its own players must play on"):
            game.whatif(1, stand_ins=others, continuations=4)
    with pytest.raises(InvalidError, match="stand_ins: expected a dictionary, not 'slow'"):
        game.whatif(0, action=action, stand_ins="slow")  # type: ignore[arg-type]


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


class NthMove:
    """Takes a legal action by its place."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __call__(self, state: State, source: Source) -> int:
        del source
        return state.actions[self.place]


def test_an_object_that_can_be_called_plays_like_a_function(library: Library) -> None:
    run = library.simulate("bloxx-2p", [NthMove(0), "greedy"], games=2, seed=1, name="mine")
    table = run["strategies"].set_index("strategy")
    assert table["title"]["nth-move"] == "Takes a legal action by its place."
    assert "class NthMove" in json.loads(table["params"]["nth-move"])["from"]["source"]
    assert library.simulate("bloxx-2p", [NthMove(0), "greedy"], games=2, seed=1, name="mine") == run
    with pytest.raises(InvalidError, match="the class NthMove has changed"):
        library.simulate("bloxx-2p", [NthMove(-1), "greedy"], games=2, seed=1, name="mine")
    unknown = NthMove(0)
    unknown.key = lambda: 0  # type: ignore[attr-defined]  # it may be another one each time
    library.simulate("bloxx-2p", [unknown, "greedy"], games=2, seed=1, name="unknown")
    with pytest.raises(InvalidError, match="the class NthMove has changed"):
        library.simulate("bloxx-2p", [unknown, "greedy"], games=2, seed=1, name="unknown")
    with pytest.raises(InvalidError, match="two different strategies are called 'nth-move'"):
        run[0].whatif(-4, strategies={0: NthMove(-1)}, continuations=10)
    other = NthMove(-1)
    other.__name__ = "other-move"  # type: ignore[attr-defined]
    answer = run[0].whatif(-4, strategies={0: other}, continuations=10)
    assert answer.pandas()["strategy"][0] == "other-move"


NUMBERS = np.random.default_rng(5)


def dices(state: State, source: Source) -> int:
    del source
    return int(np.random.choice(state.actions))  # noqa: NPY002 - it is what must be warned of


def draws(state: State, source: Source) -> int:
    del source
    return int(NUMBERS.choice(state.actions))


def shuffles(state: State, source: Source) -> int:
    del source
    return min(state.actions, key=lambda _: random.random())


def rolls(state: State, source: Source) -> int:
    del source
    return int(np.random.default_rng().choice(state.actions))


def seeds(state: State, source: Source) -> int:
    return int(np.random.default_rng(source.below(1000)).choice(state.actions))


@pytest.mark.parametrize("player", [dices, draws, shuffles, rolls])
def test_a_strategy_that_draws_numbers_without_the_seed_is_warned_of(
    library: Library, player: Callable[[State, Source], int]
) -> None:
    with pytest.warns(
        UserWarning, match=f"strategy {player.__name__} draws .* this run cannot be repeated"
    ) as warnings:
        library.simulate("bloxx-2p", [player, "greedy"], games=2, seed=1)
    place = (warnings[0].filename, warnings[0].lineno)
    assert place == (__file__, player.__code__.co_firstlineno)


def test_a_strategy_that_seeds_its_numbers_by_the_luck_of_the_run_can_be_repeated(library: Library) -> None:
    first, second = (library.simulate("bloxx-2p", [seeds, "greedy"], games=2, seed=1) for _ in range(2))
    assert first[0].actions == second[0].actions


def test_a_ruleset_is_changed_by_its_options_and_printed_by_them(library: Library) -> None:
    hard = library.ruleset("bloxx-2p").with_options(name="hard-2p", gap_penalty=3)
    assert (hard.name, hard.document["options"]["gap_penalty"]) == ("hard-2p", 3)
    lines = str(hard).splitlines()
    assert lines[0] == "hard-2p: BLOXX! with gap penalty 3, 2 players"
    assert "  gap_penalty = 3" in lines
    assert max(map(len, lines)) <= 80
    with pytest.raises(InvalidError, match="unknown option 'gap_penalti'; did you mean gap_penalty"):
        hard.with_options(name="harder-2p", gap_penalti=4)
    with pytest.raises(InvalidError, match="unknown option 'gap_penalti'; did you mean gap_penalty"):
        hard.with_options(gap_penalti=4)
    for name in ("", "hard-2p"):
        with pytest.raises(InvalidError, match="needs a name of its own"):
            hard.with_options(name=name, gap_penalty=4)
    with pytest.raises(InvalidError, match="gap_penalty"):
        hard.with_options(name="harder-2p", gap_penalty="four")
    assert library.simulate(hard, "greedy,random", games=2).ruleset("hard-2p") == hard


def test_two_functions_of_one_name_are_refused(library: Library) -> None:
    def make(number: int) -> Callable[..., int]:
        namespace: dict[str, Callable[..., int]] = {}
        exec(f"def same(state, source):\n    return state.actions[{number}]", namespace)  # noqa: S102 - ours
        return namespace["same"]

    with pytest.raises(
        InvalidError, match="two different ones are called same; give functions different names"
    ):
        library.simulate("bloxx-2p", [make(0), make(-1)], games=2)
    run = library.simulate("bloxx-2p", [make(0), "random"], games=2)
    code = json.loads(run["strategies"].set_index("strategy")["params"]["same"])["from"]
    assert (code["source"], len(code["sha256"])) == ("", 64)


def test_objects_of_one_class_play_under_names_of_their_own(library: Library) -> None:
    class Fixed:
        def __init__(self, number: int) -> None:
            self.number = number

        def __call__(self, state: State, source: Source) -> int:
            del source
            return state.actions[self.number]

    first, last = Fixed(0), Fixed(-1)
    with pytest.raises(InvalidError, match="objects of one class an attribute __name__"):
        library.simulate("bloxx-2p", [first, last], games=2)
    first.__name__, last.__name__ = "first_one", "last"  # type: ignore[attr-defined]
    run = library.simulate("bloxx-2p", [first, last], games=2)
    assert {*run["strategies"]["strategy"]} == {"first-one", "last"}


def test_the_moves_of_a_function_are_verified_by_the_rules(library: Library) -> None:
    run = library.simulate("bloxx-2p", [first_move, "greedy"], games=2, seed=1, name="mine")
    verified = verify_run(run)
    assert verified.games == 2
    result = CliRunner().invoke(app, ["verify", "mine", "--data", str(library.folder)])
    assert result.exit_code == 0, result.output


@pytest.mark.slow
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
    assert same.verdict.startswith("If every gap costs 3 points instead of 1, ")
    assert library.rule_effect(library.ruleset("bloxx-2p"), library.ruleset(document), blocks=10) == same
    toml = tmp_path / "two.toml"
    toml.write_text('extends = "bloxx"\ntitle = "Two"\nplayers = [2, 3]\n', encoding="utf-8")
    assert library.simulate(toml, "greedy,random,random", games=3).summary.rulesets[0].name == "two-3p"
