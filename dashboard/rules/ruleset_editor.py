"""The part of the page Rules that makes a ruleset of one's own: a form, what is wrong beside each field, a live drawing.

The draft lives in the address (`&draft=…`: what differs from the ruleset it began with), so a link or a reload keeps it.
"""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard.library.running import started_runs
from dashboard.queries import cached
from dashboard.replay.component import show_printed_components
from dashboard.rules.rulebook import format_key
from dashboard.rules.ruleset_form import player_counts, ruleset_fields, with_value
from dashboard.widgets import verbatim
from dashboard.widgets.address import set_address
from engine import games, strategies
from engine.errors import GameError, InvalidError
from pipelines.runs.ruleset_drafts import RulesetDraft, find_base_ruleset, is_draft_file, save_draft
from pipelines.service import jobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamlit.delta_generator import DeltaGenerator

    from dashboard.rules.ruleset_form import RulesetField
    from pipelines.runs.library import Library

MAX_DRAFT_CHARACTERS: Final = 6000
"""Characters of a draft in the address: browsers and servers take that much."""
DEFAULT_GAMES: Final = 300
TEXT_ROW_PX: Final = 22
"""Pixels of a line in a text field."""
SHORT_FIELD_KINDS: Final = frozenset({"choice", "number", "switch"})
"""Kinds of fields that stand beside each other."""
FIELDS_PER_ROW: Final = 3
EDITOR_STYLE: Final = """<style>
.st-key-make-form textarea { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 0.85rem; }
[data-testid="stColumn"]:has(.st-key-make-drawing) > div { position: sticky; top: 4rem; }
</style>"""


def show_ruleset_editor(library: Library, name: str) -> None:
    """Ask what is to be different from a ruleset, show it, and save it."""
    base, parent = find_base_ruleset(library.catalogue, name)
    game = games.find_game(base.game)
    given = read_address_draft()
    st.markdown(
        f"Begin with **{cached.escape_markdown(base.title)}** and change what you like. The drawing follows; what is changed is marked "
        "as *own*, the rest keeps its origin. The file goes into your data folder, where every page and `reroll simulate` find it."
    )
    st.html(EDITOR_STYLE)
    form, drawing = st.columns(2, gap="large")
    slots: dict[str, DeltaGenerator] = {}
    unread: dict[str, str] = {}
    with form, st.container(key="make-form"):
        title, file = ask_names(base.name, base.title, parent, given, slots)
        allowed = player_counts(type(base))
        counts = st.pills(
            "Players",
            allowed,
            selection_mode="multi",
            default=[one for one in given.get("players", [base.players]) if one in allowed] or [base.players],
            key=f"make-players-{name}",
        )
        slots["players"] = st.empty()
        document: dict[str, Any] = {"options": base.document["options"], "tables": base.document["tables"]}
        changes = {
            part: given.get(part) for part in ("options", "tables") if isinstance(given.get(part), dict)
        }
        for place, field in iter_placed_fields(ruleset_fields(type(base)), slots):
            with place:
                value, told = ask_field(field, name, base.document, changes)
                slots[field.key] = st.empty()
            if told:
                unread[field.key] = told
            else:
                document = with_value(document, field.key, value)
    draft = RulesetDraft(
        base, parent, file, title, tuple(sorted(counts)), document["options"], document["tables"]
    )
    complaints = {**draft.complaints, **unread}
    for key, message in complaints.items():
        find_slot(key, slots).markdown(f":red[⚠ {cached.escape_markdown(message[0].upper() + message[1:])}]")
    write_address_draft(draft, name)
    with drawing, st.container(key="make-drawing"):
        show_drawing(draft, complaints, name)
        show_save_button(library, draft, complaints, game.name)


def read_address_draft() -> dict[str, Any]:
    """Read the draft; whatever is none counts as not said."""
    try:
        found = json.loads(st.query_params.get("draft", "{}")[:MAX_DRAFT_CHARACTERS])
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or not isinstance(found.get("players", []), list):
        return {}
    return found


def write_address_draft(draft: RulesetDraft, name: str) -> None:
    """Put the draft into the address."""
    said = {"name": draft.name, "title": draft.title, "players": list(draft.players), **draft.changed_parts}
    text = json.dumps(
        {key: value for key, value in said.items() if value}, ensure_ascii=False, separators=(",", ":")
    )
    address = {"ruleset": name, "part": "own"}
    if len(text) <= MAX_DRAFT_CHARACTERS:
        address["draft"] = text
    else:
        st.caption("This draft is too long for the address: save it before you leave the page.")
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)


def ask_names(
    name: str, title: str, parent: str, given: dict[str, Any], slots: dict[str, DeltaGenerator]
) -> tuple[str, str]:
    """Ask what it is to be called."""
    left, right = st.columns(2)
    with left:
        told = st.text_input(
            "Title", str(given.get("title", f"{title}, my way"))[:80], max_chars=80, key=f"make-title-{name}"
        )
        slots["title"] = st.empty()
    with right:
        file = st.text_input(
            "Name",
            str(given.get("name", f"my-{parent}"))[:51],
            max_chars=51,
            key=f"make-name-{name}",
            help="Small letters, digits and -. It names the file and the ruleset in every command.",
        )
        slots["name"] = st.empty()
    return told, file


def iter_placed_fields(
    every: list[RulesetField], slots: dict[str, DeltaGenerator]
) -> Iterator[tuple[DeltaGenerator, RulesetField]]:
    """Give every field its place: under a heading for the options and one for each table, short ones abreast."""
    for head, group in groupby(
        every, lambda one: one.key.split(".")[0 if one.key.startswith("options") else 1]
    ):
        st.header(format_key(head).capitalize())
        slots[head] = st.empty()
        for is_short, some in groupby(group, lambda one: one.kind in SHORT_FIELD_KINDS):
            for row in split_into_rows(list(some), FIELDS_PER_ROW if is_short else 1):
                yield from zip(
                    st.columns(FIELDS_PER_ROW) if is_short else [st.container()], row, strict=False
                )


def split_into_rows(every: list[RulesetField], size: int) -> list[list[RulesetField]]:
    """Return the fields in rows."""
    return [every[first : first + size] for first in range(0, len(every), size)]


def ask_field(
    field: RulesetField, name: str, base: dict[str, Any], changes: dict[str, Any]
) -> tuple[Any, str]:
    """Ask for one field; return its value, or what is wrong with its text."""
    now = field.value_in(base)
    try:
        now = field.value_in({**base, **{part: {**base[part], **own} for part, own in changes.items()}})
        first = field.format_text(now)
    except (AttributeError, KeyError, TypeError, ValueError):  # an address made by hand
        now = field.value_in(base)
        first = field.format_text(now)
    key = f"make-{name}-{field.key}"
    title = field.title.rpartition(": ")[2]
    title = f"{title[:1].upper()}{title[1:]}"
    if field.kind == "choice":
        index = field.choices.index(first) if first in field.choices else 0
        return st.selectbox(title, field.choices, index=index, key=key, help=field.about or None), ""
    if field.kind == "switch":
        return st.toggle(title, bool(now), key=key, help=field.about or None), ""
    if field.kind in {"number", "text"}:
        # A field for numbers would not let a wrong one be typed, nor the rules say what is wrong with it.
        told = st.text_input(title, first, key=key, max_chars=80, help=_format_field_help(field))
    else:
        lines = max(2, min(14, first.count("\n") + 1))
        is_headed = field.key.startswith("tables") and format_key(field.group).capitalize() == title
        if is_headed:
            st.caption(cached.escape_markdown(_format_field_help(field) or ""))
        told = st.text_area(
            title,
            first,
            key=key,
            height=TEXT_ROW_PX * lines + 36,
            help=None if is_headed else _format_field_help(field),
            label_visibility="collapsed" if is_headed else "visible",
        )
    try:
        return field.parse_text(told), ""
    except InvalidError as error:
        return now, str(error)


def _format_field_help(field: RulesetField) -> str | None:
    """Say what a field means and what it takes."""
    takes = {"list": "Separated by spaces or new lines.", "table": "A line each: name = value."}.get(
        field.kind, ""
    )
    bounds = f"{field.low} to {field.high}." if field.low is not None and field.high is not None else ""
    return " ".join(filter(None, (field.about, takes, bounds))) or None


def find_slot(key: str, slots: dict[str, DeltaGenerator]) -> DeltaGenerator:
    """Return the place beside the field that a complaint is about, or the nearest one around it."""
    while key:
        if key in slots:
            return slots[key]
        inner = next((name for name in slots if name.startswith(f"{key}.")), None)
        if inner:
            return slots[inner]
        key = key.rpartition(".")[0]
    return slots["players"]


def show_drawing(draft: RulesetDraft, complaints: dict[str, str], name: str) -> None:
    """Draw the draft, or what it last was when something is wrong."""
    st.header("What it looks like")
    if not complaints:
        st.session_state["make-drawn"] = (name, draft.ruleset)
    held = st.session_state.get("make-drawn")
    if not isinstance(held, tuple) or held[0] != name:
        st.caption("It is drawn as soon as everything fits.")
        return
    if complaints:
        st.caption("Drawn as it last was; mend what is marked with ⚠.")
    show_printed_components(*cached.printed_components(held[1]), key=f"make-print-{name}")


def show_save_button(library: Library, draft: RulesetDraft, complaints: dict[str, str], game: str) -> None:
    """Show the file, and save it."""
    path = library.folder / "rulesets" / f"{draft.name}.toml"
    replaces = False
    if not complaints and path.exists() and is_draft_file(path):
        replaces = st.checkbox(f"Replace my ruleset {draft.name}", key="make-replace")
    if st.button("Save this ruleset", type="primary", key="make-save", disabled=bool(complaints)):
        try:
            save_draft(library, draft, replace=replaces)
        except GameError as error:
            st.error(cached.escape_markdown(f"{str(error)[:1].upper()}{str(error)[1:]}."))
        except OSError as error:
            st.error(cached.escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        else:
            st.session_state["make-saved"] = (draft.name, draft.ruleset_names, game)
            st.rerun()
    show_saved_ruleset(
        library, draft.base.name
    )  # here, as this is where somebody looks who has just pressed the button
    if complaints:
        st.caption(f"{len(complaints)} thing{'s' * (len(complaints) > 1)} to mend before it can be saved.")
        return
    with st.expander("The file"):
        verbatim.show_verbatim(draft.file_text)


def show_saved_ruleset(library: Library, base: str) -> None:
    """Say what has been saved, and where to go with it."""
    held = st.session_state.get("make-saved")
    if not held:
        return
    file, names, game = held
    with st.container(border=True):
        st.markdown(
            f"**{cached.escape_markdown(file)} is saved.** It is played as {cached.escape_markdown(', '.join(names))}."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button(f"Play {DEFAULT_GAMES} games of it", key="make-play"):
                start_simulation(library, names[0], game)
            seen = {"ruleset": names[0], "part": "rules"}
            st.button("See it", key="make-see", on_click=set_address, kwargs=seen)
            same = library.catalogue.rulesets.get(names[0])
            if same and same.players == library.catalogue.rulesets[base].players:
                changed = {"ruleset": base, "part": "effect", "against": names[0]}
                label = f"What it changes against {base}"
                st.button(label, key="make-effect", on_click=set_address, kwargs=changed)


def start_simulation(library: Library, ruleset: str, game: str) -> None:
    """Start a simulation of a ruleset with two kinds of players."""
    known = list(strategies.built_in_strategies(games.find_game(game)))
    seats = library.catalogue.find_ruleset(ruleset).players
    lineup = [known[min(len(known) - 1, 1 if seat < seats - 1 else 0)] for seat in range(seats)]
    try:
        job = jobs.start_simulation(library, ruleset, lineup, games=DEFAULT_GAMES)
    except OSError as error:
        st.error(cached.escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        return
    started_runs().append(job.name)
    st.session_state.pop("make-saved", None)
    st.switch_page("views/library.py")
