"""The button that saves a ruleset of one's own, and what can be done with the ruleset that was saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets import verbatim
from dashboard.widgets.address import write_page_question
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.started_runs import started_runs
from engine import games, strategies
from engine.counted_nouns import capitalise
from engine.errors import GameError
from pipelines.questions.lineups import suggest_lineup
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.report import wording
from pipelines.report.ruleset_words import describe_difference
from pipelines.runs.ruleset_drafts import is_draft_file, save_draft
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipelines.runs.library import Library
    from pipelines.runs.ruleset_drafts import RulesetDraft

_SAVED_NAMES_SLOT: Final = "make-saved-names"
"""The session state keeps here the rulesets of the file that was saved last."""
DEFAULT_GAMES: Final = 300


def show_ruleset_file(draft: RulesetDraft, complaints: dict[str, str]) -> None:
    """Show what saving means, and the text of the file."""
    st.caption(
        "Tables that you change are marked as *own*; the others keep their origin. All pages and `reroll simulate` find the "
        "ruleset once it is saved."
    )
    if not complaints:
        with st.expander("The file"):
            verbatim.show_verbatim(draft.file_text)


def show_save_bar(library: Library, draft: RulesetDraft, complaints: dict[str, str]) -> None:
    """Say what the draft changes, with the button that saves it, and show the ruleset saved last."""
    path = library.folder / "rulesets" / f"{draft.name}.toml"
    replaces = False
    with st.container(horizontal=True, vertical_alignment="center", key="make-save-row"):
        st.markdown(describe_draft(draft, complaints))
        if not complaints and path.exists() and is_draft_file(path):
            replaces = st.checkbox(f"Replace my ruleset {draft.name}", key="make-replace")
        is_pressed = st.button(
            "Save this ruleset", type="primary", key="make-save", disabled=bool(complaints)
        )
    if is_pressed:
        try:
            save_draft(library, draft, replace=replaces)
        except GameError as error:
            st.error(escape_markdown(f"{capitalise(str(error))}."))
        except OSError as error:
            st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        else:
            st.session_state["make-saved"] = (draft.name, draft.ruleset_names, draft.base.game)
            st.session_state[_SAVED_NAMES_SLOT] = draft.ruleset_names
            st.rerun()
    show_saved_ruleset(library, draft.base.name)


def describe_draft(draft: RulesetDraft, complaints: dict[str, str]) -> str:
    """Return what a draft changes for players in words, or how many errors it has, as Markdown."""
    if complaints:
        return f"Fix {wording.format_count(len(complaints), 'error')}, marked with ⚠, to save the ruleset."
    changes = describe_difference(draft.base, draft.ruleset)
    return f"**You change:** {escape_markdown(changes)}." if changes else "You change nothing yet."


def last_saved_rulesets() -> Sequence[str]:
    """Return the names of the rulesets that were saved last in this session, one for each number of players."""
    names: Sequence[str] = st.session_state.get(_SAVED_NAMES_SLOT, ())
    return names


def show_saved_ruleset(library: Library, base: str) -> None:
    """Show which ruleset was saved last in this session, with buttons for what can be done with it."""
    saved = st.session_state.get("make-saved")
    if not saved:
        return
    file, names, game = saved
    with st.container(horizontal=True, vertical_alignment="center"):
        word = "Ruleset" if len(names) == 1 else "Rulesets"
        held = "" if [file] == list(names) else f" {word}: {escape_markdown(', '.join(names))}."
        st.markdown(f"**Saved as {escape_markdown(file)}.**{held}")
        if st.button(f"Simulate {DEFAULT_GAMES} games", key="make-play"):
            start_simulation(library, names[0])
        rules = RulesQuestion(ruleset=names[0])
        st.button("Show its rules", key="make-see", on_click=write_page_question, args=(rules,))
        ruleset = library.catalogue.rulesets.get(names[0])
        if ruleset and ruleset.players == library.catalogue.rulesets[base].players:
            offered = strategies.built_in_strategies(games.find_game(game))
            lineup = ",".join(suggest_lineup(ruleset, next(iter(offered))))
            effect = RuleEffectQuestion(ruleset=base, against=names[0], lineup=lineup)
            label = f"Compare with {base}"
            st.button(label, key="make-effect", on_click=write_page_question, args=(effect,))


def start_simulation(library: Library, ruleset: str) -> None:
    """Start a simulation of a ruleset, and open the library."""
    lineup = suggest_lineup(library.catalogue.find_ruleset(ruleset))
    try:
        job = jobs.start_simulation(library, ruleset, lineup, games=DEFAULT_GAMES)
    except OSError as error:
        st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        return
    started_runs().append(job.name)
    st.session_state.pop("make-saved", None)
    st.switch_page("views/library.py")
