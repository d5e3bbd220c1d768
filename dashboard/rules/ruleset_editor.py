"""Make your own: a form with an error below each wrong field, a live drawing, and the button that saves the ruleset.

The draft is part of the address (`&draft=…`: the differences from the base ruleset), so a reload, a link or *Back* restores it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from dashboard import cached
from dashboard.rules.ruleset_form import RulesetField, paint_square, ruleset_fields, with_value
from dashboard.widgets import markdown
from dashboard.widgets.address import read_page_question, read_query, write_page_question
from dashboard.widgets.background_work import started_runs
from dashboard.widgets.components import show_printed_components
from dashboard.widgets.forms import SubmittedForm
from dashboard.widgets.markdown import escape_markdown
from engine import games
from engine.errors import GameError, InvalidError
from engine.ruleset import MAX_TITLE_CHARACTERS, suggest_title
from engine.wording import capitalise
from pipelines.design.titles import name_rulesets
from pipelines.questions.address import write_address
from pipelines.questions.lineups import suggest_lineup
from pipelines.questions.rule_effect import RuleEffectQuestion
from pipelines.questions.rules import RulesQuestion
from pipelines.report import wording
from pipelines.report.ruleset_words import (
    describe_difference,
    find_marks,
    format_setting,
    title_setting,
)
from pipelines.runs.ruleset_drafts import (
    RulesetDraft,
    find_base_ruleset,
    find_free_name,
    is_draft_file,
    save_draft,
)
from pipelines.service import jobs

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from engine.ruleset import Ruleset
    from pipelines.runs.library import Library

FIELD_PREFIX: Final = "make-field-"
"""The keys of all fields of the form, and of nothing else, begin with it."""
DRAFT_FORM: Final = SubmittedForm("make-keys", ("draft",))
_DRAWN_SLOT: Final = "make-drawn-fields"
"""The session state keeps here what the fields held when the page was drawn."""
MAX_DRAFT_CHARACTERS: Final = 6000
"""Maximum length of a draft in the address; browsers and servers accept addresses of this length."""
TEXT_ROW_PX: Final = 22
"""Height of a line in a text field, in pixels."""
SHORT_FIELD_KINDS: Final = frozenset({"number", "switch"})
"""Kinds of fields that share a row."""
FIELDS_PER_ROW: Final = 2
MAX_NUMBER: Final = 10**9
"""Largest number of a draft in the address that a field shows."""


def show_ruleset_editor(library: Library, name: str) -> None:
    """Show a form that changes the ruleset `name`, the errors and a drawing of the draft, and a button that saves it."""
    base, parent = find_base_ruleset(library.catalogue, name)
    st.markdown(f"Start from **{escape_markdown(base.title)}** and change what you like.")
    is_changed = follow_unless_changed()
    form, drawing = st.columns(2, gap="large")
    slots: dict[str, DeltaGenerator] = {}
    with drawing, st.container(key="make-drawing"):
        board, naming = st.container(), st.container()
    with form, st.container(key="make-form"):
        draft, parse_errors = ask_draft(base, parent, slots)
    with naming:
        draft = ask_names(draft, find_free_name(library.catalogue, parent), slots)
    complaints = {**draft.complaints, **parse_errors}
    for key, message in complaints.items():
        find_slot(key, slots).markdown(f":red[⚠ {escape_markdown(capitalise(message))}]")
    if is_changed:
        write_address_draft(draft)
    DRAFT_FORM.keep_fields()
    st.session_state[_DRAWN_SLOT] = read_held_fields()
    with board:
        show_drawing(draft, complaints)
    with naming:
        show_ruleset_file(draft, complaints)
    with st.container(key="make-bar"):
        show_save_bar(library, draft, complaints)


def ask_draft(
    base: Ruleset, parent: str, slots: dict[str, DeltaGenerator]
) -> tuple[RulesetDraft, dict[str, str]]:
    """Show the form; return the draft without its names, and the errors of texts that cannot be parsed, by dotted key.

    Adds to `slots`, by dotted key, an empty element below each field, in which an error can be shown.
    """
    draft_fields = read_page_question(RulesQuestion)[0].draft_document
    document: dict[str, Any] = {"options": base.document["options"], "tables": base.document["tables"]}
    changes = {
        part: draft_fields.get(part)
        for part in ("options", "tables")
        if isinstance(draft_fields.get(part), dict)
    }
    parse_errors: dict[str, str] = {}
    fields = ruleset_fields(type(base))
    slots["options"] = st.empty()
    players = st.container()
    for place, field in (*iter_option_places(fields), *iter_table_places(base, fields, slots)):
        with place:
            value, error = ask_field(field, base, changes)
            slots[field.key] = st.empty()
        if error:
            parse_errors[field.key] = error
        else:
            document = with_value(document, field.key, value)
    with players:
        counts = ask_players(base, draft_fields)
        slots["players"] = st.empty()
    draft = RulesetDraft(base, parent, "", "", tuple(sorted(counts)), document["options"], document["tables"])
    return draft, parse_errors


def ask_players(base: Ruleset, draft_fields: dict[str, Any]) -> list[int]:
    """Ask for which numbers of players the ruleset is."""
    allowed = base.player_counts()
    counts = [count for count in draft_fields.get("players", ()) if count in allowed] or [base.players]
    key = make_field_key(base, "players")
    return st.pills("Players", allowed, selection_mode="multi", default=counts, key=key)


def follow_unless_changed() -> bool:
    """Let the fields start again from the address after a link or *Back*; return whether the visitor has changed a field.

    If so, the fields count: the browser may not have written the last change into the address yet.
    """
    drawn = st.session_state.get(_DRAWN_SLOT, {})
    is_changed = any(value != drawn.get(key, value) for key, value in read_held_fields().items())
    if not is_changed:
        DRAFT_FORM.follow_address()
    return is_changed


def read_held_fields() -> dict[str, Any]:
    """Return what the fields hold, by their keys."""
    return {str(key): value for key, value in st.session_state.items() if str(key).startswith(FIELD_PREFIX)}


def make_field_key(base: Ruleset, name: str) -> str:
    """Return the key of a field, which is another one for each base ruleset, and after a link or *Back*."""
    return DRAFT_FORM.widget_key(f"{FIELD_PREFIX}{base.name}-{name}")


def write_address_draft(draft: RulesetDraft) -> None:
    """Write the draft into the address, without its empty values."""
    title = "" if draft.title == suggest_draft_title(draft) else draft.title
    values = {"name": draft.name, "title": title, "players": list(draft.players), **draft.changed_parts}
    text = json.dumps(
        {key: value for key, value in values.items() if value}, ensure_ascii=False, separators=(",", ":")
    )
    if len(text) > MAX_DRAFT_CHARACTERS:
        text = ""
        st.caption("This draft is too long for the address of the page. Save it before you leave the page.")
    question = RulesQuestion(ruleset=draft.base.name, part="own", draft=text)
    if read_query() != write_address(question):
        write_page_question(question)


def suggest_draft_title(draft: RulesetDraft) -> str:
    """Return the title of a draft to which nobody gives another one."""
    changed = draft.changed_parts
    return suggest_title(draft.base, changed["options"], changed["tables"])


def ask_names(draft: RulesetDraft, free_name: str, slots: dict[str, DeltaGenerator]) -> RulesetDraft:
    """Ask for the title and the name of the new ruleset; return the draft with both. An empty title is the suggested one."""
    draft_fields, base, suggested = (
        read_page_question(RulesQuestion)[0].draft_document,
        draft.base,
        suggest_draft_title(draft),
    )
    left, right = st.columns(2)
    with left:
        title = st.text_input(
            "Title",
            str(draft_fields.get("title", ""))[:MAX_TITLE_CHARACTERS],
            max_chars=MAX_TITLE_CHARACTERS,
            placeholder=f"By default, {suggested}",
            key=make_field_key(base, "title"),
        )
        slots["title"] = st.empty()
    with right:
        file = st.text_input(
            "Name",
            str(draft_fields.get("name", free_name))[:51],
            max_chars=51,
            key=make_field_key(base, "name"),
            help="Small letters, digits and -. The name of the file, and of the ruleset in all commands.",
        )
        slots["name"] = st.empty()
    return replace(draft, name=file, title=title.strip() or suggested)


def iter_option_places(fields: list[RulesetField]) -> Iterator[tuple[DeltaGenerator, RulesetField]]:
    """Yield each option with the container in which to show it. Short fields share a row."""
    options = [field for field in fields if field.key.startswith("options.")]
    for is_short, neighbours in groupby(options, lambda field: field.kind in SHORT_FIELD_KINDS):
        yield from place_in_rows(list(neighbours), FIELDS_PER_ROW if is_short else 1)


def iter_table_places(
    base: Ruleset, fields: list[RulesetField], slots: dict[str, DeltaGenerator]
) -> Iterator[tuple[DeltaGenerator, RulesetField]]:
    """Yield each field of a table with the container in which to show it: every table is folded."""
    tables = [field for field in fields if field.key.startswith("tables.")]
    st.header("Board and dice" if games.find_game(base.game).dice(base) else "Board and shapes")
    for group, fields_of_group in groupby(tables, lambda field: field.group):
        inside = list(fields_of_group)
        how = "" if inside[0].kind in SHORT_FIELD_KINDS else " as text"
        with st.expander(f"{capitalise(title_setting(base.game, group))}{how}"):
            slots[f"tables.{group}"] = st.empty()
            is_short = all(field.kind in SHORT_FIELD_KINDS for field in inside)
            yield from place_in_rows(inside, FIELDS_PER_ROW if is_short else 1)


def place_in_rows(fields: list[RulesetField], size: int) -> Iterator[tuple[DeltaGenerator, RulesetField]]:
    """Yield each field with its container, at most `size` of them in a row."""
    for first in range(0, len(fields), size):
        places = st.columns(size) if size > 1 else [st.container()]
        yield from zip(places, fields[first : first + size], strict=False)


def ask_field(field: RulesetField, base: Ruleset, changes: dict[str, Any]) -> tuple[Any, str]:
    """Show one field with its meaning; return its value and an error message, which is empty if the text can be parsed.

    The first value is that of the draft in the address, `changes`, or else that of the base ruleset.
    """
    document = base.document
    try:
        start_value = field.value_in(
            {**document, **{part: {**document[part], **values} for part, values in changes.items()}}
        )
        start_text = field.format_text(start_value)
    except (AttributeError, KeyError, TypeError, ValueError):  # the draft in the address is not valid
        start_value = field.value_in(document)
        start_text = field.format_text(start_value)
    key, title = make_field_key(base, field.key), capitalise(title_setting(base.game, field.setting))
    if field.kind == "choice":
        index = field.choices.index(start_text) if start_text in field.choices else 0
        return st.radio(
            title,
            field.choices,
            index=index,
            key=key,
            format_func=lambda value: capitalise(format_setting(base.game, field.setting, value)),
        ), ""
    if field.kind == "switch":
        return st.toggle(title, bool(start_value), key=key, help=field.about or None), ""
    if field.kind == "number":
        return _ask_number(title, start_value, field.value_in(document), key, field.about), ""
    if field.kind == "table" and field.values == "number" and field.key.startswith("options."):
        st.markdown(escape_markdown(title), help=field.about or None)
        usual = field.value_in(document)
        start_values = start_value if isinstance(start_value, dict) else {}
        numbers = {}
        for place, (name, number) in zip(st.columns(len(usual)), usual.items(), strict=True):
            inner = capitalise(title_setting(base.game, f"{field.setting}.{name}"))
            with place:
                numbers[name] = _ask_number(inner, start_values.get(name), number, f"{key}.{name}")
        return numbers, ""
    if field.kind == "text":
        text = st.text_input(title, start_text, key=key, max_chars=80, help=field.about or None)
    else:
        if about := _describe_text(field):
            st.caption(escape_markdown(about))
        lines = max(2, min(14, start_text.count("\n") + 1))
        text = st.text_area(
            title,
            start_text,
            key=key,
            height=TEXT_ROW_PX * lines + 36,
            label_visibility="collapsed" if field.group == field.setting else "visible",
        )
    try:
        return field.parse_text(text), ""
    except InvalidError as error:
        return start_value, str(error)


def _ask_number(title: str, start: object, usual: int, key: str, about: str = "") -> int:
    """Ask for a whole number; the first value is `usual` if `start` is not one.

    The field has no bounds: it would refuse a wrong number without the explanation that the ruleset model gives.
    """
    first = start if isinstance(start, int) and abs(start) <= MAX_NUMBER else usual
    return int(st.number_input(title, value=int(first), step=1, key=key, help=about or None))


def _describe_text(field: RulesetField) -> str:
    """Return the meaning of a field and the format of its text."""
    text_format = {"list": "Separated by spaces or new lines.", "table": "One line each: name = value."}.get(
        field.kind, ""
    )
    return " ".join(filter(None, (field.about, text_format)))


def find_slot(key: str, slots: dict[str, DeltaGenerator]) -> DeltaGenerator:
    """Return the element below the field that a complaint is about, or below the nearest field or heading."""
    while key:
        if key in slots:
            return slots[key]
        inner = next((name for name in slots if name.startswith(f"{key}.")), None)
        if inner:
            return slots[inner]
        key = key.rpartition(".")[0]
    return slots["players"]


def show_drawing(draft: RulesetDraft, complaints: dict[str, str]) -> None:
    """Draw the draft; if it has errors, draw its last valid version."""
    base = draft.base
    if not complaints:
        st.session_state["make-drawn"] = (base.name, draft.ruleset)
    last_valid = st.session_state.get("make-drawn")
    if not isinstance(last_valid, tuple) or last_valid[0] != base.name:
        st.caption("The drawing appears when all fields are valid.")
        return
    if complaints:
        st.caption("Showing the last valid version; fix the fields marked with ⚠.")
    ruleset: Ruleset = last_valid[1]
    show_printed_components(
        *cached.printed_components(ruleset), key=f"make-print-{base.name}", on_square=ask_paint(base)
    )


def ask_paint(base: Ruleset) -> Callable[[int, int], None] | None:
    """Ask what a click makes of a square of the drawing; return the function that does it, None if the game has no such table."""
    field = next(
        (
            candidate
            for candidate in ruleset_fields(type(base))
            if candidate.kind == "list" and find_marks(base.game, candidate.group)
        ),
        None,
    )
    if not field:
        return None
    marks, key = find_marks(base.game, field.group), make_field_key(base, field.key)
    brush = f"make-paint-{base.game}"
    st.pills(
        "A click on a square makes it",
        list(marks),
        default=list(marks)[1],
        format_func=marks.__getitem__,
        required=True,
        key=brush,
    )

    def paint(column: int, row: int) -> None:
        st.session_state[key] = paint_square(str(st.session_state[key]), column, row, st.session_state[brush])

    return paint


_SAVED_SLOT: Final = "make-saved"
"""The session state keeps here the draft that was saved last."""
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
            markdown.show_verbatim(draft.file_text)


def show_save_bar(library: Library, draft: RulesetDraft, complaints: dict[str, str]) -> None:
    """Say what the draft changes, with the button that saves it, and show the ruleset saved last."""
    path = library.folder / "rulesets" / f"{draft.name}.toml"
    replaces = False
    with st.container(horizontal=True, vertical_alignment="center", key="make-save-row"):
        st.markdown(describe_draft(draft, complaints))
        if not complaints and path.exists() and is_draft_file(path):
            replaces = st.checkbox(f"Replace my ruleset {draft.name}", key="make-replace")
        is_changed = not complaints and any(draft.changed_parts.values())
        is_pressed = st.button("Save this ruleset", type="primary", key="make-save", disabled=not is_changed)
    if is_pressed:
        try:
            save_draft(library, draft, replace=replaces)
        except GameError as error:
            st.error(escape_markdown(f"{capitalise(str(error))}."))
        except OSError as error:
            st.error(escape_markdown(f"{error.filename or library.folder}: {error.strerror}"))
        else:
            st.session_state[_SAVED_SLOT] = draft
            st.session_state[_SAVED_NAMES_SLOT] = draft.ruleset_names
            st.rerun()
    if st.session_state.get(_SAVED_SLOT) == draft:
        show_saved_ruleset(library, draft)


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


def show_saved_ruleset(library: Library, draft: RulesetDraft) -> None:
    """Show that a draft is saved as it is, with buttons for what can be done with the ruleset."""
    file, names = draft.name, draft.ruleset_names
    with st.container(horizontal=True, vertical_alignment="center"):
        word = "Ruleset" if len(names) == 1 else "Rulesets"
        names_added = "" if [file] == list(names) else f" {word}: {escape_markdown(', '.join(names))}."
        st.markdown(f"**Saved as {escape_markdown(file)}.**{names_added}")
        if st.button(f"Simulate {DEFAULT_GAMES} games", key="make-play"):
            start_simulation(library, names[0])
        rules = RulesQuestion(ruleset=names[0])
        st.button("Show its rules", key="make-see", on_click=write_page_question, args=(rules,))
        ruleset = library.catalogue.rulesets.get(names[0])
        base_ruleset = library.catalogue.rulesets[draft.base.name]
        if ruleset and ruleset.players == base_ruleset.players:
            effect = RuleEffectQuestion(ruleset=base_ruleset.name, against=names[0])
            label = escape_markdown(f"Compare with {name_rulesets([base_ruleset, ruleset])[0]}")
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
    st.session_state.pop(_SAVED_SLOT, None)
    st.switch_page("views/library.py")
