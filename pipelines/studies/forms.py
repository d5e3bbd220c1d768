"""The forms of an answer for programs and files, and the answers that a server gives to addresses.

`reroll ask` and the routes of the dashboard write the same bytes. A page asks when a person clicks. An address may be opened by any
program and any link, as often as it likes, so a server bounds the cost of an answer and keeps it for the next one. It computes few
at once: others wait for their turn for a while, and are refused then.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from engine.errors import GameError, InvalidError
from pipelines.notes.sidecar import Sidecar
from pipelines.questions.address import Address, Question, split_address, write_problem
from pipelines.questions.every_question import read_question
from pipelines.questions.rule_effect import RuleEffectQuestion, estimate_rule_effect
from pipelines.report.show.json import list_tables, sheet_document, write_table_csv
from pipelines.report.wording import format_duration, hide_folders
from pipelines.runs.library import Library
from pipelines.runs.summary_index import FileState
from pipelines.studies.study import Section, StudySource, compose_address, make_study, write_study

if TYPE_CHECKING:
    from pipelines.report.sheet import Sheet
    from pipelines.report.table import Table

AnswerForm: TypeAlias = Literal["json", "csv", "html"]
MEDIA_TYPES: Final[Mapping[AnswerForm, str]] = {
    "json": "application/json",
    "csv": "text/csv",
    "html": "text/html",
}
TABLE_KEY: Final = "table"
"""The key of an address that names one of several tables for CSV. No question has it."""


def answer_address(source: StudySource, page: str, address: Address) -> Sheet:
    """Return the sheet that all forms of an address are written from. Raises a GameError if it has no answer."""
    return compose_address(source, page, {key: texts for key, texts in address.items() if key != TABLE_KEY})


def write_answer(sheet: Sheet, form: AnswerForm, address: Address) -> tuple[bytes, str]:
    """Return an answer in a form, as UTF-8, and its media type.

    CSV is one table: the first, or the one that the address names. Raises InvalidError if the answer does not have it.
    """
    if form == "json":
        text = json.dumps(sheet_document(sheet), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    elif form == "csv":
        text = write_table_csv(_find_table(sheet, next(iter(address.get(TABLE_KEY, ())), "")))
    else:
        text = write_study(make_study([Section(sheet)]))
    return text.encode(errors="replace"), MEDIA_TYPES[form]


def _find_table(sheet: Sheet, key: str) -> Table:
    tables = list_tables(sheet)
    if not tables:
        verdict = f": {sheet.verdict}" if sheet.verdict else ""
        raise InvalidError(f"this answer has no table{verdict}")
    if key and key not in tables:
        raise InvalidError(f"this answer has no table {key[:60]!r}; {TABLE_KEY} may be {', '.join(tables)}")
    return tables[key or next(iter(tables))]


MAX_ANSWERS: Final = 32
"""Answers that are kept. The largest, those with replays and continuations, have a few megabytes."""

LibraryVersion: TypeAlias = tuple[tuple[str, FileState], ...]


class CostlyError(GameError):
    """A question costs more than a server answers to everybody who opens its address."""


def read_cheap_address(page: str, query: str) -> Address:
    """Return the query of an address of a page. Raises InvalidError if it cannot be read, and CostlyError if it asks for much."""
    _, address = split_address(f"/?{query}")
    question = read_question(page, address).question
    estimate = (
        estimate_rule_effect(question, Library().catalogue)
        if isinstance(question, RuleEffectQuestion)
        else None
    )
    if cost := describe_cost(question, estimate and estimate.seconds):
        raise CostlyError(f"an address does not answer {cost}; ask in a terminal: {question.command}")
    return address


MAX_UNASKED_SECONDS: Final = 60.0
"""Seconds that an address may compute that nobody has clicked; all options of a game at once take up to 20 on two processors."""


def describe_cost(question: Question, seconds: float | None = None) -> str:
    """Return what is costly in a question; empty if it is answered to everybody who opens its address, which anybody can make.

    SQL is costly, and work that takes longer than `MAX_UNASKED_SECONDS` if its `seconds` are known, or else more work than by default.
    """
    if question.typed_sql:
        return "a query in SQL"
    work = question.work
    if work is None or (work.amount <= work.usual if seconds is None else seconds <= MAX_UNASKED_SECONDS):
        return ""
    amount = f"{work.amount:,} {work.unit}"
    if seconds is None:
        return f"{amount}, more than the usual {work.usual:,}"
    return f"{amount}, which take about {format_duration(seconds)}"


def describe_error(error: GameError) -> str:
    """Return the sentence on a question without an answer, in which no path of this machine is left."""
    sentence: str = hide_folders(write_problem(error))
    return sentence.replace("\n", " ")


def find_version(library: Library) -> LibraryVersion:
    """Return what changes with every file that an answer may come from: the runs, the rulesets and the notes."""
    folders = (library.runs_folder, *library.ruleset_folders)
    files = [path for folder in folders if folder.is_dir() for path in folder.iterdir()]
    states: list[tuple[str, FileState]] = []
    for path in (*files, Sidecar(library.folder).path):
        with suppress(OSError):  # it has just been removed
            states.append((str(path), FileState.of(path)))
    return tuple(sorted(states))


class ServedAnswers:
    """The last answers of the libraries of this process. Threads may share it."""

    def __init__(self) -> None:
        self._sheets: dict[Hashable, Sheet] = {}
        self._lock = threading.Lock()

    def write(self, page: str, address: Address, form: AnswerForm) -> tuple[bytes, str]:
        """Return what the library answers to an address in a form, and its media type. Raises errors like `find_answer`."""
        return write_answer(self.find_answer(Library(), page, address), form, address)

    def find_answer(self, library: Library, page: str, address: Address) -> Sheet:
        """Return the sheet of an address, which all its forms are written from.

        Raises a GameError if it has no answer, and BusyError if it cannot be computed within `WAIT_SECONDS`.
        """
        query = tuple((name, *texts) for name, texts in address.items() if name != TABLE_KEY)
        key = library.folder, page, query, find_version(library)
        with self._lock:
            sheet = self._find(key)
        if sheet is not None:
            return sheet
        with server_turns.take():
            with self._lock:
                sheet = self._find(key)  # another thread may have asked the same meanwhile
            if sheet is None:
                sheet = answer_address(StudySource(library), page, address)
                with self._lock:
                    self._keep(key, sheet)
            return sheet

    def _find(self, key: Hashable) -> Sheet | None:
        """Return a sheet that is kept; it is then the last to go."""
        sheet = self._sheets.pop(key, None)
        if sheet is not None:
            self._sheets[key] = sheet
        return sheet

    def _keep(self, key: Hashable, sheet: Sheet) -> None:
        self._sheets[key] = sheet
        while len(self._sheets) > MAX_ANSWERS:
            del self._sheets[next(iter(self._sheets))]


served_answers: Final = ServedAnswers()
"""The answers of this process."""


MAX_COMPUTATIONS: Final = 2
"""Answers that are computed at once."""
MAX_WAITING: Final = 8
"""Requests that may wait for their turn. Each of them holds one of the threads that also read Streamlit's files."""
WAIT_SECONDS: Final = 20.0
"""Seconds that a request waits for its turn."""
RETRY_SECONDS: Final = 10
"""Seconds after which a program may ask again."""
POLL_SECONDS: Final = 0.1
"""Seconds between two looks whether the work that waits is still wanted."""
BUSY: Final = "Other answers are computed at the moment; ask again."
WAITING: Final = "Other answers are computed at the moment; this one waits for its turn …"


class BusyError(Exception):
    """Other answers are computed, and none was ready in time."""


class Turns:
    """The turns of one server. Threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(MAX_COMPUTATIONS)
        self._waiting = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Wait for a turn and hold it. Raises BusyError after `WAIT_SECONDS`, and at once if many wait already."""
        with self._lock:
            if self._waiting >= MAX_WAITING:
                raise BusyError
            self._waiting += 1
        try:
            has_turn = self._turns.acquire(timeout=WAIT_SECONDS)
        finally:
            with self._lock:
                self._waiting -= 1
        if not has_turn:
            raise BusyError
        try:
            yield
        finally:
            self._turns.release()

    @contextmanager
    def wait(self, is_stopped: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a turn and hold it, for work of a page; yield False, without a turn, if the work is stopped before."""
        while not self._turns.acquire(timeout=POLL_SECONDS):
            if is_stopped():
                yield False
                return
        try:
            yield True
        finally:
            self._turns.release()


server_turns: Final = Turns()
"""The turns of the computations of this process: what-ifs, best moves, reviews, cards, effects, and answers by route."""
query_turns: Final = Turns()
"""The turns of the queries that people wrote, in this process."""
