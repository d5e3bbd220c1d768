"""Forms whose fields begin with the values of the address: a link fills them in.

A `SubmittedForm` writes the address when the visitor presses its button, a `LiveForm` with every change of a field.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dashboard.widgets.address import read_page_question, show_address_problems, write_page_question
from pipelines.design.titles import list_ruleset_choices
from pipelines.questions.address import AnyQuestion, Question, find_limits, write_address
from pipelines.questions.comparison import NewComparisonQuestion
from pipelines.questions.simulation import SimulationQuestion

if TYPE_CHECKING:
    from engine.ruleset import Ruleset


@dataclass(frozen=True)
class SubmittedForm:
    """A form that writes the address only when the visitor asks.

    A link or *Back* gives its fields other keys, so they start again from the address.
    """

    slot: str
    """The key of the session state that counts how often the fields have started again."""
    address_keys: tuple[str, ...]
    """The keys of the form in the address."""

    def read_question(self, kind: type[AnyQuestion]) -> tuple[AnyQuestion, bool]:
        """Return the question of the address, and whether all of it can be read; show what cannot."""
        self.follow_address()
        question, problems = read_page_question(kind)
        show_address_problems(problems)
        return question, not problems

    def follow_address(self) -> None:
        """Let the fields start again if a link or *Back* has changed the address."""
        now, number = self._read_address(), 0
        known = st.session_state.get(self.slot)
        if known:
            number = known[1] + (known[0] != now)
        st.session_state[self.slot] = (now, number)

    def widget_key(self, name: str) -> str:
        """Return the key of a field, which is another one after a link or *Back* has changed the address."""
        _, number = st.session_state.get(self.slot, ({}, 0))
        return f"{name}-{number}" if number else name

    def write_question(self, question: Question) -> None:
        """Write what the visitor asks into the address. The fields keep what they hold."""
        write_page_question(question)
        self.keep_fields()

    def keep_fields(self) -> None:
        """Say that the form itself has just written the address.

        The visitor may have changed a field in the meantime, so the fields keep their keys and with them what they hold.
        """
        _, number = st.session_state.get(self.slot, ({}, 0))
        st.session_state[self.slot] = (self._read_address(), number)

    def _read_address(self) -> dict[str, list[str]]:
        return {key: st.query_params.get_all(key) for key in self.address_keys if key in st.query_params}


RunQuestion = TypeVar("RunQuestion", SimulationQuestion, NewComparisonQuestion)
"""What asks for a run that is to be played: a ruleset, a line-up and more."""


@dataclass(frozen=True)
class LiveForm(Generic[RunQuestion]):
    """A form that writes the address with every change of a field.

    The values of the fields are in the session state, under the keys of the fields, before the fields are drawn.
    """

    slot: str
    """The key of the session state that keeps what the address meant when the page was drawn."""
    address_keys: Sequence[str]
    """The keys of the form in the address."""
    widget_keys: Mapping[str, str]
    """The keys of the widgets by the fields of the question, with its ruleset and without its line-up."""
    read_lineup: Callable[[Ruleset], tuple[str, ...]]
    """Returns the line-up that the widgets for a ruleset hold."""
    fill_lineup: Callable[[Ruleset, tuple[str, ...]], None]
    """Puts a line-up into the widgets for a ruleset, before they are drawn."""

    def follow_address(self, question: RunQuestion, rulesets: Mapping[str, Ruleset]) -> RunQuestion | None:
        """Return what the fields hold; None if they have just taken their values from the address.

        They take them at first, after a link, and after *Back*. If the visitor has changed a field, the fields count: the browser
        may not have written the last change into the address yet. `question` is what the address means.
        """
        form_question, before = self._read_fields(question, rulesets), st.session_state.get(self.slot)
        if form_question is not None and (question == before or form_question != before):
            return form_question
        for field, key in self.widget_keys.items():
            st.session_state[key] = getattr(question, field)
        self.fill_lineup(rulesets[question.ruleset], question.strategies)
        return None

    def ask_ruleset(self, rulesets: Mapping[str, Ruleset], form_question: RunQuestion | None) -> Ruleset:
        """Ask for the ruleset. `form_question` is the result of `follow_address`.

        A slow browser may skip the first drawing of a field, and show the default of the second one. So the default is what the
        field holds.
        """
        name = st.selectbox(
            "Ruleset",
            list(rulesets),
            index=list(rulesets).index(form_question.ruleset) if form_question else 0,
            key=self.widget_keys["ruleset"],
            format_func=list_ruleset_choices(rulesets).__getitem__,
        )
        return rulesets[name]

    def write_address(self, question: RunQuestion, rulesets: Mapping[str, Ruleset]) -> RunQuestion:
        """Write what the drawn fields hold into the address if it means something else; return it.

        Other keys of the address stay.
        """
        form_question = self._read_fields(question, rulesets)
        if form_question is None:
            raise RuntimeError("The fields of the form have no values although they have been drawn.")
        if form_question != question:
            others = {
                key: st.query_params.get_all(key) for key in st.query_params if key not in self.address_keys
            }
            address = write_address(form_question)
            try:
                st.query_params.from_dict({**others, **address})
            except (
                StreamlitAPIException
            ):  # a drawer is bound to one of them, and only the drawer may write it
                for key in self.address_keys:
                    if key in st.query_params and key not in address:
                        del st.query_params[key]
                st.query_params.update({key: address[key] for key in self.address_keys if key in address})
        st.session_state[self.slot] = form_question
        return form_question

    def _read_fields(self, question: RunQuestion, rulesets: Mapping[str, Ruleset]) -> RunQuestion | None:
        """Return what the fields hold; None if they were not drawn before, or for another game."""
        values = {field: st.session_state.get(key) for field, key in self.widget_keys.items()}
        ruleset = rulesets.get(str(values["ruleset"]))
        if ruleset is None or None in values.values():
            return None
        return question.model_copy(update={**values, "strategies": self.read_lineup(ruleset)})


MAX_BROWSER_INTEGER: Final = (1 << 53) - 1
"""Fields of numbers in a browser hold no larger integers."""
LARGE_NUMBER: Final = 100
"""The buttons of a field whose default is so large change it by so much."""


def ask_number(
    label: str, question: Question | type[Question], name: str, key: str, about: str | None = None
) -> int:
    """Ask for the field `name` of a question, an integer; `about` is the help.

    The field shows the number of `question`. If it is a class, the session state holds the number already, under `key`. A number
    that a browser cannot hold stays as it is until somebody changes the field.
    """
    kind = question if isinstance(question, type) else type(question)
    limits = find_limits(kind, name)
    maximum = min(limits.maximum, MAX_BROWSER_INTEGER)
    number = st.number_input(
        label,
        limits.minimum,
        maximum,
        "min" if isinstance(question, type) else min(getattr(question, name), maximum),
        step=LARGE_NUMBER if limits.default >= LARGE_NUMBER else 1,
        key=key,
        help=about,
    )
    number_of_address = 0 if isinstance(question, type) else int(getattr(question, name))
    return number_of_address if number_of_address > maximum and number == maximum else int(number)
