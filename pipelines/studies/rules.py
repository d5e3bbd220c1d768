"""Sections of a study on rules: a ruleset with its options, its card, and the effect of a rule; the last two are played again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.questions.card.answer import answer_card
from pipelines.questions.rule_effect.answer import answer_rule_effect
from pipelines.questions.rule_effect.question import find_named_ruleset
from pipelines.report.charts.rule_effect import score_change_chart, score_distribution_chart
from pipelines.report.sentences.card import describe_card, write_card_basis
from pipelines.report.sentences.rule_effect import (
    list_effect_consequences,
    rules_effect_sentence,
    write_effect_basis,
    write_pairing,
)
from pipelines.report.sheet import Fact, Part, Sheet
from pipelines.report.tables.card import list_card_tables, tabulate_definitions
from pipelines.report.tables.rule_effect import changes_table
from pipelines.report.tables.rulebook import tabulate_settings
from pipelines.report.wording import format_count, title_rulesets
from pipelines.studies.ruleset import describe_ruleset

if TYPE_CHECKING:
    from pipelines.questions.card.question import CardQuestion
    from pipelines.questions.rule_effect.question import RuleEffectQuestion, RulesQuestion
    from pipelines.studies.sources import StudySource


def describe_rules(source: StudySource, question: RulesQuestion) -> Sheet:
    """Return the sheet of a ruleset with its options, or beside other rulesets. Raises InvalidError if there is no such ruleset."""
    ruleset = find_named_ruleset(source.rulesets, question.ruleset)
    problems = question.find_problems(ruleset, source.rulesets)
    known = {name: one for name, one in source.rulesets.items() if one.game == ruleset.game}
    beside = [known[name] for name in question.beside if name in known]
    sheet = describe_ruleset(ruleset)
    if beside:
        sheet = replace(sheet, parts=(Part("settings", tabulate_settings([ruleset, *beside])),))
    return replace(sheet, warnings=tuple(problems))


def describe_card_section(source: StudySource, question: CardQuestion) -> Sheet:
    """Return the sheet of the card of a ruleset. Raises InvalidError for an impossible question."""
    answer = answer_card(question, source.rulesets)
    return Sheet(
        kind="card",
        title=question.title,
        verdict=describe_card(answer),
        basis=write_card_basis(answer),
        parts=(
            *(Part(f"card-{at}", table) for at, table in enumerate(list_card_tables(answer))),
            Part("definitions", tabulate_definitions()),
        ),
        facts=(
            Fact("Ruleset", f"{answer.ruleset.name}, SHA-256 {answer.ruleset.sha256}"),
            Fact("Seed", str(question.seed)),
        ),
        commands=(question.command,),
    )


def describe_rule_effect(source: StudySource, question: RuleEffectQuestion) -> Sheet:
    """Return the sheet of what a rule changes. Raises InvalidError for an impossible question."""
    effect = answer_rule_effect(question, source.library.catalogue).effect
    a, b = effect.a.design.rules, effect.b.design.rules
    looks = source.find_looks(effect.strategies)
    changes, scores = (
        score_change_chart(effect, looks),
        score_distribution_chart(effect, effect.strategies[0]),
    )
    return Sheet(
        kind="effect of a rule",
        title=" against ".join(title_rulesets(a, b)),
        verdict=rules_effect_sentence(effect),
        consequences=tuple(list_effect_consequences(effect)),
        basis=f"{write_effect_basis(effect)} {write_pairing(effect)}",
        parts=(
            Part("changes", changes, caption=f"95 % intervals; {format_count(effect.blocks, 'block')}."),
            Part(
                "scores",
                scores,
                caption="The share of the results with each score. 95 % intervals of the means count blocks.",
            ),
            Part("measures", changes_table(effect)),
        ),
        facts=(
            *(Fact("Ruleset", f"{ruleset.name}, SHA-256 {ruleset.sha256}") for ruleset in (a, b)),
            Fact("Seed", str(question.seed)),
        ),
        commands=(question.command,),
    )
