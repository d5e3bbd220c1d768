"""A field for a number of a question, which has the limits of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import streamlit as st

from pipelines.questions.address import find_limits

if TYPE_CHECKING:
    from pipelines.questions.address import Question

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
