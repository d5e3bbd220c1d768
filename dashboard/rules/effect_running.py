"""The games of two rulesets in progress, and the answer so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.rules.effect_report import show_effect_details, show_effect_headline
from dashboard.widgets.background_work import find_or_start_work, show_work_progress
from pipelines.experiments.rules_effect import play_rules_effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.widgets.background_work import BackgroundWork
    from engine.ruleset import Ruleset
    from pipelines.experiments.rules_effect import RulesEffect


def show_running_effect(ruleset: Ruleset, other: Ruleset, lineup: list[str], blocks: int, seed: int) -> None:
    """Play both rulesets and show the answer while it becomes more precise."""

    def iter_answers(stopped: Callable[[], bool]) -> Iterator[RulesEffect]:
        return play_rules_effect(ruleset, other, lineup, blocks=blocks, seed=seed, stopped=stopped)

    question = (ruleset.sha256, other.sha256, tuple(lineup), blocks, seed)
    work: BackgroundWork[RulesEffect] = find_or_start_work(
        st.session_state, "rules-effect-work", question, iter_answers
    )
    work.wait(0.3)

    def was_stopped_early(effect: RulesEffect) -> bool:
        return work.was_stopped and effect.blocks < blocks

    show_work_progress(
        work,
        at_first="Playing the first games … (the first time, the game is compiled, which takes a while)",
        headline=lambda effect: show_effect_headline(effect, is_early=was_stopped_early(effect)),
        progress=lambda effect: (
            effect.blocks / blocks,
            f"{effect.blocks:,} of {blocks:,} blocks of each ruleset",
        ),
        details=lambda effect: show_effect_details(effect, is_whole=work.is_over),
    )
