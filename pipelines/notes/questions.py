"""Saved questions: notes on a page of questions, found by their titles, and queries in SQL among them with their values.

The address of a saved query holds its text (`sql`), the values of its parameters (`set=n=3`), the kinds of those whose names
say another kind (`type=n=text`), the `runs` that it reads (all runs if there are none), and the chart that the page draws of
the answer (`kind`, `x`, `y`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError, unknown_name_error
from pipelines.notes.note import NoteContent, NotePlace
from pipelines.notes.store import NoteFilter
from pipelines.runs.query_parameters import PARAMETER_KINDS, find_parameters, split_setting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.notes.note import Address, Note
    from pipelines.notes.store import NoteStore
    from pipelines.runs.query_parameters import ParameterKind

SQL_PAGE: Final = "sql"
SETTINGS_KEY: Final = "set"
KINDS_KEY: Final = "type"
CHART_KEYS: Final = ("kind", "x", "y")
"""What the page SQL draws of the answer: the kind of chart and the columns of its axes."""
MAX_QUESTIONS_SEARCHED: Final = 10_000


@dataclass(frozen=True)
class SavedQuery:
    """A query as an address holds it. What the address holds that is no setting is ignored."""

    sql: str
    texts: Mapping[str, str] = field(default_factory=dict)
    """The values of parameters as people typed them, by name."""
    kinds: Mapping[str, ParameterKind] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    """Names of the runs that the query reads; all runs if empty."""
    chart: Mapping[str, str] = field(default_factory=dict)
    """The settings of the chart by their keys in the address (`CHART_KEYS`); empty if the page shows a table only."""

    @property
    def address(self) -> dict[str, list[str]]:
        """The query as the address of the page SQL."""
        address = {
            "sql": [self.sql],
            SETTINGS_KEY: [f"{name}={text}" for name, text in self.texts.items()],
            KINDS_KEY: [f"{name}={kind}" for name, kind in self.kinds.items()],
            "runs": list(self.runs),
            **{key: [text] for key, text in self.chart.items()},
        }
        return {key: values for key, values in address.items() if values}


def read_saved_query(address: Address) -> SavedQuery:
    """Return the query of an address of the page SQL."""
    kinds = {
        name: kind
        for name, text in _read_settings(address.get(KINDS_KEY, ())).items()
        for kind in PARAMETER_KINDS
        if kind == text
    }
    sql = "".join(address.get("sql", ())[:1])
    names = {name.lower() for name in find_parameters(sql)}
    texts = {
        name: text
        for name, text in _read_settings(address.get(SETTINGS_KEY, ())).items()
        if name.lower() in names
    }
    chart = {key: address[key][0] for key in CHART_KEYS if address.get(key)}
    return SavedQuery(sql, texts, kinds, tuple(address.get("runs", ())), chart)


def _read_settings(settings: Sequence[str]) -> dict[str, str]:
    found = {}
    for setting in settings:
        try:
            name, text = split_setting(setting)
        except InvalidError:
            continue
        found[name] = text
    return found


def list_questions(store: NoteStore, page: str) -> list[Note]:
    """Return the notes of a page of questions, those changed last first."""
    return list(store.search(NoteFilter(page=page), most=MAX_QUESTIONS_SEARCHED).notes)


def find_question(store: NoteStore, name: str) -> Note:
    """Return a saved query by its title, or by its id or the beginning of it.

    Raises InvalidError if there is not exactly one.
    """
    questions = list_questions(store, SQL_PAGE)
    found = _with_title(questions, name) or [
        note for note in questions if len(name) >= 4 and note.note_id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(note.note_id[:8] for note in found[:5])
        raise InvalidError(
            f"{len(found)} saved questions are named {name[:80]!r}; use one of their ids: {ids}"
        )
    raise unknown_name_error("saved question", name[:80], dict.fromkeys(note.title for note in questions))


def save_question(
    store: NoteStore, name: str, query: SavedQuery, run_key: str | None = None
) -> tuple[Note, bool]:
    """Save a query under a name; return its note, and whether it replaces an earlier query of this name.

    A query without a chart keeps the chart of the earlier one. `run_key` is the key of the only run that the query reads
    (`pipelines.notes.places.run_key`), if it reads only one.
    Raises InvalidError if several queries have the name, and EditConflictError if somebody changes the earlier one meanwhile.
    """
    content = NoteContent(name)
    earlier = _with_title(list_questions(store, SQL_PAGE), content.title)
    if not earlier:
        return store.add(NotePlace("question", SQL_PAGE, query.address, run_key), content), False
    note = find_question(store, content.title)
    drawn = replace(query, chart=query.chart or read_saved_query(note.address).chart)
    place = NotePlace("question", SQL_PAGE, drawn.address, run_key)
    kept = NoteContent(note.title, note.text, note.tags, note.collections, is_favourite=note.is_favourite)
    return store.change(note, kept, place), True


def _with_title(notes: Sequence[Note], title: str) -> list[Note]:
    wanted = " ".join(title.split()).casefold()
    return [note for note in notes if note.title.casefold() == wanted]
