"""What is played? Each game's rules by number, its rulesets side by side, what a rule changes, and rulesets of one's own.

The address is what is open: `?ruleset=…&part=…`, and what that part asks (`with`, `against`, `draft` and so on).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.queries import cached
from dashboard.replay.component import printed
from dashboard.rules import ruleset_editor
from dashboard.rules.rulebook import (
    STYLE,
    clauses_table,
    differing,
    named,
    options_table,
    provenance_table,
    side_by_side,
)
from dashboard.widgets import words
from dashboard.widgets.address import turn_to
from engine import games
from engine.clauses import clauses

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

PARTS: Final = {
    "rules": "The rules",
    "side-by-side": "Rulesets side by side",
    "effect": "What a rule changes",
    "own": "Make your own",
}
MOST_COLUMNS: Final = 6

library = cached.library()
catalogue = library.catalogue
rulesets = catalogue.rulesets


def from_address() -> tuple[str, str]:
    """Read which ruleset and which part is open; what was played last if the address does not say."""
    name = st.query_params.get("ruleset", "")
    if name not in rulesets:
        if name:
            st.warning(cached.escaped(f"There is no ruleset {name} here."))
        last = [ruleset.name for run in cached.runs()[:1] for ruleset in run.summary.rulesets]
        name = next((one for one in last if one in rulesets), next(iter(rulesets)))
    part = st.query_params.get("part", "")
    return name, part if part in PARTS else "rules"


def choose(name: str, part: str) -> None:
    """Offer the games, their rulesets, and the parts of this page."""
    titles = {one.game: games.game(one.game).title for one in rulesets.values()}
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
        on_change=lambda: turn_to(ruleset=first_of(st.session_state["rules-game"]), part=part),
    )
    what.selectbox(
        "Ruleset",
        [one for one, other in rulesets.items() if other.game == ruleset.game],
        key="rules-ruleset",
        format_func=lambda one: f"{rulesets[one].title} · {one}",
        on_change=lambda: turn_to(ruleset=st.session_state["rules-ruleset"], part=part),
    )
    st.segmented_control(
        "Part",
        list(PARTS),
        format_func=PARTS.__getitem__,
        key="rules-part",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: turn_to(ruleset=name, part=st.session_state["rules-part"]),
    )


def first_of(game: str) -> str:
    """Return the ruleset with which a game is opened."""
    return next(one for one, ruleset in rulesets.items() if ruleset.game == game)


def reading(ruleset: Ruleset) -> None:
    """Show the rules, what is printed, and where it comes from."""
    try:
        found = clauses(ruleset.game)
    except FileNotFoundError:
        found = None
    if found:
        st.markdown(cached.escaped(found.short))
        st.caption(cached.escaped(found.heading))
    played(ruleset)
    st.header("Board and dice")
    printed(*cached.printed(ruleset), key=f"printed-{ruleset.sha256}")
    made_up = cached.reconstructed(ruleset)
    if made_up:
        st.caption(
            f"Not known from the rulebook: {', '.join(made_up)}. These are our reconstruction; if you own the game, "
            "make your own ruleset with the real ones."
        )
    left, right = st.columns([3, 2])
    with left:
        st.header("What this ruleset settles")
        st.html(STYLE + options_table(ruleset))
    with right:
        st.header("How sure are the tables?")
        st.html(STYLE + provenance_table(ruleset))
    if found:
        st.header("The rules by number")
        st.caption(
            "In our own words. book: stated by the rulebook. ruling: the book is silent or ambiguous, and this is how it is "
            "settled here. table: printed as a picture that could not be had, so reconstructed."
        )
        st.html(STYLE + clauses_table(found.clauses))


def played(ruleset: Ruleset) -> None:
    """Say how often it has been played, and lead there."""
    runs = [run for run in cached.runs() if any(one.sha256 == ruleset.sha256 for one in run.summary.rulesets)]
    with st.container(horizontal=True, vertical_alignment="center"):
        if runs:
            total = sum(run.summary.games for run in runs)
            st.markdown(
                f"{words.counted(total, 'game')} in {words.counted(len(runs), 'run')} by these rules."
            )
            st.page_link("views/scores.py", label="Scores", query_params={"rulesets": ruleset.name})
        else:
            st.markdown("Nothing has been played yet by these rules.")
            st.page_link("views/library.py", label="Play some games")


def comparing(ruleset: Ruleset) -> None:
    """Show rulesets of a game as columns."""
    others = [one for one in rulesets.values() if one.game == ruleset.game and one.name != ruleset.name]
    likely = [one.name for one in others if one.players == ruleset.players][: MOST_COLUMNS - 1]
    asked = [one for one in st.query_params.get_all("with") if one in rulesets]
    st.session_state["rules-with"] = (
        [one for one in asked if one in {other.name for other in others}][: MOST_COLUMNS - 1]
        if "with" in st.query_params
        else likely
    )
    chosen = st.multiselect(
        f"Beside {ruleset.name}",
        [one.name for one in others],
        key="rules-with",
        max_selections=MOST_COLUMNS - 1,
        format_func=lambda one: f"{rulesets[one].title} · {one}",
        on_change=lambda: st.query_params.from_dict(
            {"ruleset": ruleset.name, "part": "side-by-side", "with": st.session_state["rules-with"] or [""]}
        ),
    )
    columns = [ruleset, *(rulesets[one] for one in chosen)]
    for name, keys in differing(columns).items():
        said = ", ".join(named(key.partition(".")[2]) for key in keys)
        st.markdown(
            cached.escaped(
                f"{name} differs from {ruleset.name} in {said}."
                if keys
                else f"{name} is the same as {ruleset.name}."
            )
        )
    st.html(STYLE + side_by_side(columns))
    drawings(columns)


def drawings(columns: list[Ruleset]) -> None:
    """Draw the boards that differ."""
    different: dict[str, Ruleset] = {}
    for one in columns:
        scene, _ = cached.printed(one)
        different.setdefault(str(scene["boards"][0] | {"name": ""}), one)
    if len(different) < 2:
        return
    st.header("Their boards")
    for column, one in zip(
        st.columns(min(3, len(different))) * len(different), different.values(), strict=False
    ):
        with column:
            st.markdown(f"**{cached.escaped(one.name)}**")
            printed({**cached.printed(one)[0], "trays": []}, [], key=f"beside-{one.sha256}")


st.title("What is played?")
for error in catalogue.broken.values():
    st.warning(cached.escaped(str(error)))
name, part = from_address()
choose(name, part)
if part == "rules":
    reading(rulesets[name])
elif part == "side-by-side":
    comparing(rulesets[name])
elif part == "effect":
    from dashboard.rules.effect_question import ask  # charts take time that reading rules need not pay

    ask(rulesets, rulesets[name])
else:
    ruleset_editor.make(library, name)
