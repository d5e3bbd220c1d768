"""Sections of a study on rules: the effect of a rule, which is played again, and a ruleset with its options."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from pipelines.design.design import MAX_SEED
from pipelines.design.lineup import split_strategies
from pipelines.design.short_names import short_names
from pipelines.experiments.rules_effect import play_rules_effect
from pipelines.experiments.rules_effect_sentences import list_effect_consequences, rules_effect_sentence
from pipelines.notes.note import format_path
from pipelines.report.charts import Estimate, Histogram, Intervals, Mark, ScoreSeries, make_distribution
from pipelines.report.charts.svg import draw_chart
from pipelines.report.estimates import format_interval
from pipelines.report.wording import format_count
from pipelines.studies.address import read_number
from pipelines.studies.study import Chart, Fact, Section, Table
from pipelines.viewer.palette import CHOSEN_LOOK, OTHER_LOOK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.ruleset import Ruleset
    from pipelines.experiments.rules_effect import QuantityChange, RulesEffect
    from pipelines.studies.sources import StudySource

DEFAULT_BLOCKS: Final = 400
MAX_BLOCKS: Final = 20_000


def describe_rules(source: StudySource, fields: Mapping[str, str]) -> Section:
    """Return the section of an address of the page Rules: the effect of a rule, or a ruleset.

    Raises InvalidError if there is no such ruleset, or for an impossible question.
    """
    ruleset = _find_ruleset(source, fields.get("ruleset", ""))
    if "against" in fields:
        return _describe_effect(source, ruleset, _find_ruleset(source, fields["against"]), fields)
    options = ruleset.document.get("options", {})
    return Section(
        kind="rules",
        title=f"{ruleset.title} for {format_count(ruleset.players, 'player')}",
        basis=f"The ruleset {ruleset.name}."
        + (" The lowest score wins." if ruleset.lowest_wins else " The highest score wins."),
        tables=(
            Table(
                "Options",
                ("option", "value"),
                tuple((key.replace("_", " "), json.dumps(value)) for key, value in options.items()),
            ),
        )
        if options
        else (),
        facts=(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}"),),
        commands=(f"reroll rulesets {ruleset.name}",),
    )


def _find_ruleset(source: StudySource, name: str) -> Ruleset:
    if name not in source.rulesets:
        raise InvalidError(f"there is no ruleset {name[:80]!r} in the library")
    return source.rulesets[name]


def _describe_effect(source: StudySource, a: Ruleset, b: Ruleset, fields: Mapping[str, str]) -> Section:
    text = fields.get("lineup", "").strip(",")
    lineup = split_strategies(text) if text else ["random"] * a.players
    blocks = min(MAX_BLOCKS, read_number(fields, "blocks", DEFAULT_BLOCKS))
    seed = min(MAX_SEED, read_number(fields, "seed", 0))
    *_, effect = play_rules_effect(a, b, lineup, blocks=blocks, seed=seed)
    names = short_names(effect.strategies)
    opening = effect.a.design.opening
    share = effect.differing_share
    same = f"begin with the same {opening} random moves" if opening else "have the same luck"
    fewer = " The lowest score wins." if a.lowest_wins else ""
    return Section(
        kind="effect of a rule",
        title=f"{a.name} against {b.name}",
        verdict=rules_effect_sentence(effect),
        consequences=tuple(list_effect_consequences(effect)),
        basis=f"{', '.join(names[name] for name in effect.a.design.labels)} on all seats in turn, "
        f"{format_count(effect.blocks, 'block')} of {format_count(effect.games_per_block, 'game')} under each ruleset, which "
        f"{same}. {share.estimate:.0%} of the blocks end differently ({share.low:.0%} to {share.high:.0%}).{fewer}",
        charts=_draw_effect(source, effect),
        tables=(_changes_table(effect),),
        facts=(
            *(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}") for ruleset in (a, b)),
            Fact("Seed", str(seed)),
        ),
        commands=(_effect_command(a, b, lineup, blocks, seed),),
    )


def _effect_command(a: Ruleset, b: Ruleset, lineup: list[str], blocks: int, seed: int) -> str:
    """Return the command that makes a study of the same question."""
    question = {
        "ruleset": [a.name],
        "part": ["effect"],
        "against": [b.name],
        "lineup": [",".join(lineup)],
        "blocks": [str(blocks)],
        "seed": [str(seed)],
    }
    return f"reroll study {shlex.quote(format_path('rules', question))} --out study.html"


def _draw_effect(source: StudySource, effect: RulesEffect) -> tuple[Chart, ...]:
    names, looks = short_names(effect.strategies), source.find_looks(effect.strategies)
    estimates = [
        Estimate(
            names[change.of],
            effect.b.design.rules.name,
            change.of,
            change.difference,
            effect.blocks,
            looks[change.of],
        )
        for change in effect.scores
        if change.difference
    ]
    title = f"Change of the mean score under {effect.b.design.rules.name}"
    charts = [
        Chart(
            title,
            draw_chart(Intervals(estimates, "points", title, mark=Mark(0))),
            f"95 % intervals from {format_count(effect.blocks, 'block')} under each ruleset.",
        )
    ]
    first = effect.scores[0]
    title = f"Final scores of {names[first.of]}"
    series = [
        ScoreSeries(
            results.design.game.title,
            results.design.rules.name,
            make_distribution(results.strategy_scores(first.of).tolist()),
            effect.blocks,
            mean,
            look,
        )
        for results, mean, look in ((effect.a, first.a, OTHER_LOOK), (effect.b, first.b, CHOSEN_LOOK))
    ]
    charts.append(
        Chart(
            title,
            draw_chart(Histogram(series, "final score in points", title)),
            "The share of the results with each score under both rulesets. 95 % intervals of the means count blocks.",
        )
    )
    return tuple(charts)


def _changes_table(effect: RulesEffect) -> Table:
    names = short_names(effect.strategies)
    a, b = effect.a.design.rules.name, effect.b.design.rules.name

    def make_row(what: str, change: QuantityChange, scale: float = 1.0) -> tuple[str, ...]:
        return (
            what,
            format_interval(change.a, scale=scale),
            format_interval(change.b, scale=scale),
            format_interval(change.difference, scale=scale, signed=True),
        )

    return Table(
        "All differences",
        ("quantity", a, b, "difference"),
        (
            *(make_row(f"score of {names[change.of]}", change) for change in effect.scores),
            *(
                make_row(f"wins of a seat of {names[change.of]}, of 100", change, 100)
                for change in effect.win_shares
            ),
            *(make_row(f"{change.of} of a game", change) for change in effect.lengths),
            *(
                make_row(f"effect of the seat of player {int(change.of) + 1}", change)
                for change in effect.seats
            ),
        ),
        f"Ranges are 95 % intervals; n = {format_count(effect.blocks, 'block')} of "
        f"{format_count(effect.games_per_block, 'game')} under each ruleset.",
    )
