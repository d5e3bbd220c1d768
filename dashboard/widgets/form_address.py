"""Forms whose fields the address holds: a link fills them in, and a change of a field is written into the address.

The values of the fields are in the session state, under the keys of the fields, before the fields are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard.widgets.markdown import escape_markdown
from pipelines.questions.address import find_limits

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pipelines.questions.address import Question


def must_follow_address(slot: str, asked: Hashable, shown: Hashable | None) -> bool:
    """Return whether the fields have to take their values from the address: at first, after a link, and after *Back*.

    `asked` is what the address means, `shown` what the fields hold, or None if they were not drawn before. If the visitor
    has changed a field, the fields count: the browser may not have written the last change into the address yet. `slot` is
    the key of the session state that keeps what the address meant when the page was drawn.
    """
    before = st.session_state.get(slot)
    return shown is None or (asked != before and shown == before)


def write_form_address(
    slot: str, asked: Hashable, shown: Hashable, address: Mapping[str, Sequence[str]], fields: Sequence[str]
) -> None:
    """Write what the fields hold into the address if it means something else; `fields` are all keys of the form.

    Other keys of the address stay.
    """
    if shown != asked:
        others = {key: st.query_params.get_all(key) for key in st.query_params if key not in fields}
        st.query_params.from_dict({**others, **address})
    st.session_state[slot] = shown


def follow_address(slot: str, fields: Sequence[str]) -> None:
    """Let the fields of a form start again from the address if a link or *Back* has changed it.

    For a form that writes the address only when the visitor asks; `keep_fields` then tells that the fields stay as they
    are. `slot` is the key of the session state for this, `fields` are the keys of the form in the address.
    """
    now, number = _read_fields(fields), 0
    known = st.session_state.get(slot)
    if known:
        number = known[1] + (known[0] != now)
    st.session_state[slot] = (now, number)


def keep_fields(slot: str, fields: Sequence[str]) -> None:
    """Say that the form itself has just written the address.

    The visitor may have changed a field in the meantime, so the fields keep their keys and with them what they hold.
    """
    _, number = st.session_state.get(slot, ({}, 0))
    st.session_state[slot] = (_read_fields(fields), number)


def field_key(slot: str, name: str) -> str:
    """Return the key of a field, which is another one after a link or *Back* has changed the address."""
    _, number = st.session_state.get(slot, ({}, 0))
    return f"{name}-{number}" if number else name


def _read_fields(fields: Sequence[str]) -> dict[str, list[str]]:
    return {key: st.query_params.get_all(key) for key in fields if key in st.query_params}


def show_address_problems(problems: Sequence[str]) -> None:
    """Show what in the address does not exist, in one message."""
    if problems:
        st.warning(escape_markdown(" ".join(problems)))


MAX_BROWSER_INTEGER: Final = (1 << 53) - 1
"""Fields of numbers in a browser hold no larger integers."""
LARGE_NUMBER: Final = 100
"""The buttons of a field whose default is so large change it by so much."""


def ask_number(
    label: str, question: Question | type[Question], name: str, key: str, about: str | None = None
) -> int:
    """Ask for the field `name` of a question, an integer; `about` is the help.

    The field shows the number of `question`. If it is a class, the session state holds the number already, under `key`.
    """
    kind = question if isinstance(question, type) else type(question)
    limits = find_limits(kind, name)
    most = min(limits.most, MAX_BROWSER_INTEGER)
    number = st.number_input(
        label,
        limits.least,
        most,
        "min" if isinstance(question, type) else min(getattr(question, name), most),
        step=LARGE_NUMBER if limits.default >= LARGE_NUMBER else 1,
        key=key,
        help=about,
    )
    return int(number)
