"""The command that queries the runs in SQL: sql."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from engine.errors import InvalidError
from pipelines.cli import completion
from pipelines.cli.options import DataOption, JsonOption, collect_settings, open_existing_library, text_option
from pipelines.cli.output import print_csv, print_json, print_table, print_text
from pipelines.design.limits import MAX_TITLE_CHARACTERS, MAX_VALUE_CHARACTERS

if TYPE_CHECKING:
    from pipelines.questions.sql import SqlQuestion
    from pipelines.runs.library import Library
    from pipelines.runs.query import Answer
    from pipelines.runs.run import Run

MAX_QUERY_CHARACTERS = 1_000_000
"""Characters of a query on the standard input at most."""
EXPLAIN_COLUMNS = ("explain_key", "explain_value")
"""The columns that DuckDB gives to a plan, which is a drawing of several lines."""
_COMMENT_PATTERN = re.compile(r"--(?![a-z-]+=)[^\n]*\n|--\s")


class QueryCommand(TyperCommand):
    """A command whose argument may begin with a comment of SQL, `--`, which is not an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - typer does not export the type
        """Put a space before a comment: SQL ignores it, and it does not look like an option."""
        words = [f" {word}" if _COMMENT_PATTERN.match(word) else word for word in args]
        return super().parse_args(ctx, words)


def sql(
    query: Annotated[
        str | None,
        typer.Argument(
            metavar="[QUERY]",
            help="One query in the SQL of DuckDB. Without it, or with -, it is read from stdin.",
        ),
    ] = None,
    *,
    saved: Annotated[
        str | None,
        text_option(
            "--saved",
            MAX_TITLE_CHARACTERS,
            "NAME",
            "Ask a question that you have kept instead, by its title or id.",
            autocompletion=completion.complete_questions,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        text_option(
            "--set",
            MAX_VALUE_CHARACTERS,
            "NAME=VALUE",
            "The value of a parameter, as $n in the query. Repeatable.",
        ),
    ] = None,
    save: Annotated[
        str | None,
        text_option(
            "--save",
            MAX_TITLE_CHARACTERS,
            "NAME",
            "Keep the question with its values as a note with this title, once it is answered.",
        ),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="RUN", help="Query only this run, not the whole library. Repeatable."),
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="Maximum number of rows.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0.1, help="Time limit in seconds.")
    ] = 30.0,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Query the runs in SQL. Every table has a first column `run`; the runs cannot be changed."""
    from pipelines.questions.source import QuestionSource
    from pipelines.questions.sql import answer_sql
    from pipelines.runs.query_parameters import check_parameter_names, split_setting

    if as_csv and as_json:
        raise InvalidError("choose one of --csv and --json")
    library = open_existing_library(data)
    question = _find_query(library, query, saved)
    values = collect_settings("--set", map(split_setting, settings or ()))
    check_parameter_names(question.sql, values)
    question = question.with_parameters({**question.texts, **values}, question.parameter_kinds)
    if run:
        question = question.model_copy(update={"runs": tuple(dict.fromkeys(run))})
    # names of runs may be paths to files, which no address holds
    runs = tuple(map(library.run, question.runs))
    answered = answer_sql(
        question.model_copy(update={"runs": ()}),
        QuestionSource(library, runs or None),
        rows=limit,
        seconds=timeout,
    )
    answer = answered.answer
    for message in answered.basis.left_out:
        print_text(f"reroll: {message}", err=True)
    _print_answer(answer, as_csv=as_csv, as_json=as_json)
    if answer.is_cut:
        print_text(f"showing the first {limit} rows; see --limit", err=True)
    if save is not None:
        _save_query(library, save, question, runs)


def _print_answer(answer: "Answer", *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        print_json([dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
    elif as_csv:
        print_csv(answer.columns, answer.rows)
    elif answer.columns == EXPLAIN_COLUMNS:
        for _, plan in answer.rows:
            print_text(plan)
    else:
        print_table(answer.columns, answer.rows)


def _find_query(library: "Library", query: str | None, saved: str | None) -> "SqlQuestion":
    """Return the query that the command line names: a kept one, a text, or what the standard input holds."""
    from pipelines.questions.address import read_fields
    from pipelines.questions.sql import SqlQuestion

    if saved is None:
        return SqlQuestion(sql=_read_query() if query is None or query == "-" else query)
    from pipelines.notes.note import current_address, names_by_key
    from pipelines.notes.store import NoteStore, find_question

    if query is not None:
        raise InvalidError("give either a query or --saved NAME")
    note = find_question(NoteStore(library.folder), saved)
    address = current_address(note, names_by_key(library.runs()) if note.run_key else {})
    if address is None:
        raise InvalidError(
            f"the run of the kept question {note.title!r} is no longer here; choose one with --run"
        )
    question, problems = read_fields(SqlQuestion, address)
    for problem in problems:
        print_text(f"reroll: {problem}", err=True)
    return question


def _save_query(library: "Library", name: str, question: "SqlQuestion", runs: "tuple[Run, ...]") -> None:
    from pipelines.notes.store import NoteStore, save_question

    key = runs[0].key if len(runs) == 1 else None
    note, is_replaced = save_question(NoteStore(library.folder), name, question, key)
    print_text(f"{'replaced' if is_replaced else 'kept as'} {note.note_id[:8]}: {note.title}", err=True)


def _read_query() -> str:
    """Return the query on the standard input; raise InvalidError if it is empty."""
    if sys.stdin.isatty():
        raise InvalidError('name a query, such as: reroll sql "FROM run"; or give one on the standard input')
    try:
        text = sys.stdin.read(MAX_QUERY_CHARACTERS + 1)
    except UnicodeDecodeError:
        raise InvalidError("the query on the standard input is not UTF-8 text") from None
    if not text.strip() or len(text) > MAX_QUERY_CHARACTERS:
        fault = "has no query" if not text.strip() else f"is longer than {MAX_QUERY_CHARACTERS:,} characters"
        raise InvalidError(f"the standard input {fault}")
    return text
