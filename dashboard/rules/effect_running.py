"""The games of two rulesets in progress, and the answer so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.rules.effect_report import show_effect_details, show_effect_headline
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from dashboard.widgets.keep.shown_answer import RULE_EFFECT_SLOT
from pipelines.questions.rule_effect.answer import iter_rule_effect_answers
from pipelines.report.wording import format_count

if TYPE_CHECKING:
    from dashboard.widgets.background_work import BackgroundWork
    from engine.catalogue import Catalogue
    from pipelines.questions.rule_effect.answer import RuleEffectAnswer
    from pipelines.questions.rule_effect.question import RuleEffectQuestion


def show_running_effect(question: RuleEffectQuestion, catalogue: Catalogue) -> None:
    """Play both rulesets and show the answer while it becomes more precise."""
    versions = tuple(catalogue.rulesets[name].sha256 for name in (question.ruleset, question.against))
    work: BackgroundWork[RuleEffectAnswer] = find_or_start_work(
        st.session_state,
        RULE_EFFECT_SLOT,
        (question, versions),
        lambda stopped: iter_rule_effect_answers(question, catalogue, stopped=stopped),
    )
    work.wait(0.3)

    def was_stopped_early(answer: RuleEffectAnswer) -> bool:
        return work.was_stopped and answer.effect.blocks < question.blocks

    show_work_progress(
        work,
        at_first="Playing the first games … (the first time, the game is compiled, which takes a while)",
        headline=lambda answer: show_effect_headline(answer.effect, is_early=was_stopped_early(answer)),
        progress=lambda answer: (
            answer.effect.blocks / question.blocks,
            f"{answer.effect.blocks:,} of {format_count(question.blocks, 'block')} of each ruleset",
        ),
        details=lambda answer: show_effect_details(answer.effect, is_whole=work.is_over),
    )
