"""What a comparison of strategies looks like: its sheet, its charts, and the sentences beside its verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine import games
from engine.wording import capitalise
from pipelines.design.metrics import METRICS
from pipelines.design.short_names import short_names
from pipelines.experiments.pair_results import PairResult, is_less_better, rank_strategies
from pipelines.questions.scores.question import MAX_STRATEGIES
from pipelines.report import comparison_tables as tables
from pipelines.report import verdicts
from pipelines.report.characters import (
    StrategyCharacter,
    describe_played_strategies,
    list_introductions,
    tabulate_characters,
)
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark
from pipelines.report.estimates import set_sentence
from pipelines.report.runs import list_run_facts
from pipelines.report.scores import make_score_series
from pipelines.report.sheet import Fact, FindLooks, Part, Passage, Sheet
from pipelines.report.wording import format_count, format_player, name_amount
from pipelines.report.yardsticks import describe_pairs_robustness
from pipelines.statistics.rounding import set_minus_signs

if TYPE_CHECKING:
    from pipelines.experiments.comparison import Comparison, FirstDifference, TwinGames
    from pipelines.experiments.controls import Control
    from pipelines.questions.comparison import ComparisonAnswer
    from pipelines.viewer.palette import SeriesLook

MAX_TWINS_SHOWN: Final = 8
"""A sheet shows at most this number of pairs of twin games; the files contain all."""
EQUAL: Final = Mark(0, "equal")


def compose_comparison(answer: ComparisonAnswer, find_looks: FindLooks) -> Sheet:
    """Return the sheet of a comparison, also of one that is still played: then it has fewer parts."""
    comparison, looks = answer.comparison, find_looks(answer.comparison.strategies)
    names = short_names(comparison.strategies)
    characters = describe_played_strategies(answer.ruleset, names, answer.played) if answer.played else []
    return Sheet(
        kind="comparison",
        title=capitalise(" against ".join(names[name] for name in comparison.strategies))
        if len(comparison.strategies) == 2
        else f"{len(comparison.strategies)} strategies compared",
        verdict=verdicts.write_comparison(comparison),
        consequences=verdicts.list_consequences(comparison),
        basis=f"{describe_basis(comparison)} {describe_ranges(comparison)}",
        warnings=tuple(
            filter(
                None,
                (
                    describe_failed_checks(comparison.controls),
                    *(f"{names[row.strategy]}: {row.program}." for row in answer.played if row.has_failed),
                    *answer.problems,
                ),
            )
        ),
        parts=(*_list_pictures(answer, characters, looks), *_list_details(answer, characters, looks)),
        facts=(
            Fact("Compared", verdicts.describe_estimand(comparison)),
            *((Fact("Stopping", stopping),) if (stopping := describe_stopping(comparison)) else ()),
            Fact("Design", f"{comparison.arrangement}, log {comparison.log}"),
            *(list_run_facts(answer.run) if answer.run else ()),
        ),
        commands=(comparison.command,),
        fields=_list_fields(comparison),
    )


def _list_fields(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON data, with the sentence on each pair and what was compared."""
    fields = comparison.as_json()
    for fields_of_pair, pair in zip(fields["pairs"], comparison.pairs, strict=True):
        fields_of_pair["verdict"]["sentence"] = verdicts.write_verdict(pair.verdict)
    return {**fields, "estimand": verdicts.describe_estimand(comparison)}


def _list_pictures(
    answer: ComparisonAnswer, characters: Sequence[StrategyCharacter], looks: Mapping[str, SeriesLook]
) -> Iterator[Part]:
    """Yield what people look at first: who leads, the scores, who the strategies are, and where the points come from."""
    comparison, pair = answer.comparison, answer.pair
    if leads := lead_dots(comparison, looks):
        fewer = " (fewer points win)" if is_less_better(pair.verdict.findings) else ""
        axis = f"lead in {METRICS[comparison.metric].many}{fewer}"
        yield Part(
            "leads",
            Intervals(leads, axis, _title_leads(answer), mark=EQUAL),
            caption=f"95 % intervals from {format_count(comparison.blocks, 'block')} with the same luck for both. "
            "An interval that does not cross the line at 0 is a clear difference.",
        )
    if answer.scores and len(answer.scores) <= MAX_STRATEGIES:
        series = make_score_series(answer.scores, looks)
        yield Part(
            "spread",
            Histogram(series, "final score in points", f"Final scores under {comparison.ruleset_title}"),
            caption="The share of the results with each score. 95 % intervals of the means count blocks.",
        )
    if characters:
        yield Part("characters", Passage("Who they are", list_introductions(characters)), "beside")
    if dots := part_dots(comparison, pair, games.find_game(comparison.game).parts, looks):
        yield Part(
            "parts",
            Intervals(dots, parts_title(comparison, pair), "Where the points come from", mark=EQUAL),
            "beside",
            f"Mean difference in each part of the score with its 95 % interval, from {format_count(pair.blocks, 'block')}. "
            "The parts add up to the difference of the scores.",
        )
    if answer.twins and answer.parting:
        names = short_names(comparison.strategies)
        opened = answer.twins[answer.opened_twin]
        words = describe_parting(opened, answer.parting, names[pair.a], names[pair.b])
        title = (
            "A game that made a difference"
            if answer.opened_twin
            else "The game that made the largest difference"
        )
        yield Part("parting", Passage(title, (("", set_minus_signs(words)),)), "beside")


def _title_leads(answer: ComparisonAnswer) -> str:
    """Return by how much the better of two strategies leads, if this is decided; else what the chart shows."""
    pairs = answer.comparison.pairs
    lead = verdicts.write_lead(pairs[0].verdict) if len(pairs) == 1 else ""
    return capitalise(set_minus_signs(lead)) or "The lead of the best strategy over each other one"


def _list_details(
    answer: ComparisonAnswer, characters: Sequence[StrategyCharacter], looks: Mapping[str, SeriesLook]
) -> Iterator[Part]:
    """Yield the numbers of a comparison for statisticians."""
    comparison, pair = answer.comparison, answer.pair
    names = short_names(comparison.strategies)
    full_names = {name: name for name in comparison.strategies}
    if len(comparison.pairs) > 1:
        matrix, whole = (tables.difference_matrix(comparison, known) for known in (names, full_names))
        yield Part("matrix", matrix, "details", numbers=whole)
    yield Part("pairs", tables.pairs_table(comparison), "details", numbers=tables.pair_numbers(comparison))
    if len(comparison.pairs) > 1 and any(other_pair.parts for other_pair in comparison.pairs):
        parts, whole = (tables.parts_table(comparison, known) for known in (names, full_names))
        yield Part("part_numbers", parts, "details", numbers=whole)
    yield Part("sides", tables.sides_table(comparison), "details", numbers=tables.side_numbers(comparison))
    ratings = rating_dots(comparison, looks) if len(comparison.strategies) > 2 else []
    if ratings:
        chart = Intervals(ratings, "rating in Elo points", "The strength of each strategy")
        yield Part("ratings", chart, "details", "Ratings with their 95 % intervals.")
    if pair.quantiles:
        quantiles = tables.quantiles_table(comparison, pair)
        yield Part("quantiles", quantiles, "details", numbers=tables.quantile_numbers(comparison, pair))
    yield Part("seats", tables.seats_table(comparison), "details")
    if characters:
        players = tabulate_characters(characters)
        by_full_name = tuple((name, *cells) for _, *cells, name in players.rows)
        whole = players._replace(columns=players.columns[:-1], rows=by_full_name)
        yield Part("players", players, "details", numbers=whole)
    if answer.twins:
        twins = tables.twins_table(answer.twins[:MAX_TWINS_SHOWN], names[pair.a], names[pair.b])
        yield Part("twins", twins, "details", numbers=tables.twin_numbers(answer.twins, pair))
    if comparison.controls:
        yield Part("controls", tables.controls_table(comparison), "details")


def lead_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the lead of the best strategy over each other one as a dot with its interval; more is better for it."""
    best, *others = rank_strategies(comparison.pairs)
    names = short_names(comparison.strategies)
    dots = []
    for other in others:
        pair = next(pair for pair in comparison.pairs if {pair.a, pair.b} == {best, other})
        if pair.difference is None:
            continue
        sign = -1 if (pair.a == best) == is_less_better(pair.verdict.findings) else 1
        scale = sign * METRICS[comparison.metric].scale
        dots.append(
            Estimate(
                f"ahead of {names[other]}",
                f"{names[best]} · n = {format_count(pair.blocks * pair.games_per_block, 'game')}",
                names[best],
                pair.difference.times(scale),
                pair.blocks,
                look[best],
            )
        )
    return dots


def part_dots(
    comparison: Comparison, pair: PairResult, titles: Mapping[str, str], look: Mapping[str, SeriesLook]
) -> list[Estimate]:
    """Return the difference of a pair in each part of the score: what the winner gets minus what the other one gets."""
    names, (first, second, sign) = short_names(comparison.strategies), _put_winner_first(pair)
    return [
        Estimate(
            titles.get(part.part, part.part),
            comparison.ruleset_title,
            f"{names[first]} − {names[second]}",
            part.difference.times(sign),
            pair.blocks,
            look[first],
        )
        for part in pair.parts
    ]


def parts_title(comparison: Comparison, pair: PairResult) -> str:
    """Return the title of the axis of the parts of the score."""
    names, (first, second, _) = short_names(comparison.strategies), _put_winner_first(pair)
    return f"points of {names[first]} minus those of {names[second]}"


def _put_winner_first(pair: PairResult) -> tuple[str, str, int]:
    """Return the strategies of a pair, the better one first if the verdict names it, and the sign of their difference."""
    return (pair.b, pair.a, -1) if pair.verdict.better == pair.b else (pair.a, pair.b, 1)


def rating_dots(comparison: Comparison, look: Mapping[str, SeriesLook]) -> list[Estimate]:
    """Return the ratings with finite intervals, the strongest first."""
    names = short_names(comparison.strategies)
    rated = sorted(comparison.ratings, key=lambda rating: -rating.elo.estimate)
    return [
        Estimate(
            names[rating.strategy],
            comparison.ruleset_title,
            names[rating.strategy],
            rating.elo,
            comparison.blocks,
            look[rating.strategy],
        )
        for rating in rated
        if all(map(math.isfinite, rating.elo))
    ]


def describe_basis(comparison: Comparison) -> str:
    """Return how many games and blocks were played, what is equal in the games of a block, and what reconstructed tables decide."""
    so_far = "" if comparison.is_finished else " so far"
    shared = [*(["dice"] if comparison.has_dice else []), *(["opening"] if comparison.opening else [])]
    luck = f"have the same {' and '.join(shared)} and " if shared else ""
    lowest = " The lowest score wins." if comparison.lowest_wins else ""
    rules = f"{comparison.ruleset_title} for {format_count(comparison.players, 'player')}"
    played = (
        f"{format_count(comparison.games, 'game')} of {rules} in {format_count(comparison.blocks, 'block')}{so_far}. "
        f"The {format_count(comparison.games_per_block, 'game')} of a block {luck}differ in who plays which seat. "
        f"Seed {comparison.seed}.{lowest}"
    )
    return f"{played} {describe_pairs_robustness(comparison)}".rstrip()


def describe_failed_checks(controls: Iterable[Control]) -> str:
    """Return the warning about the controls that fail; empty if none fails."""
    failed = [control.name for control in controls if control.holds is False]
    return f"Do not trust this result yet. These checks fail: {', '.join(failed)}." if failed else ""


def describe_ranges(comparison: Comparison) -> str:
    """Return what ranges in brackets are, and which of them allow for the decision to stop."""
    return f"Ranges in brackets are 95 % intervals. {set_sentence(verdicts.describe_validity(comparison))}".rstrip()


def describe_parting(twin: TwinGames, where: FirstDifference, a: str, b: str) -> str:
    """Return where two twin games of the strategies `a` and `b` differ first, and how they end."""
    player = format_player(twin.seat)
    step_a, step_b = (
        f"{step[0].lower()}{step[1:]}" if step else "the game is over"
        for step in (where.step_a, where.step_b)
    )
    return (
        f"{capitalise(player)} is {a} in one game and {b} in the other. The two games part in round {where.round + 1}: in that "
        f"of {a}, {step_a}; in that of {b}, {step_b}. {capitalise(player)} ends with {name_amount(str(twin.score_a))} as {a} and "
        f"{twin.score_b} as {b}."
    )


def describe_stopping(comparison: Comparison) -> str:
    """Return when the comparison stops and whether it is decided; empty if its number of blocks was fixed."""
    if not comparison.is_sequential:
        return ""
    equal = f", or equality within {comparison.margin:g}" if comparison.margin is not None else ""
    if all(pair.decision not in {None, "undecided"} for pair in comparison.pairs):
        state = "decided"
    else:
        state = "budget spent" if comparison.blocks == comparison.most_blocks else "open"
    return (
        f"when the sign is settled{equal}, at most {format_count(comparison.most_blocks or comparison.blocks, 'block')}: {state}; "
        "the chance of a wrong answer is at most 5 %, unless rare large differences that the blocks played do not show "
        "outweigh the others"
    )
