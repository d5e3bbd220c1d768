"""The recorded cards of rulesets, side by side or alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.rules.card_scales import show_scales
from dashboard.widgets.markdown import escape_markdown, write_markdown_sentence
from dashboard.widgets.tables import show_report_table
from pipelines.questions.card.measures import CARD_MEASURES, WORTH_KEYS
from pipelines.records.atlas import find_atlas_card
from pipelines.report.sentences.card import describe_atlas, describe_measures
from pipelines.report.tables.atlas import list_atlas_measures, tabulate_atlas
from pipelines.report.tables.card import WORTH_TITLE, tabulate_definitions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.ruleset import Ruleset


def show_recorded_cards(rulesets: Iterable[Ruleset]) -> None:
    """Show the cards of those rulesets that have one in the atlas; nothing if none has."""
    cards = [card for ruleset in rulesets if (card := find_atlas_card(ruleset))]
    if not cards:
        return
    st.header("What kind of game" if len(cards) == 1 else "What kinds of games")
    numbers = list_atlas_measures(cards[0])
    if sentence := describe_atlas(cards) if len(cards) > 1 else describe_measures(numbers):
        st.markdown(write_markdown_sentence(sentence))
    st.caption(
        "Recorded games of programs: greedy had every seat. *Make the card* plays other styles and your own rulesets."
    )
    worths = tabulate_atlas(cards, WORTH_KEYS)
    if len(cards) == 1:
        show_scales(numbers, cards[0].ruleset)
    else:
        show_report_table(tabulate_atlas(cards, [key for key in CARD_MEASURES if key not in WORTH_KEYS]))
    if worths.rows:
        with st.expander(WORTH_TITLE):
            show_report_table(worths)
    if len(cards) > 1:
        show_definitions("recorded-definitions")


def show_definitions(key: str) -> None:
    """Show on request what each measure of a card is."""
    definitions = st.expander("What is measured, and how", key=key, on_change="rerun")
    if definitions.open:
        with definitions:
            for title, unit, definition, source in tabulate_definitions().texts:
                st.markdown(escape_markdown(f"{title} ({unit}): {definition} Source: {source}."))
