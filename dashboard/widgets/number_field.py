"""A field for a number of a question, which has the limits of its class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from pipelines.questions.address import find_limits

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from pipelines.questions.address import Question

MAX_BROWSER_INTEGER: Final = (1 << 53) - 1
"""Fields of numbers in a browser hold no larger integers."""
LARGE_NUMBER: Final = 100
"""The buttons of a field whose default is so large change it by so much."""


def ask_number(
    place: DeltaGenerator,
    label: str,
    kind: type[Question],
    name: str,
    value: int | Literal["min"],
    key: str,
    about: str | None = None,
) -> int:
    """Ask for the field `name` of a question, an integer; `about` is the help. `key` is that of the session state.

    `value` is what the field shows at first, "min" if the session state holds it already.
    """
    limits = find_limits(kind, name)
    most = min(limits.most, MAX_BROWSER_INTEGER)
    return int(
        place.number_input(
            label,
            limits.least,
            most,
            value if value == "min" else min(value, most),
            step=LARGE_NUMBER if limits.default >= LARGE_NUMBER else 1,
            key=key,
            help=about,
        )
    )
