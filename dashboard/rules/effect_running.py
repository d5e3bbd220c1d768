"""Two rulesets that are being played: how far it is, and what is known so far, until all is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.rules.effect_report import details, headline
from dashboard.widgets.background_work import live
from dashboard.widgets.follow_work import follow
from pipelines.experiments.rules_effect import rules_effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.widgets.background_work import Live
    from engine.ruleset import Ruleset
    from pipelines.experiments.rules_effect import RulesEffect


def under_way(ruleset: Ruleset, other: Ruleset, lineup: list[str], blocks: int, seed: int) -> None:
    """Play both, and show what is known so far until all is."""

    def answers(stopped: Callable[[], bool]) -> Iterator[RulesEffect]:
        return rules_effect(ruleset, other, lineup, blocks=blocks, seed=seed, stopped=stopped)

    question = (ruleset.sha256, other.sha256, tuple(lineup), blocks, seed)
    work: Live[RulesEffect] = live(st.session_state, "rules-effect-work", question, answers)
    work.wait(0.3)

    def is_early(found: RulesEffect) -> bool:
        return work.was_stopped and found.blocks < blocks

    follow(
        work,
        at_first="The first games are being played … (the first time a game is compiled, which takes a while)",
        headline=lambda found: headline(found, is_early=is_early(found)),
        progress=lambda found: (
            found.blocks / blocks,
            f"{found.blocks:,} of {blocks:,} blocks of each ruleset",
        ),
        details=lambda found: details(found, is_whole=work.is_over),
    )
