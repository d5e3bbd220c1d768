"""What an answer about scores looks like: the sheet of every view, and the charts that it draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from engine import games
from engine.wording import capitalise
from pipelines.design.titles import format_ruleset_for, join_rulesets, name_square
from pipelines.questions.scores.answer import MAX_RESULTS_IN_RANGE, DistributionsAnswer, ScoresAnswer
from pipelines.questions.scores.decisions import DecisionsAnswer
from pipelines.questions.scores.means import LengthsAnswer, MeansAnswer
from pipelines.questions.scores.moves import MovesAnswer
from pipelines.questions.scores.selection import SelectionAnswer, list_measure_titles
from pipelines.questions.scores.squares import SquaresAnswer
from pipelines.report import score_tables as tables
from pipelines.report.atlas import describe_recorded_edges
from pipelines.report.charts import Histogram, Mark, ScoreSeries, overlay_panels
from pipelines.report.decisions import describe_decisions, list_decision_parts, write_decision_fields
from pipelines.report.estimates import set_sentence
from pipelines.report.means import list_mean_parts
from pipelines.report.moves import describe_moves, list_move_parts
from pipelines.report.runs import list_run_facts
from pipelines.report.score_sentences import (
    LOWEST_WINS,
    NOTHING_SELECTED,
    describe_distributions,
    describe_lengths,
    describe_means,
    describe_selection,
    describe_selection_tests,
    describe_winners,
)
from pipelines.report.sheet import NUMBERS, Fact, FindLooks, Part, Passage, Sheet
from pipelines.report.squares import describe_square_maps, list_square_parts
from pipelines.report.wording import format_count, format_run_title, join_words
from pipelines.viewer.palette import SeriesLook, seat_looks

if TYPE_CHECKING:
    from pipelines.questions.scores.distributions import GroupScores
    from pipelines.questions.scores.scope import ScoresScope

    Looks = Mapping[str, SeriesLook]

BY_RULESET: Final = "Rulesets"
ONE_BY_ONE: Final = "One by one"
"""What lines of a chart compare, as the question names it."""
MAX_RUNS_LISTED: Final = 12
NO_RESULTS: Final = "no games match these filters; remove a filter to see more"
LISTED_TITLE: Final = "The games with a score in this range"
_SHAPES: Final = {
    "Histogram": "How many of 100 results lie in each bin. A triangle on the axis marks the mean, the bar around it its 95 % "
    "interval.",
    "Cumulative": "Share of results up to each score. The band contains the whole true curve with 95 % "
    "(Dvoretzky, Kiefer and Wolfowitz, counting blocks).",
    "Quantiles": "Box: the middle half. Whiskers: 5 and 95 %. Diamond: the mean with its 95 % interval.",
}


def compose_scores(answer: ScoresAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of an answer about scores, whatever its view."""
    scope = answer.scope
    listed = scope.runs[:MAX_RUNS_LISTED]
    is_run = len(answer.question.runs) == 1
    title = (
        f"Scores of {format_ruleset_for(scope.rulesets[0])}"
        if len(scope.rulesets) == 1
        else f"Scores under {join_rulesets(scope.rulesets)}"
    )
    view = _VIEWS[type(answer)]
    verdict, *consequences = view.write_findings(answer) or ("",)
    verdict = verdict or scope.hindrance
    if len(answer.question.rulesets) > len(scope.rulesets) == 1 and verdict:
        verdict = f"under {scope.ruleset_names[scope.hashes[0]]}, {verdict}"
    more = " and more" if len(scope.runs) > len(listed) else ""
    return Sheet(
        kind="run" if is_run else "scores",
        title=format_run_title(listed[0].summary) if is_run else title,
        verdict=verdict,
        consequences=tuple(consequences),
        warnings=answer.problems,
        basis=_write_basis(answer, verdict),
        parts=tuple(view.list_parts(answer, find_looks(scope.strategies))),
        facts=(
            *(
                (*list_run_facts(listed[0]), Fact("Log", listed[0].summary.log))
                if is_run
                else (
                    *(
                        Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}")
                        for ruleset in scope.rulesets
                    ),
                    Fact("Runs", ", ".join(run.name for run in listed) + more),
                )
            ),
            Fact("Compared", "a difference is called more or fewer only if its 95 % interval excludes 0"),
            *_list_reconstructed(scope),
        ),
        commands=tuple(run.summary.command for run in listed),
        fields={
            "question": answer.question.model_dump(),
            "counted": answer.basis,
            **view.write_fields(answer),
        },
    )


def _write_basis(answer: ScoresAnswer, verdict: str) -> str:
    """Return which games and results count, what is left out, and what intervals count, without what the verdict says."""
    basis, scope = answer.basis, answer.scope
    result_count = (
        f", {format_count(answer.results, 'result')}"
        if isinstance(answer, DistributionsAnswer | SelectionAnswer)
        else ""
    )
    rulesets = join_rulesets(scope.rulesets)
    sentences = [
        f"{format_count(basis.games, 'game')} in {format_count(len(scope.runs), 'run')} of {rulesets}{result_count}."
    ]
    sentences += [set_sentence(", ".join(basis.filters))] if basis.filters else []
    is_reversed = any(ruleset.lowest_wins for ruleset in scope.rulesets)
    sentences += [set_sentence(LOWEST_WINS)] if is_reversed and LOWEST_WINS not in verdict else []
    sentences += basis.left_out
    if basis.blocks > 1:
        sentences.append(
            f"95 % intervals count blocks, up to {basis.blocks:,} here: the games of a block share their luck."
        )
        view = answer.question.view
        if view in {"Parts", "Course", "Length"} or (view == "Scores" and scope.seats):
            sentences.append(
                "For means, each block counts as one result, so their intervals cover at least 95 %."
            )
    return " ".join(sentences)


def _list_reconstructed(scope: ScoresScope) -> Iterator[Fact]:
    """Yield for each game the tables that its rulebook does not print."""
    names_by_game = {
        ruleset.game: ruleset.reconstructed_tables
        for ruleset in scope.rulesets
        if ruleset.reconstructed_tables
    }
    for game, names in names_by_game.items():
        rulebook = f"Not printed in the rulebook of {games.find_game(game).title}, our reconstruction"
        yield Fact(rulebook, ", ".join(names))


def _explain_missing_means(answer: ScoresAnswer) -> tuple[str, ...]:
    """Return that there are too few games for intervals, and what to do."""
    if len(answer.scope.copied) == len(answer.scope.runs):
        return (f"{format_count(answer.basis.games, 'game')}, but no two blocks that differ",)
    return (
        f"{format_count(answer.basis.games, 'game')} of the chosen runs are too few: an interval needs at least two blocks of games",
        "the games of a block share their luck; a few hundred games take some seconds",
    )


def _explain_missing_log(subject: str) -> tuple[str, ...]:
    return (f"the plies of these runs were not logged (--log scores), so {subject} are not known",)


# Distributions


def _write_distribution_findings(answer: DistributionsAnswer) -> tuple[str, ...]:
    if not answer.groups:
        return (NO_RESULTS,)
    if answer.needs_games:
        return _explain_missing_means(answer)
    return describe_distributions(answer)


def _list_distribution_parts(answer: DistributionsAnswer, looks: Looks) -> Iterator[Part]:
    question = answer.question
    if not answer.groups:
        return
    pooled = answer.part and answer.scope.seats
    caption = f"{_SHAPES[question.shape]}{' Parts of the score are counted for all players together.' if pooled else ''}"
    yield Part("spread", _draw_distributions(answer, looks), caption=caption)
    if answer.run_results:
        yield Part("results", tables.tabulate_strategy_results(answer.run_results), "beside")
    if answer.listed:
        count = format_count(len(answer.listed), "result")
        is_cut = len(answer.listed) == MAX_RESULTS_IN_RANGE
        caption = f"The first {count}, from the newest run on." if is_cut else f"{count}."
        listed = tables.tabulate_results(LISTED_TITLE, answer.listed)
        yield Part("games", listed._replace(caption=f"{caption} {listed.caption}".strip()), "beside")
    elif answer.listed is not None:
        yield Part("games", Passage(LISTED_TITLE, (("", "no game has a score in this range"),)), "beside")
    if question.score is not None:
        yield Part("percentiles", tables.tabulate_percentiles(answer.groups, question.score), "beside")
    yield Part(NUMBERS, tables.tabulate_distributions(answer.groups), "details")


def _draw_distributions(answer: DistributionsAnswer, looks: Looks) -> Histogram:
    """Return the distributions, with the score and the range that the question names."""
    question = answer.question
    low, high = question.low, question.high
    is_range = low is not None and high is not None and low <= high and question.shape == "Histogram"
    subject = f"points of {question.part}" if answer.part else "final scores"
    return Histogram(
        arrange_series(make_score_series(answer.groups, looks), answer.compared),
        subject if answer.part else "final score in points",
        _title_distributions(answer, subject),
        mark=None if question.score is None else Mark(question.score, f"{question.score:,}"),
        shaded=(low, high) if is_range and low is not None and high is not None else None,
        shape=question.shape,
    )


def _title_distributions(answer: DistributionsAnswer, subject: str) -> str:
    """Return the title of the chart. Of a single ruleset its panels say the name."""
    names = list(answer.scope.ruleset_names.values())
    return f"{capitalise(subject)}{f' under {join_words(names)}' if len(names) > 1 else ''}"


def _write_distribution_fields(answer: DistributionsAnswer) -> dict[str, Any]:
    return {
        "groups": [
            {
                "ruleset": group.ruleset,
                "strategy": group.strategy,
                "results": group.scores.n,
                "blocks": group.blocks,
                "mean": group.estimate,
                "interval": group.mean.interval,
                "scores": dict(zip(group.scores.values.tolist(), group.scores.counts.tolist(), strict=True)),
            }
            for group in answer.groups
        ]
    }


# Means by part, by round and by player


def _write_mean_findings(answer: MeansAnswer) -> tuple[str, ...]:
    if answer.is_unlogged:
        return _explain_missing_log("the scores by round")
    findings = _explain_missing_means(answer) if answer.needs_games else describe_means(answer)
    is_by_player = answer.question.view == "Players"
    return (*findings, *(describe_recorded_edges(answer.scope.ruleset_names) if is_by_player else ()))


# Lengths of games


def _write_length_findings(answer: LengthsAnswer) -> tuple[str, ...]:
    if not answer.lengths:
        return (NO_RESULTS,)
    return (
        describe_lengths(answer.lengths, answer.question.length, is_compared=answer.scope.has_one_lineup),
    )


def _list_length_parts(answer: LengthsAnswer, looks: Looks) -> Iterator[Part]:
    del looks  # the lines are rulesets
    if not answer.lengths:
        return
    unit = answer.question.length
    series = [
        ScoreSeries(
            "games", lengths.ruleset_name, lengths.lengths, lengths.mean.n, lengths.mean.interval, look
        )
        for lengths, look in zip(answer.lengths, seat_looks(len(answer.lengths)).values(), strict=True)
    ]
    yield Part(
        "lengths",
        Histogram(series, unit, f"Length of games in {unit}", "game"),
        caption=f"All games of the chosen runs.{' Rolls of the dice are plies too.' if unit == 'plies' else ''}",
    )
    yield Part(NUMBERS, tables.tabulate_lengths(answer.lengths, unit), "details")


def _write_length_fields(answer: LengthsAnswer) -> dict[str, Any]:
    return {
        "lengths": [
            {
                "ruleset": lengths.ruleset,
                "games": lengths.lengths.n,
                "mean": lengths.mean,
                "lengths": dict(
                    zip(lengths.lengths.values.tolist(), lengths.lengths.counts.tolist(), strict=True)
                ),
            }
            for lengths in answer.lengths
        ]
    }


# Squares


def _write_square_findings(answer: SquaresAnswer) -> tuple[str, ...]:
    if answer.board is None:
        return _explain_missing_log("their squares")
    if not any(square_map.n and square_map.squares for square_map in answer.maps):
        return (NO_RESULTS,)
    return (describe_square_maps(answer.maps, answer.board["boards"][0], answer.question.map),)


def _write_square_fields(answer: SquaresAnswer) -> dict[str, Any]:
    if answer.board is None:
        return {"maps": []}
    board = answer.board["boards"][0]
    return {
        "maps": [
            {
                "strategy": square_map.strategy,
                "results": square_map.n,
                "blocks": square_map.blocks,
                "squares": {name_square(board, cell): value for cell, value in square_map.squares.items()},
            }
            for square_map in answer.maps
        ]
    }


# What was done


def _write_move_findings(answer: MovesAnswer) -> tuple[str, ...]:
    if answer.is_unlogged:
        return _explain_missing_log("their moves")
    return describe_moves(answer) or (NO_RESULTS,)


# All measures, and a selection of results


def _write_selection_findings(answer: SelectionAnswer) -> tuple[str, ...]:
    if not answer.results:
        return (NO_RESULTS,)
    if answer.report is None:
        return tuple(filter(None, (describe_winners(answer),)))
    sentence = describe_selection(answer.selection, answer.scope)
    if not answer.report.selected:
        return sentence, NOTHING_SELECTED
    selected, others = answer.report.selected, answer.report.others
    return sentence, f"{format_count(selected, 'selected result')}, {format_count(others, 'other result')}"


def _list_selection_parts(answer: SelectionAnswer, looks: Looks) -> Iterator[Part]:
    titles = list_measure_titles(answer.scope)
    drawn = int(answer.cells.counts.sum())
    sample = (
        ""
        if drawn == answer.results
        else f" A sample of {drawn:,} of {answer.results:,} results: those of the first games."
    )
    lines = _list_lines(answer, looks)
    for measure, spreads in answer.cells.spreads.items():
        series = [
            ScoreSeries("", lines[line][0], scores, scores.n, None, lines[line][1])
            for line, scores in sorted(spreads.items(), reverse=answer.report is not None)
        ]
        yield Part(
            f"measure_{measure.replace('-', '_')}",
            Histogram(series, titles[measure].lower(), titles[measure], has_means=False),
            caption=f"The share of the results in each bin.{sample}",
        )
    if answer.report and answer.report.selected:
        table = tables.tabulate_selection(answer.report, titles)
        yield Part("selection", table._replace(caption=describe_selection_tests(answer.report)))
        first = format_count(len(answer.selected), "selected result")
        yield Part("results", tables.tabulate_results(f"The first {first}", answer.selected), "beside")


def _list_lines(answer: SelectionAnswer, looks: Looks) -> list[tuple[str, SeriesLook]]:
    """Return the name and the look of each line of the charts of measures."""
    scope = answer.scope
    if answer.report is not None:
        return list(zip(("all others", "selected"), reversed(seat_looks(2).values()), strict=True))
    if len(scope.rulesets) > 1:
        return list(zip(scope.ruleset_names.values(), seat_looks(len(scope.rulesets)).values(), strict=True))
    return [(scope.names[name], looks[name]) for name in scope.strategies]


class _View(NamedTuple):
    """What an answer of one class says and shows."""

    write_findings: Callable[[Any], tuple[str, ...]]
    """The verdict, which is empty if nothing can be compared fairly, and what follows from it."""
    list_parts: Callable[[Any, Looks], Iterator[Part]]
    """The picture, then the numbers for statisticians."""
    write_fields: Callable[[Any], dict[str, Any]]
    """The numbers as JSON data."""


_VIEWS: Final[Mapping[type, _View]] = {
    DistributionsAnswer: _View(
        _write_distribution_findings, _list_distribution_parts, _write_distribution_fields
    ),
    MeansAnswer: _View(_write_mean_findings, list_mean_parts, lambda answer: {"means": answer.means}),
    LengthsAnswer: _View(_write_length_findings, _list_length_parts, _write_length_fields),
    SquaresAnswer: _View(_write_square_findings, list_square_parts, _write_square_fields),
    MovesAnswer: _View(
        _write_move_findings,
        list_move_parts,
        lambda answer: {"groups": [group for groups in answer.groups.values() for group in groups]},
    ),
    DecisionsAnswer: _View(describe_decisions, list_decision_parts, write_decision_fields),
    SelectionAnswer: _View(
        _write_selection_findings,
        _list_selection_parts,
        lambda answer: {"selection": answer.selection, "report": answer.report},
    ),
}


# What charts draw


def make_score_series(groups: Sequence[GroupScores], looks: Looks) -> list[ScoreSeries]:
    """Return a series for each group."""
    return [
        ScoreSeries(
            line.ruleset_name, line.name, line.scores, line.blocks, line.mean.interval, looks[line.strategy]
        )
        for line in groups
    ]


def arrange_series(all_series: Sequence[ScoreSeries], compared: str) -> list[ScoreSeries]:
    """Give each series its panel and its colour: what is compared shares a panel, and each line of it has a colour."""
    if compared == ONE_BY_ONE:
        return [replace(series, panel=f"{series.panel} · {series.name}") for series in all_series]
    if compared != BY_RULESET:
        return list(all_series)
    # A strategy of a single ruleset has nothing to be compared with, so its panel comes last.
    ruleset_counts = Counter(series.name for series in all_series)
    return sorted(overlay_panels(all_series), key=lambda series: -ruleset_counts[series.panel])
