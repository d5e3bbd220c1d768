"""Two rulesets that are being played: how far it is, and what is known so far, until all is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import source
from dashboard.live import live
from dashboard.rules_effect.report import report
from pipelines.rules_effect import rules_effect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dashboard.live import Live
    from engine.ruleset import Ruleset
    from pipelines.rules_effect import RulesEffect

LOOK_EVERY: Final = 0.5
"""Seconds."""


def under_way(ruleset: Ruleset, other: Ruleset, lineup: list[str], blocks: int, seed: int) -> None:
    """Play both, and show what is known so far until all is."""

    def answers(stopped: Callable[[], bool]) -> Iterator[RulesEffect]:
        return rules_effect(ruleset, other, lineup, blocks=blocks, seed=seed, stopped=stopped)

    question = (ruleset.sha256, other.sha256, tuple(lineup), blocks, seed)
    work: Live[RulesEffect] = live(st.session_state, "rules-effect-work", question, answers)
    work.wait(0.3)

    @st.fragment(run_every=None if work.is_over else LOOK_EVERY)
    def result() -> None:
        if work.error:
            st.error(source.escaped(str(work.error)))
            return
        found = work.latest
        if found is None:
            st.progress(
                0.0,
                "The first games are being played … (the first time a game is compiled, which takes a while)",
            )
            return
        if not work.is_over:
            bar, stop = st.columns([6, 1], vertical_alignment="center")
            bar.progress(found.blocks / blocks, f"{found.blocks:,} of {blocks:,} blocks of each ruleset")
            stop.button("Stop", on_click=work.stop, key="rules-effect-stop")
        report(found, is_whole=work.is_over, is_early=work.was_stopped and found.blocks < blocks)
        if work.is_over and st.session_state.get("rules-effect-shown") != id(work):
            st.session_state["rules-effect-shown"] = id(work)
            st.rerun()

    result()
