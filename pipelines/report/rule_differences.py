"""The differences from a ruleset: as numbers on scales around 0, the picture of a ruleset against others, and as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.wording import capitalise
from pipelines.report.charts import Mark, Scale, Scales
from pipelines.report.estimates import format_interval, format_intervals
from pipelines.report.table import Table, format_cell
from pipelines.report.wording import format_count, join_words

if TYPE_CHECKING:
    from pipelines.experiments.rule_effect import RuleMeasure
    from pipelines.report.rule_words import RuleWords
    from pipelines.statistics.intervals import Interval


def draw_differences(words: RuleWords) -> Scales:
    """Return how the main numbers differ under other rulesets; those of one unit have one scale, with 0 in its middle."""
    effect, rule = words.effect, words.effect.rules[0]
    differences = [
        (measure, value, difference)
        for measure in map(words.turn_lead, effect.measures)
        if measure in words.wins or measure.kind in {"score", "lead", "rounds"} or measure.of == "0"
        for value, difference in zip(rule.values, effect.list_differences(measure), strict=True)
        if value != rule.base_value
    ]
    limits: dict[str, float] = {}
    for measure, _, difference in differences:
        ends = difference.times(measure.scale) if difference else (0.0,)
        limits[measure.unit] = max(limits.get(measure.unit, 0.0), *map(abs, ends))
    names = [value for value in rule.values if value != rule.base_value]
    return Scales(
        tuple(
            _make_scale(words, measure, difference, _round_up(limits[measure.unit]))._replace(
                name=words.label(rule, value) if len(names) > 1 else "",
                record={
                    **measure.as_json(),
                    "ruleset": value,
                    **(difference._asdict() if difference else {}),
                },
            )
            for measure, value, difference in differences
        ),
        f"What {join_words([words.label(rule, name) for name in names])} changes",
    )


def explain_differences(words: RuleWords) -> str:
    """Return what the scales of `draw_differences` show."""
    rule, count = words.effect.rules[0], format_count(words.effect.blocks, "block")
    at_once = " and hold for all rulesets at once" if len(rule.values) > 2 else ""
    return (
        f"A dot is the number minus that under {words.value(rule, rule.base_value)} with the same luck, and the dashed line stands at 0; "
        f"bars are 95 % intervals, which count {count}{at_once}. Numbers of one unit have one scale. A click on a row says what was compared."
    )


def tabulate_differences(words: RuleWords) -> Table:
    """Return the differences from the ruleset itself, a row for each number and each other value."""
    effect, rule = words.effect, words.effect.rules[0]
    rows = [
        (words.measure(measure), words.value(rule, value), text)
        for measure in map(words.turn_lead, effect.measures)
        for value, text in zip(
            rule.values,
            format_intervals(effect.list_differences(measure), scale=measure.scale, signed=True),
            strict=True,
        )
        if value != rule.base_value
    ]
    return Table(
        f"The differences from {words.value(rule, rule.base_value)}",
        ("of what", words.rule(rule), "difference"),
        tuple(rows),
        f"With the same luck, from {format_count(effect.blocks, 'block')}; the 95 % intervals of a number hold for all values at once. Wins are "
        "numbers of 100 games, a lead is in points, and points above the mean are the score minus the mean score of the game.",
    )


def _make_scale(words: RuleWords, measure: RuleMeasure, change: Interval | None, limit: float) -> Scale:
    difference = change and change.times(measure.scale)
    unit = "wins of 100" if measure.is_share else measure.unit
    less, more = ("shorter", "longer") if measure.unit == "rounds" else ("fewer", "more")
    return Scale(
        capitalise(words.measure(measure)),
        f"{format_interval(difference, signed=True)} {unit if difference else ''}".rstrip(),
        (f"{less}, {format_cell(-limit, '.3g')}", f"{more}, {format_cell(limit, '+.3g')}"),
        difference and type(difference)(*(0.5 + end / limit / 2 for end in difference)),
        (),
        f"{capitalise(join_words([*_list_levels(words, measure)]))}; a mean of {words.games}.",
        mark=Mark(0.5, "no change"),
    )


def _list_levels(words: RuleWords, measure: RuleMeasure) -> Iterator[str]:
    """Yield what a number is under each ruleset."""
    rule = words.effect.rules[0]
    means = format_intervals(words.effect.list_means(measure), scale=measure.scale)
    for value, text in zip(rule.values, means, strict=True):
        yield f"{text} under {words.value(rule, value)}"


def _round_up(number: float) -> float:
    """Return the next number with one digit, or with two digits that end with 5.

    >>> _round_up(7.2), _round_up(0.031), _round_up(61.4), _round_up(0)
    (7.5, 0.035, 65.0, 1.0)
    """
    step = 10 ** math.floor(math.log10(number)) / 2 if number else 1.0
    return math.ceil(number / step) * step if number else 1.0
