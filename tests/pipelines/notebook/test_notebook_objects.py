"""Objects in a notebook behave like collections, print themselves on a plain console, and cells can be run twice."""

from __future__ import annotations

import builtins
import re
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from engine.errors import InvalidError
from pipelines.design.designs import design_simulation
from pipelines.notebook import api, kept_answers, played
from pipelines.notebook.answers import Answer
from pipelines.notebook.played import LoggedGame, NoSuchGameError, Run
from pipelines.notebook.public_names import PUBLIC_NAMES
from pipelines.report.estimates import set_sentence
from pipelines.runs.unfinished_run import begin_run
from reroll import Library

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from engine.state import State
    from pipelines.runs import run as stored_run


@pytest.fixture
def library(small_run: stored_run.Run) -> Library:
    return Library(small_run.path.parent.parent)


def test_a_library_is_a_collection_of_runs(library: Library, run: Run, tmp_path: Path) -> None:
    assert list(library) == library.runs() == [run]
    assert all(isinstance(one, Run) for one in library)
    assert len(library) == 1
    assert "made" in library
    assert run in library
    assert "nothing" not in library
    assert (list(Library(tmp_path)), len(Library(tmp_path))) == ([], 0)


def test_a_folder_that_does_not_exist_is_said_and_made_by_the_first_run(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"there is no folder .*new; the first run") as warned:
        library = Library(tmp_path / "new")
    assert warned[0].filename == __file__
    library.simulate("bloxx-mini", "random,random", games=2, progress=False)
    assert len(Library(tmp_path / "new")) == 1


def test_a_ruleset_of_ones_own_with_the_title_of_another_is_titled_with_its_name(library: Library) -> None:
    document = {**library.ruleset("bloxx-mini").document, "name": "hard-mini"}
    card = library.card(document, strategy="random", blocks=10, progress=False)
    assert card.sheet.title == "Card of BLOXX! (3 x 5, solved) (hard-mini) for 2 players"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:there is no folder")
def test_a_ruleset_that_only_runs_have_is_known_by_its_name_and_named_in_answers(tmp_path: Path) -> None:
    library = Library(tmp_path / "own")
    document = dict(library.ruleset("bloxx-2p").document)
    document |= {"name": "hard-2p", "options": {**document["options"], "gap_penalty": 3}}
    run = library.simulate(document, "greedy,random", games=20, seed=7, name="hard", progress=False)
    assert library.ruleset("hard-2p") == run.ruleset("hard-2p")
    assert "hard-2p" in library.rulesets()["ruleset"].tolist()
    assert run.scores().sheet.title == "BLOXX! (hard-2p), 2 players: greedy, random"
    assert " with BLOXX! (hard-2p) (" in run.scores().verdict
    again = library.simulate("hard-2p", "greedy,random", games=20, seed=7, name="again", progress=False)
    assert [game.actions for game in again] == [game.actions for game in run]
    comparison = library.compare("hard-2p", "greedy", "random", blocks=10, seed=1, progress=False)
    assert " of BLOXX! (hard-2p) for 2 players in 10 blocks" in comparison.sheet.basis
    document["options"] = {**document["options"], "gap_penalty": 4}
    effect = library.rule_effect("bloxx-2p", document, strategies="random,random", blocks=10, progress=False)
    assert {*effect.pandas("means")["ruleset"]} == {"bloxx-2p", "hard-2p"}
    for play in (library.simulate, library.compare):
        with pytest.raises(
            InvalidError, match=r"another ruleset 'hard-2p' in the library; give yours a name"
        ):
            play(document, "greedy,random", blocks=10, progress=False)


def test_an_answer_without_a_frame_says_why(tmp_path: Path) -> None:
    run = Library(tmp_path).simulate("bloxx-mini", "random,greedy", games=2, seed=1, progress=False)
    with pytest.raises(InvalidError, match=r"this answer has no frame: .* not reviewed yet"):
        run.scores(view="Decisions").pandas()


def test_a_run_is_a_collection_of_games(run: Run) -> None:
    assert len(run) == 20
    assert run[-1] == run[19]
    assert run[-20] == run[0]
    assert [game.game_id for game in run] == list(range(20))
    assert [game.game_id for game in run[3:8:2]] == [3, 5, 7]
    assert [game.game_id for game in run[-2:]] == [18, 19]
    assert all(isinstance(game, LoggedGame) for game in run)
    for wrong in (20, -21):
        with pytest.raises(
            NoSuchGameError, match=rf"has no game with the index {wrong} \(0 to 19\)"
        ) as error:
            _ = run[wrong]
        assert isinstance(error.value, InvalidError)
        assert isinstance(error.value, IndexError)


def test_a_name_that_does_not_exist_is_a_key_error_that_is_printed_as_a_sentence(
    library: Library, run: Run
) -> None:
    for thing, name, message in (
        (library, "mdae", "unknown run 'mdae'; did you mean made?"),
        (run, "seat", "unknown table 'seat'; did you mean seats or rulesets?"),
    ):
        with pytest.raises(KeyError) as error:
            _ = thing[name]
        assert isinstance(error.value, InvalidError)
        assert str(error.value) == message


def test_a_run_says_that_its_games_have_what_it_has_not(run: Run) -> None:
    with pytest.raises(
        AttributeError, match=r"a run has no whatif, but each of its games has: run\[0\]\.whatif"
    ):
        _ = run.whatif


def test_a_table_of_a_run_is_an_attribute_too(run: Run) -> None:
    assert run.seats.equals(run["seats"])
    assert run.games.equals(run.pandas("games"))
    with pytest.raises(AttributeError, match="did you mean seats"):
        _ = run.seat


def test_the_only_ruleset_of_a_run_needs_no_name(run: Run) -> None:
    assert run.ruleset() == run.ruleset("bloxx-2p") == run[0].ruleset
    with pytest.raises(InvalidError, match="the run has no ruleset 'bloxx'; it has bloxx-2p"):
        run.ruleset("bloxx")


def test_unfinished_runs_show_as_a_table(tmp_path: Path) -> None:
    library = Library(tmp_path)
    assert "none" in library.unfinished_runs()._repr_html_()
    design = design_simulation(library.ruleset("bloxx-2p"), ["greedy", "random"], games_at_least=4)
    begin_run(library.runs_folder / "long.duckdb", design, free_name=False)
    (unfinished,) = library.unfinished_runs()
    assert unfinished.name == "long"
    assert ">long</td>" in library.unfinished_runs()._repr_html_()


def test_the_index_of_the_documentation_names_all_that_the_objects_have() -> None:
    text = (
        Path("docs/notebook.md")
        .read_text(encoding="utf-8")
        .partition("## All calls")[2]
        .partition("\n## ")[0]
    )
    objects = {"library": "Library", "run": "Run", "game": "LoggedGame", "answer": "Answer"}
    named = re.findall(r"`(library|run|game|answer)\.(\w+)", text)
    for variable, kind in objects.items():
        assert {name for owner, name in named if owner == variable} == {*PUBLIC_NAMES[kind]}, variable
    classes = {"library": Library, "run": Run, "game": LoggedGame, "answer": Answer}
    for owner, name in named:
        assert hasattr(classes[owner], name) or name in {"folder", "path", "run", "game_id"}, (owner, name)


def test_results_print_as_a_few_lines_of_text(library: Library, run: Run, tmp_path: Path) -> None:
    seats = run[3].seats
    assert repr(run) == "Run made: 20 games of bloxx-2p, greedy, random"
    assert repr(library).splitlines() == [f"Library {library.folder}: 1 run", f"  {run!r}"]
    assert repr(run[3]) == (
        f"Game 4 of made: {seats[0].strategy} {seats[0].score}, {seats[1].strategy} {seats[1].score}"
    )
    comparison = run.comparison()
    assert repr(comparison).splitlines()[0] == set_sentence(comparison.verdict)
    assert any(line.startswith("ahead of random ") for line in repr(comparison).splitlines())
    answer = run[0].whatif(4, strategies={0: "random"}, continuations=40)
    assert repr(answer).splitlines()[0] == set_sentence(answer.sheet.verdict)
    assert (
        "Move 5 of a game of BLOXX!, greedy against random: what if random played on for player 1?"
        in repr(answer).splitlines()
    )
    review = run[0].review(effort=0.02)
    (account,) = (line.split() for line in repr(review).splitlines() if line.split()[:2] == ["2", "Random"])
    slips = Counter(decision.judged for decision in review.decisions if decision.seat == 1)
    assert account[2:5] == [str(slips[name]) for name in ("inaccuracy", "mistake", "blunder")]
    for printed in map(repr, (comparison, answer, review)):
        assert "array(" not in printed
        assert max(map(len, printed.splitlines())) < 250
    assert repr(Run(tmp_path / "gone.duckdb")).startswith("Run gone: ")


@pytest.mark.slow
def test_rulesets_strategies_tables_and_columns_are_found_by_completion(library: Library, run: Run) -> None:
    rulesets = library.rulesets()
    assert "bloxx-2p" in rulesets["ruleset"].tolist()
    assert library.ruleset("bloxx-2p").players == 2
    assert repr(library.ruleset("bloxx-2p")) == "<BloxxRuleset bloxx-2p: BLOXX!, 2 players>"
    strategies = library.strategies("bloxx")
    assert strategies.equals(library.strategies("bloxx-2p"))
    assert {"greedy", "random"} <= set(strategies["strategy"])
    assert strategies.set_index("strategy")["parameters"]["planner"] == "candidates=4"
    assert set(library.strategies()["game"]) == set(rulesets["game"])
    with pytest.raises(InvalidError, match="unknown game 'blox'; did you mean bloxx"):
        library.strategies("blox")
    assert "seats" in run.tables
    for table in run.tables:
        assert run.columns(table)["column"].tolist() == run[table].columns.tolist()
        assert (run.columns(table)["meaning"] != "").all()
        assert run.columns(table)["type"].tolist() == [*map(str, run[table].dtypes)]
    meanings = run.columns("seats")
    for shown in (repr(meanings), meanings._repr_html_()):
        assert "1 for the winner; winners that tie share: 1/2, 1/3, 1/4." in shown
    with pytest.raises(InvalidError, match="did you mean seats"):
        run.columns("seat")
    assert library._ipython_key_completions_() == ["made"]
    assert "log" in run._ipython_key_completions_()


def test_whole_numbers_stay_whole_where_some_are_missing(run: Run) -> None:
    plies = run[0].plies
    assert (plies["options"].dtype, plies["score"].dtype) == (pd.Int32Dtype(), pd.Int32Dtype())
    assert plies["turn"].dtype == pd.Int32Dtype()
    assert plies["ply"].dtype == "int32"
    assert plies["options"].isna().tolist() == (plies["seat"] < 0).tolist()
    kept = plies[plies["seat"] >= 0]
    assert kept["score"].iloc[-1] in {seat.score for seat in run[0].seats}
    same_names = run.pandas("SELECT * FROM (SELECT NULL::INTEGER AS a), (SELECT 1 AS b, true AS c)")
    assert [str(dtype) for dtype in same_names.dtypes] == ["Int32", "int32", "bool"]


def test_the_log_of_a_run_is_in_order(run: Run, library: Library) -> None:
    for log in (run.pandas("log"), library.pandas("log")):
        assert list(zip(log["game_id"], log["ply"], strict=True)) == sorted(
            zip(log["game_id"], log["ply"], strict=True)
        )


def test_without_polars_the_message_says_what_to_install(
    run: Run, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def import_without_polars(name: str, *rest: object) -> object:
        if name == "polars":
            raise ModuleNotFoundError("No module named 'polars'", name="polars")
        return real_import(name, *rest)  # type: ignore[arg-type]  # passed on as they are

    monkeypatch.delitem(sys.modules, "polars", raising=False)
    monkeypatch.setattr(builtins, "__import__", import_without_polars)
    for table in (run, library):
        with pytest.raises(InvalidError, match=r"pip install -e '\.\[polars\]'"):
            table.polars("seats")


def test_polars_frames_have_the_same_rows(run: Run) -> None:
    pytest.importorskip("polars")
    assert run.polars("seats").to_dicts() == run.arrow("seats").to_pylist()


def test_a_cell_can_be_run_twice(tmp_path: Path) -> None:
    library = Library(tmp_path)

    def run_cell(seed: int = 1) -> Run:
        return library.simulate("bloxx-2p", ["greedy", "random"], games=4, seed=seed, name="mine")

    first = run_cell()
    changed = first.path.stat().st_mtime_ns
    assert run_cell() == first
    assert first.path.stat().st_mtime_ns == changed
    with pytest.raises(InvalidError) as refused:
        run_cell(seed=2)
    assert str(refused.value) == (
        "there is a run 'mine' already, of another design: seed 1, not 2; give another name, or replace=True"
    )
    assert len(library) == 1
    other = library.simulate("bloxx-2p", "greedy,random", games=4, seed=2, name="mine", replace=True)
    assert (other.summary.seed, len(library)) == (2, 1)
    changed = other.path.stat().st_mtime_ns
    library.simulate("bloxx-2p", "greedy,random", games=4, seed=2, name="mine", replace=True)
    assert other.path.stat().st_mtime_ns == changed  # the same design is not played again


def test_a_cell_without_a_seed_can_be_run_twice_and_without_a_name_has_other_luck(tmp_path: Path) -> None:
    library = Library(tmp_path)
    first, again = (
        library.simulate("bloxx-2p", ["greedy", "random"], games=2, name="mine") for _ in range(2)
    )
    assert first == again
    seeds = {library.simulate("bloxx-2p", ["greedy", "random"], games=2).summary.seed for _ in range(4)}
    assert len(seeds) > 1


def test_without_a_name_every_call_makes_a_run(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for _ in range(2):
        library.simulate("bloxx-2p", ["greedy", "random"], games=2, seed=1)
    assert {run.name for run in library} == {"bloxx-2p", "bloxx-2p-2"}


def test_a_comparison_can_be_run_twice(tmp_path: Path) -> None:
    library = Library(tmp_path)
    for _ in range(2):
        found = library.compare("bloxx-2p", "greedy", "random", blocks=10, seed=1, name="duel")
        assert found.run == "duel"
    with pytest.raises(InvalidError, match="of another design: title"):
        library.compare("bloxx-2p", "greedy", "noisy", blocks=10, seed=1, name="duel")
    with pytest.raises(InvalidError, match="of another design: kind"):
        library.simulate("bloxx-2p", ["greedy", "random"], games=2, name="duel")


def test_a_cell_that_was_interrupted_is_finished(tmp_path: Path, ruleset: Ruleset) -> None:
    library = Library(tmp_path)
    design = design_simulation(ruleset, ["greedy", "random"], games_at_least=4, seed=1)
    begun = begin_run(library.runs_folder / "mine.duckdb", design, free_name=False)
    assert repr(begun) == "Unfinished run mine: 0 of 4 games"
    run = library.simulate("bloxx-2p", ["greedy", "random"], games=4, seed=1, name="mine")
    assert (run.name, len(run)) == ("mine", 4)
    begin_run(library.runs_folder / "other.duckdb", design, free_name=False)
    with pytest.raises(InvalidError, match="seed 1, not 2; give another name, or replace=True"):
        library.simulate("bloxx-2p", ["greedy", "random"], games=4, seed=2, name="other")
    assert (
        library.simulate("bloxx-2p", "greedy,random", games=4, seed=2, name="other", replace=True).name
        == "other"
    )
    assert not library.unfinished_runs()


def test_an_unfinished_run_says_in_python_how_to_go_on_and_can_be_read_and_removed(
    tmp_path: Path, ruleset: Ruleset
) -> None:
    library = Library(tmp_path)
    design = design_simulation(ruleset, ["greedy", "random"], games_at_least=4, seed=1)
    begin_run(library.runs_folder / "long.duckdb", design, free_name=False)
    with pytest.raises(InvalidError) as refused:
        _ = library["long"]
    message = str(refused.value)
    assert message.startswith(
        "the run long is not finished: 0 of 4 games are saved; to go on, make the same call again"
    )
    assert "library.remove('long') deletes them" in message
    assert "reroll " not in message
    with pytest.raises(
        InvalidError, match="unknown table of an unfinished run 'log'; known: games, parts, plies"
    ):
        library.unfinished_run("long").pandas("log")
    library.remove("long")
    assert not library.unfinished_runs()
    library.simulate("bloxx-2p", "greedy,random", games=2, name="long")
    library.remove("long")
    assert "long" not in library


def test_an_edited_function_is_named_and_replaced(tmp_path: Path) -> None:
    def widest(state: State, source: object) -> int:
        assert source
        return max(state.actions)

    library = Library(tmp_path)
    library.compare("bloxx-2p", widest, "random", blocks=10, seed=1, name="widest")
    first = widest

    def widest(state: State, source: object) -> int:  # type: ignore[no-redef]
        assert source
        return min(state.actions)

    with pytest.raises(InvalidError) as refused:
        library.compare("bloxx-2p", widest, "random", blocks=10, seed=1, name="widest")
    assert str(refused.value) == (
        "the function widest has changed since the run 'widest' was played; give another name, or replace=True"
    )
    assert first is not widest
    library.compare("bloxx-2p", widest, "random", blocks=10, seed=1, name="widest", replace=True)
    assert "min(state.actions)" in library["widest"].design.code[0].source
    with pytest.raises(InvalidError, match="takes 2 strategies, not 1"):
        library.simulate("bloxx-2p", "greedy", name="widest", replace=True)
    assert "widest" in library  # nothing is removed before the design is checked


@pytest.mark.slow
def test_a_question_that_is_asked_again_is_not_played_again(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(run.path.parents[1])
    card = library.card("bloxx-mini", strategy="random", blocks=11)
    review = run[1].review(effort=0.02)
    for module in (api, played):
        monkeypatch.setattr(module, "compile_first", lambda *_, **__: pytest.fail("it is played again"))
    assert library.card("bloxx-mini", strategy="random", blocks=11) is card
    assert run[1].review(effort=0.02) is review
    with pytest.raises(pytest.fail.Exception, match="played again"):
        library.card("bloxx-mini", strategy="random", blocks=12)
    for number in range(kept_answers.MAX_KEPT_ANSWERS):
        kept_answers.keep_answer(("other", number), lambda: None)
    with pytest.raises(pytest.fail.Exception, match="played again"):
        library.card("bloxx-mini", strategy="random", blocks=11)


def test_a_misspelt_attribute_suggests_the_right_one(library: Library, run: Run) -> None:
    for thing, misspelt, right in (
        (run.comparison(), "verdct", "verdict"),
        (run, "sumary", "summary"),
        (library, "simulte", "simulate"),
        (run[0], "revew", "review"),
    ):
        with pytest.raises(
            InvalidError, match=f"unknown attribute '{misspelt}'; did you mean {right}"
        ) as error:
            getattr(thing, misspelt)
        assert isinstance(error.value, AttributeError)
        assert not hasattr(thing, "_repr_png_")


def test_a_ruleset_shows_its_title_and_the_options_that_can_be_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    formatter = pytest.importorskip("IPython.core.formatters").DisplayFormatter()
    completer = SimpleNamespace(custom_matchers=[])
    shell = SimpleNamespace(user_ns={}, Completer=completer, display_formatter=formatter)
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    rules = Library(tmp_path).ruleset("bloxx-2p")
    html = formatter.format(rules)[0]["text/html"]
    assert f"{rules.title}: bloxx-2p" in html
    for key in rules.document["options"]:
        assert f">{key}</td>" in html
    assert ">points that a gap costs</td>" in html


def test_an_import_can_be_run_twice(tmp_path: Path, run: Run) -> None:
    library = Library(tmp_path)
    run[0].save(tmp_path / "game.txt")
    first = library.import_games(tmp_path / "game.txt", name="mine")
    assert library.import_games(tmp_path / "game.txt", name="mine") == first
    (tmp_path / "game.txt").unlink()
    run[2].save(tmp_path / "game.txt")
    with pytest.raises(InvalidError, match="there is a run 'mine' already"):
        library.import_games(tmp_path / "game.txt", name="mine")
    assert len(library) == 1


def test_a_name_that_is_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidError, match="cannot be the name of a run"):
        Library(tmp_path).simulate("bloxx-2p", ["greedy", "random"], games=2, name="../mine")
