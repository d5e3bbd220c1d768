"""The menu of rulesets on the page Scores: a row for each title, with a button for each number of players."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.scores.filters import MAX_SHOWN_VALUES, ask_several, limit_values
from dashboard.widgets.markdown import escape_markdown
from engine import games
from pipelines.design.titles import format_ruleset
from pipelines.questions.scores.question import MAX_RULESETS
from pipelines.report import wording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pipelines.questions.scores.scope import PlayedRuleset


def ask_rulesets(
    played: Mapping[str, PlayedRuleset], chosen: Sequence[str], choose: Callable[[tuple[str, ...]], None]
) -> None:
    """Show the rulesets that were played, game by game; `choose` takes the labels of those that are chosen."""
    rows = _group_by_title(played.values())
    asked = f"up to {MAX_RULESETS}"
    if len(rows) > MAX_SHOWN_VALUES:
        titles = {
            label: f"{format_ruleset(played[label])} · {label}"
            for labels in rows.values()
            for label in labels
        }
        ask_several("Rulesets", "rulesets", titles, chosen, asked, MAX_RULESETS, choose)
        return

    def write_labels() -> None:
        shown = [label for title in rows for label in st.session_state[_row_key(title)]]
        kept = [label for label in chosen if label in shown]
        choose(limit_values((*kept, *(label for label in shown if label not in kept)), MAX_RULESETS))

    with st.container(key="ruleset-rows", gap="xsmall"):
        st.caption(f"Rulesets · {asked}")
        for title, labels in rows.items():
            st.session_state[_row_key(title)] = [label for label in labels if label in chosen]
            with st.container(key=f"row-{_row_key(title)}", horizontal=True, vertical_alignment="center"):
                st.markdown(escape_markdown(title), width=210)
                st.pills(
                    title,
                    labels,
                    selection_mode="multi",
                    format_func=lambda label: escape_markdown(_name_button(played[label])),
                    key=_row_key(title),
                    on_change=write_labels,
                    label_visibility="collapsed",
                    wrap=True,
                    width="stretch",
                )


def _group_by_title(rulesets: Iterable[PlayedRuleset]) -> dict[str, list[str]]:
    """Return the labels of rulesets by title, in the order of all lists."""
    rows: dict[str, list[str]] = {}
    for one in sorted(rulesets, key=lambda one: (games.list_order(one.game), one.title, one.label)):
        rows.setdefault(one.title, []).append(one.label)
    return rows


def _name_button(ruleset: PlayedRuleset) -> str:
    """Return the label of a ruleset, and its number of players unless the label ends with it, as `bloxx-2p` does."""
    if f"-{ruleset.players}p" in ruleset.label:
        return ruleset.label
    return f"{ruleset.label} · {wording.format_count(ruleset.players, 'player')}"


def _row_key(title: str) -> str:
    return f"rulesets-{title}"
