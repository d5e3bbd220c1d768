"""What the answer says that a page has played and shows. It is lost when the page closes, so a note of it takes the sentence along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from pipelines.panel.requests import WORK_SLOT
from pipelines.questions.every_question import read_question
from pipelines.questions.rule_effect.answer import RuleEffectAnswer
from pipelines.report.compose import compose
from pipelines.report.estimates import set_sentence
from pipelines.report.sentences.rule_effect import rules_effect_sentence

if TYPE_CHECKING:
    from pipelines.notes.note import NotePlace

MANY_GAMES_SLOT: Final = "whatif-many"
RULE_EFFECT_SLOT: Final = "rules-effect-work"


def write_shown_answer(place: NotePlace) -> str:
    """Return the sentence of the answer that this session has played for a place; empty for others and until it is complete."""
    question = read_question(place.page, place.address).question
    for slot in (WORK_SLOT, MANY_GAMES_SLOT, RULE_EFFECT_SLOT):
        _, work = st.session_state.get(slot, (None, None))
        if (
            work
            and work.is_over
            and not work.was_stopped
            and work.latest
            and work.latest.question == question
        ):
            if isinstance(work.latest, RuleEffectAnswer):
                return set_sentence(rules_effect_sentence(work.latest.effect))
            return set_sentence(compose(work.latest, cached.strategy_looks).verdict)
    return ""
