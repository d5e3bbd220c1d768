"""Sections of a study on scores: the answer that the page Scores gives to the same question."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.design.ruleset_titles import format_ruleset_for
from pipelines.questions.scores.answer import answer_scores
from pipelines.questions.scores.distributions import DistributionsAnswer
from pipelines.questions.scores.lengths import LengthsAnswer, read_lengths
from pipelines.questions.scores.place_means import MeansAnswer, answer_players
from pipelines.questions.scores.scope import has_subject
from pipelines.questions.scores.selection import list_measure_titles
from pipelines.questions.scores.squares import SquaresAnswer, draw_empty_board
from pipelines.report.charts import Histogram, Intervals
from pipelines.report.charts.scores import arrange_series, make_estimates, make_score_series
from pipelines.report.estimates import set_sentence
from pipelines.report.runs import list_run_facts, title_run
from pipelines.report.sentences.place_means import describe_lengths, describe_means
from pipelines.report.sentences.scores import describe_distributions
from pipelines.report.sentences.selection import (
    NOTHING_SELECTED,
    describe_selection,
    describe_selection_tests,
)
from pipelines.report.sentences.squares import describe_square_maps
from pipelines.report.sheet import Fact, Part, Sheet
from pipelines.report.tables.scores import (
    tabulate_lengths,
    tabulate_mean_scores,
    tabulate_means,
    tabulate_percentiles,
    tabulate_selection,
    tabulate_squares,
)
from pipelines.report.wording import format_count, format_player

if TYPE_CHECKING:
    from pipelines.questions.scores.answer import ScoresAnswer
    from pipelines.questions.scores.question import ScoresQuestion
    from pipelines.report.tables.table import Table
    from pipelines.runs.run import Run
    from pipelines.studies.sources import StudySource

MAX_RUNS_LISTED: Final = 12
PLACES: Final = {"Parts": "part", "Course": "round", "Players": "player"}


def describe_scores(source: StudySource, asked: ScoresQuestion, run: Run | None = None) -> Sheet:
    """Return the sheet of a question of the page Scores. `run` is its only run under its current name.

    Raises InvalidError if the library has no games of its rulesets or none of its runs.
    """
    if run:
        asked = asked.model_copy(update={"runs": (run.name,)})
    answer, problems = answer_scores(asked, source)
    question, scope = answer.question, answer.scope
    if not has_subject(asked, question):
        raise InvalidError(" ".join(problems))
    verdict, charts, tables = _describe_view(source, answer)
    names = ", ".join(one.label for one in scope.rulesets)
    games = sum(one.lengths.n for one in read_lengths(scope, source, "rounds"))
    basis = [f"{format_count(games, 'game')} in {format_count(len(scope.runs), 'run')} of {names}."]
    basis += [set_sentence(", ".join(answer.basis.filters))] if answer.basis.filters else []
    basis += ["The lowest score wins."] if any(one.lowest_wins for one in scope.rulesets) else []
    listed = scope.runs[:MAX_RUNS_LISTED]
    more = " and more" if len(scope.runs) > len(listed) else ""
    is_run = len(question.runs) == 1
    title = (
        f"Scores of {format_ruleset_for(scope.rulesets[0])}"
        if len(scope.rulesets) == 1
        else f"Scores under {names}"
    )
    return Sheet(
        kind="run" if is_run else "scores",
        title=title_run(listed[0]) if is_run else title,
        verdict=verdict,
        warnings=tuple(problems),
        basis=" ".join([*basis, *answer.basis.left_out]),
        parts=(*charts, *(Part(f"table-{at}", table) for at, table in enumerate(tables))),
        facts=list_run_facts(listed[0])
        if is_run
        else (
            *(Fact("Ruleset", f"{one.name}, SHA-256 {one.sha256}") for one in scope.rulesets),
            Fact("Runs", ", ".join(run.name for run in listed) + more),
        ),
        commands=tuple(run.summary.command for run in listed),
    )


def _describe_view(
    source: StudySource, answer: ScoresAnswer
) -> tuple[str, tuple[Part, ...], tuple[Table, ...]]:
    """Return what an answer says, its charts and its tables."""
    if isinstance(answer, DistributionsAnswer):
        tables = [tabulate_mean_scores(answer.groups)]
        if answer.question.score is not None:
            tables.append(tabulate_percentiles(answer.groups, answer.question.score))
        players = answer_players(answer, source)
        said = describe_means(players) if players else describe_distributions(answer)
        return said, _draw_distributions(source, answer), tuple(tables)
    if isinstance(answer, MeansAnswer):
        place = PLACES[answer.question.view]
        charts = () if place == "round" else _draw_means(source, answer, place)
        return describe_means(answer), charts, (tabulate_means(answer.means, place),)
    if isinstance(answer, LengthsAnswer):
        unit = answer.question.length
        return (
            describe_lengths(answer.lengths, unit, is_compared=answer.scope.has_one_lineup),
            (),
            (tabulate_lengths(answer.lengths, unit),),
        )
    if isinstance(answer, SquaresAnswer):
        if not answer.maps:
            raise InvalidError("a study shows no map of these squares")
        board = draw_empty_board(answer.ruleset.runs[0], answer.ruleset.sha256)["boards"][0]
        kind = answer.question.map
        numbers = tabulate_squares(answer.maps, board, kind)
        return (
            describe_square_maps(answer.maps, board, kind),
            (),
            (numbers._replace(caption=f"{answer.caption}."),),
        )
    if not answer.question.select:
        raise InvalidError("the address of the view Explore selects nothing")
    numbers = tabulate_selection(answer.report, list_measure_titles(answer.scope))
    said = describe_selection(answer.selection, answer.scope)
    if not answer.report.selected:
        return f"{said} {NOTHING_SELECTED}", (), ()
    return said, (), (numbers._replace(caption=describe_selection_tests(answer.report)),)


def _draw_distributions(source: StudySource, answer: DistributionsAnswer) -> tuple[Part, ...]:
    """Return the histogram of the page, whose panels have one scale; nothing without results."""
    looks = source.find_looks(tuple(dict.fromkeys(one.strategy for one in answer.groups)))
    series = arrange_series(make_score_series(answer.groups, looks), answer.compared)
    if not series:
        return ()
    names = " and ".join(answer.scope.labels.values())
    title = f"{'Points of ' + answer.question.part if answer.part else 'Final scores'} under {names}"
    what = f"points of {answer.question.part}" if answer.part else "final score in points"
    caption = "The share of the results with each score. 95 % intervals of the means count blocks, whose games share their luck."
    return (Part("spread", Histogram(series, what, title), caption=caption),)


def _draw_means(source: StudySource, answer: MeansAnswer, place: str) -> tuple[Part, ...]:
    """Return the means of a ruleset as marks on their intervals, for each ruleset."""
    looks = source.find_looks(answer.scope.strategies)
    charts: list[Part] = []
    for ruleset in answer.scope.labels.values():
        title = f"Means by {place} under {ruleset}"
        means = [one for one in answer.means if one.ruleset == ruleset]
        if place == "player":
            means = [replace(one, at=format_player(int(one.at) - 1)) for one in means]
        estimates = [replace(one, ruleset="") for one in make_estimates(means, looks)]
        chart = Intervals(estimates, "mean points", title, "result", has_legend=True)
        caption = "95 % intervals of the means count blocks."
        charts.append(Part(f"means-{len(charts)}", chart, caption=caption))
    return tuple(charts)
