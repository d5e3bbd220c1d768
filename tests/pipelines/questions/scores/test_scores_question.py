"""Questions about scores are read, resolved and answered; a study shows the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from engine.errors import InvalidError
from pipelines.design.design import read_ruleset
from pipelines.design.designs import design_simulation
from pipelines.notebook.api import Library as NotebookLibrary
from pipelines.questions.address import read_fields
from pipelines.questions.scores.answer import DistributionsAnswer, answer_scores
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer
from pipelines.questions.scores.question import VIEWS, ScoresQuestion
from pipelines.questions.scores.scope import find_played_rulesets, has_subject, resolve_scores
from pipelines.questions.scores.selection import SelectionAnswer, read_selection
from pipelines.questions.source import QuestionSource
from pipelines.report.charts import Histogram
from pipelines.report.sheet import SquareMaps
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.study import StudySource, compose_address

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_a_range_of_scores_is_read_from_an_address() -> None:
    query = {"from": ["-3"], "to": ["4"]}
    assert read_fields(ScoresQuestion, query) == (ScoresQuestion(low=-3, high=4), ())


def resolve(question: ScoresQuestion, source: QuestionSource) -> tuple[ScoresQuestion, tuple[str, ...]]:
    """Resolve a question about all rulesets of a source."""
    return resolve_scores(question, find_played_rulesets(question, source))


def test_what_the_library_does_not_have_is_said_and_does_not_count(small_library: Library) -> None:
    asked = ScoresQuestion(
        rulesets=("bloxx-3p", "nope"),
        runs=("gone",),
        strategies=("greedy", "none"),
        seats=(0, 3),
        part="Nothing",
        board="nowhere",
    )
    question, problems = resolve(asked, QuestionSource(small_library))
    assert question == ScoresQuestion(rulesets=("bloxx-3p",), strategies=("greedy",), seats=(0,))
    for named in ("nope", "run gone", "strategy none", "player 4", "Nothing", "nowhere"):
        assert sum(named in sentence for sentence in problems) == 1
    assert resolve(question, QuestionSource(small_library)) == (question, ())


def test_a_run_of_another_ruleset_than_the_first_one_is_left_out_with_its_reason(
    small_library: Library,
) -> None:
    by_ruleset = {run.summary.rulesets[0].name: run.name for run in small_library.runs()}
    asked = ScoresQuestion(rulesets=("bloxx-3p",), runs=(by_ruleset["bloxx-3p"], by_ruleset["bloxx-2p"]))
    _, problems = resolve(asked, QuestionSource(small_library))
    assert problems == (
        f"Run {by_ruleset['bloxx-2p']} is left out: it has the ruleset bloxx-2p; choose this one, too.",
    )


def test_rulesets_may_stand_in_one_list_with_commas(small_library: Library) -> None:
    source = QuestionSource(small_library)
    question, problems = resolve(ScoresQuestion(rulesets=("bloxx-2p,bloxx-3p",)), source)
    assert (question.rulesets, problems) == (("bloxx-2p", "bloxx-3p"), ())
    assert has_subject(ScoresQuestion(rulesets=("bloxx-2p,bloxx-3p",)), question)
    assert not has_subject(ScoresQuestion(rulesets=("nope,",)), question)
    _, problems = resolve(ScoresQuestion(rulesets=("bloxx-2p,nope",)), source)
    assert "You have no games of nope." in problems[0]
    with pytest.raises(ValidationError, match="at most 6"):
        ScoresQuestion(rulesets=("a,b,c,d", "e,f,g"))


def test_a_filter_by_player_counts_the_results_of_that_seat_only(small_library: Library) -> None:
    question, source = ScoresQuestion(rulesets=("bloxx-3p",), seats=(0,)), QuestionSource(small_library)
    scores = answer_scores(question.model_copy(update={"compared": "Rulesets"}), source)
    assert isinstance(scores, DistributionsAnswer)
    assert scores.compared == "Strategies", "there is one ruleset"
    assert sum(one.scores.n for one in scores.groups) == 24  # games
    parts = answer_scores(question.model_copy(update={"view": "Parts"}), source)
    assert isinstance(parts, MeansAnswer)
    assert sum(one.results for one in parts.means if one.at == "Gaps") == 24


def test_a_question_without_rulesets_is_about_those_of_its_runs_else_the_one_with_the_most_games(
    small_library: Library, play_run: Callable[..., None], tmp_path: Path
) -> None:
    source = QuestionSource(small_library)
    named, _ = resolve(ScoresQuestion(runs=("three",)), source)
    assert named.rulesets == ("bloxx-3p",)
    for name, ruleset, games, seed in (
        ("large", "bloxx-2p", 12, 1),
        ("same", "bloxx-3p", 9, 2),
        ("copy", "bloxx-3p", 9, 2),
        ("newest", "spexxx-2p", 2, 1),
    ):
        play_run(tmp_path, name, ruleset, *["random"] * int(ruleset[-2]), games=games, seed=seed)
    unnamed, _ = resolve(ScoresQuestion(), QuestionSource(Library(tmp_path)))
    assert unnamed.rulesets == ("bloxx-2p",), "copies count once"
    with pytest.raises(InvalidError, match="no games yet"):
        resolve(ScoresQuestion(), QuestionSource(small_library, only=()))


def test_means_stand_in_the_order_in_which_the_rulesets_were_chosen(small_library: Library) -> None:
    rulesets = ("bloxx-touch-3p", "bloxx-3p")
    for view in ("Scores", "Parts", "Course", "Players", "Length"):
        question = ScoresQuestion(rulesets=rulesets, view=view)
        answer = answer_scores(question, QuestionSource(small_library))
        found: list[str] = []
        match answer:
            case DistributionsAnswer():
                found = [one.ruleset for one in answer.groups]
                assert answer.compared == "Rulesets"
            case MeansAnswer():
                found = [one.ruleset for one in answer.means]
            case LengthsAnswer():
                found = [one.ruleset for one in answer.lengths]
        assert tuple(dict.fromkeys(found)) == rulesets
        assert answer.basis.rulesets == rulesets


def test_every_part_of_a_selection_that_cannot_be_read_is_named(small_library: Library) -> None:
    source = QuestionSource(small_library)
    question, _ = resolve(ScoresQuestion(rulesets=("bloxx-3p",)), source)
    scope = answer_scores(question, source)
    assert isinstance(scope, DistributionsAnswer)
    text = '{"score": [20, 40], "strategy": [0], "nonsense": [1], "margin": ["a", 2]}'
    selection, problems = read_selection(question.model_copy(update={"select": text}), scope.scope)
    assert (selection.ranges, selection.groups) == ((("score", 20, 40),), (("strategy", (0,)),))
    assert "nonsense, margin" in problems[0]
    for wrong in ("[", "[1]", "9", "[" * 1999):
        found, problems = read_selection(question.model_copy(update={"select": wrong}), scope.scope)
        assert (found.ranges, len(problems)) == ((), 1)


@pytest.mark.parametrize("view", [view for view in VIEWS if view != "Decisions"])  # it needs reviews
def test_a_study_has_the_picture_of_every_view(small_library: Library, view: str) -> None:
    sheet = compose_address(StudySource(small_library), "scores", {"rulesets": ["bloxx-3p"], "view": [view]})
    without_picture = {
        "Moves",
        "Decisions",
    }  # this library has too few blocks for intervals, and no reviewed games
    assert view in without_picture or (sheet.list_contents(SquareMaps) if view == "Squares" else sheet.charts)
    assert view in {"Explore", "Decisions"} or sheet.tables[-1].rows
    assert view in {"Squares", "Explore"} or sheet.verdict


def test_a_study_of_a_selection_says_what_is_selected(small_library: Library) -> None:
    address = {"rulesets": ["bloxx-3p"], "view": ["Explore"], "select": ['{"score":[20,40]}']}
    sheet = compose_address(StudySource(small_library), "scores", address)
    assert sheet.verdict == "Selected: Score from 20 to 40."
    assert [one.name for one in sheet.list_contents(Histogram)[1].series] == ["selected", "all others"]
    whole = compose_address(StudySource(small_library), "scores", {**address, "select": []})
    assert (whole.verdict, whole.tables) == ("not enough games to compare winners with all others", ())
    assert [one.title for one in whole.charts] == [one.title for one in sheet.charts]


def test_the_charts_of_a_selection_count_the_results_of_its_table(small_library: Library) -> None:
    question = ScoresQuestion(rulesets=("bloxx-3p",), view="Explore", select='{"score": [20, 40]}')
    answer = answer_scores(question, QuestionSource(small_library))
    assert isinstance(answer, SelectionAnswer)
    assert answer.report
    counts = {1: answer.report.selected, 0: answer.report.others}
    assert {line: one.n for line, one in answer.cells.spreads["margin"].items()} == counts
    means = {row.measure: (row.selected_mean, row.other_mean) for row in answer.report.differences}
    for measure in ("margin", "rounds"):
        spreads = answer.cells.spreads[measure]
        assert (spreads[1].mean, spreads[0].mean) == pytest.approx(means[measure])


def test_points_of_different_games_are_not_drawn_together(
    tmp_path: Path, play_run: Callable[..., None]
) -> None:
    for ruleset in ("bloxx-2p", "blokus-duo"):
        play_run(tmp_path, ruleset, ruleset, "greedy", "random", games=2)
    question = ScoresQuestion(rulesets=("bloxx-2p", "blokus-duo"), view="Explore")
    with pytest.raises(InvalidError, match="rulesets of one game"):
        answer_scores(question, QuestionSource(Library(tmp_path)))


def test_a_study_says_what_is_wrong_with_its_address_and_refuses_another_question(
    small_library: Library,
) -> None:
    source = StudySource(small_library)
    sheet = compose_address(source, "scores", {"rulesets": ["bloxx-3p"], "players": ["8"], "x": ["1"]})
    assert "x that means nothing here" in " ".join(sheet.warnings)
    assert "no player 8" in " ".join(sheet.warnings)
    for address in ({"rulesets": ["nope"]}, {"rulesets": ["bloxx-3p"], "runs": ["gone"]}):
        with pytest.raises(InvalidError, match=r"nope|gone"):
            compose_address(source, "scores", address)


def test_a_name_means_the_rules_that_have_it_and_not_others_that_somebody_played_under_it(
    tmp_path: Path,
) -> None:
    """Ten games by changed rules with an old name answered for all games by the printed ones."""
    library = NotebookLibrary(tmp_path)
    library.simulate("bloxx-2p", "greedy,random", games=20, seed=1, name="printed", progress=False)
    document = dict(library.ruleset("bloxx-2p").document)
    document["options"] = {**document["options"], "gap_penalty": 4}
    changed = read_ruleset(document, "the rules of somebody else's run")
    design = design_simulation(changed, ["greedy", "random"], blocks=5, seed=1)
    simulate_run(design, tmp_path / "runs" / "changed.duckdb", workers=1)
    answer = answer_scores(ScoresQuestion(rulesets=("bloxx-2p",)), QuestionSource(Library(tmp_path)))
    assert [run.name for run in answer.scope.runs] == ["printed"]
