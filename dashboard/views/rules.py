"""What is played? Each game's rules by number, its rulesets side by side, what a rule changes, and rulesets of one's own.

The address is what is open: `?ruleset=…&part=…`, and what that part asks (`with`, `against`, `draft` and so on).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.replay.component import show_printed_components
from dashboard.rules import ruleset_editor
from dashboard.rules.rulebook import (
    RULEBOOK_STYLE,
    clauses_table,
    differing_settings,
    format_key,
    options_table,
    provenance_table,
    side_by_side_table,
)
from dashboard.widgets import words
from dashboard.widgets.address import set_address
from engine import games
from engine.clauses import read_clauses

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

PAGE_PARTS: Final = {
    "rules": "The rules",
    "side-by-side": "Rulesets side by side",
    "effect": "What a rule changes",
    "own": "Make your own",
}
MAX_COLUMNS: Final = 6

library = cached.dashboard_library()
catalogue = library.catalogue
rulesets = catalogue.rulesets


def read_ruleset_and_part() -> tuple[str, str]:
    """Read which ruleset and which part is open; what was played last if the address does not say."""
    name = st.query_params.get("ruleset", "")
    if name not in rulesets:
        if name:
            st.warning(cached.escape_markdown(f"There is no ruleset {name} here."))
        last = [ruleset.name for run in cached.all_runs()[:1] for ruleset in run.summary.rulesets]
        name = next((one for one in last if one in rulesets), next(iter(rulesets)))
    part = st.query_params.get("part", "")
    return name, part if part in PAGE_PARTS else "rules"


def ask_ruleset_and_part(name: str, part: str) -> None:
    """Offer the games, their rulesets, and the parts of this page."""
    titles = {one.game: games.find_game(one.game).title for one in rulesets.values()}
    ruleset = rulesets[name]
    st.session_state["rules-game"], st.session_state["rules-part"] = ruleset.game, part
    st.session_state["rules-ruleset"] = name
    which, what = st.columns([3, 2], vertical_alignment="bottom")
    which.segmented_control(
        "Game",
        list(titles),
        format_func=titles.__getitem__,
        key="rules-game",
        required=True,
        on_change=lambda: set_address(ruleset=first_ruleset_name(st.session_state["rules-game"]), part=part),
    )
    what.selectbox(
        "Ruleset",
        [one for one, other in rulesets.items() if other.game == ruleset.game],
        key="rules-ruleset",
        format_func=lambda one: f"{rulesets[one].title} · {one}",
        on_change=lambda: set_address(ruleset=st.session_state["rules-ruleset"], part=part),
    )
    st.segmented_control(
        "Part",
        list(PAGE_PARTS),
        format_func=PAGE_PARTS.__getitem__,
        key="rules-part",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: set_address(ruleset=name, part=st.session_state["rules-part"]),
    )


def first_ruleset_name(game: str) -> str:
    """Return the ruleset with which a game is opened."""
    return next(one for one, ruleset in rulesets.items() if ruleset.game == game)


def show_rules(ruleset: Ruleset) -> None:
    """Show the rules, what is printed, and where it comes from."""
    try:
        found = read_clauses(ruleset.game)
    except FileNotFoundError:
        found = None
    if found:
        st.markdown(cached.escape_markdown(found.short))
        st.caption(cached.escape_markdown(found.heading))
    show_played_games(ruleset)
    st.header("Board and dice")
    show_printed_components(*cached.printed_components(ruleset), key=f"printed-{ruleset.sha256}")
    made_up = cached.list_reconstructed_tables(ruleset)
    if made_up:
        st.caption(
            f"Not known from the rulebook: {', '.join(made_up)}. These are our reconstruction; if you own the game, "
            "make your own ruleset with the real ones."
        )
    left, right = st.columns([3, 2])
    with left:
        st.header("What this ruleset settles")
        st.html(RULEBOOK_STYLE + options_table(ruleset))
    with right:
        st.header("How sure are the tables?")
        st.html(RULEBOOK_STYLE + provenance_table(ruleset))
    if found:
        st.header("The rules by number")
        st.caption(
            "In our own words. book: stated by the rulebook. ruling: the book is silent or ambiguous, and this is how it is "
            "settled here. table: printed as a picture that could not be had, so reconstructed."
        )
        st.html(RULEBOOK_STYLE + clauses_table(found.clauses))


def show_played_games(ruleset: Ruleset) -> None:
    """Say how often it has been played, and lead there."""
    runs = [
        run for run in cached.all_runs() if any(one.sha256 == ruleset.sha256 for one in run.summary.rulesets)
    ]
    with st.container(horizontal=True, vertical_alignment="center"):
        if runs:
            total = sum(run.summary.games for run in runs)
            st.markdown(
                f"{words.format_count(total, 'game')} in {words.format_count(len(runs), 'run')} by these rules."
            )
            st.page_link("views/scores.py", label="Scores", query_params={"rulesets": ruleset.name})
        else:
            st.markdown("Nobody has played by these rules yet.")
            st.page_link("views/library.py", label="Play some games")


def show_side_by_side(ruleset: Ruleset) -> None:
    """Show rulesets of a game as columns."""
    others = [one for one in rulesets.values() if one.game == ruleset.game and one.name != ruleset.name]
    likely = [one.name for one in others if one.players == ruleset.players][: MAX_COLUMNS - 1]
    asked = [one for one in st.query_params.get_all("with") if one in rulesets]
    st.session_state["rules-with"] = (
        [one for one in asked if one in {other.name for other in others}][: MAX_COLUMNS - 1]
        if "with" in st.query_params
        else likely
    )
    chosen = st.multiselect(
        f"Beside {ruleset.name}",
        [one.name for one in others],
        key="rules-with",
        max_selections=MAX_COLUMNS - 1,
        format_func=lambda one: f"{rulesets[one].title} · {one}",
        on_change=lambda: st.query_params.from_dict(
            {"ruleset": ruleset.name, "part": "side-by-side", "with": st.session_state["rules-with"] or [""]}
        ),
    )
    columns = [ruleset, *(rulesets[one] for one in chosen)]
    for name, keys in differing_settings(columns).items():
        said = ", ".join(format_key(key.partition(".")[2]) for key in keys)
        st.markdown(
            cached.escape_markdown(
                f"{name} differs from {ruleset.name} in {said}."
                if keys
                else f"{name} is the same as {ruleset.name}."
            )
        )
    st.html(RULEBOOK_STYLE + side_by_side_table(columns))
    show_differing_boards(columns)


def show_differing_boards(columns: list[Ruleset]) -> None:
    """Draw the boards that differ."""
    different: dict[str, Ruleset] = {}
    for one in columns:
        scene, _ = cached.printed_components(one)
        different.setdefault(str(scene["boards"][0] | {"name": ""}), one)
    if len(different) < 2:
        return
    st.header("Their boards")
    for column, one in zip(
        st.columns(min(3, len(different))) * len(different), different.values(), strict=False
    ):
        with column:
            st.markdown(f"**{cached.escape_markdown(one.name)}**")
            show_printed_components(
                {**cached.printed_components(one)[0], "trays": []}, [], key=f"beside-{one.sha256}"
            )


st.title("What is played?")
for error in catalogue.file_errors.values():
    st.warning(cached.escape_markdown(str(error)))
name, part = read_ruleset_and_part()
ask_ruleset_and_part(name, part)
if part == "rules":
    show_rules(rulesets[name])
elif part == "side-by-side":
    show_side_by_side(rulesets[name])
elif part == "effect":
    from dashboard.rules.effect_question import (
        ask_rules_effect,  # charts take time that reading rules need not pay
    )

    ask_rules_effect(rulesets, rulesets[name])
else:
    ruleset_editor.show_ruleset_editor(library, name)
