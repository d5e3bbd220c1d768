"""The command that makes lessons of a reviewed run: lessons."""

from typing import Annotated

import typer

from pipelines.cli import options
from pipelines.cli.output import print_json, print_report_table, print_text
from pipelines.cli.progress import compile_rulesets, report_estimated_progress
from pipelines.design.limits import LESSONS, MAX_LABEL_CHARACTERS
from pipelines.report.wording import format_count


def lessons(
    run: options.RunArgument,
    *,
    limit: Annotated[
        int,
        typer.Option(
            "--limit",
            metavar="N",
            min=LESSONS.minimum,
            max=LESSONS.maximum,
            help="Maximum number of lessons.",
        ),
    ] = LESSONS.default,
    collection: Annotated[
        str | None,
        options.text_option(
            "--collection",
            MAX_LABEL_CHARACTERS,
            "NAME",
            "Collection of the lessons; by default one such as “Blokus Duo: 50 lessons”.",
        ),
    ] = None,
    data: options.DataOption = None,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
) -> None:
    """Make lessons of the clear slips of a reviewed run.

    A lesson is a note whose board hides what was played and asks for a better move. Each slip is clear twice: in the review, and
    with new luck. Easy lessons, which many strategies find, come first.
    """
    from pipelines.experiments.lessons import make_lessons, order_lessons
    from pipelines.notes.exchange import note_document
    from pipelines.notes.lessons import keep_lessons
    from pipelines.notes.note import SHOWN_ID_LENGTH
    from pipelines.notes.store import NoteStore
    from pipelines.report.table import Table

    library = options.open_library(data)
    stored = library.run(run)
    compile_rulesets(stored.rulesets.values(), quiet=quiet)
    made = []
    with report_estimated_progress("lessons", limit, "lessons", quiet=quiet) as update_progress:
        for lesson in make_lessons(stored, limit):
            made.append(lesson)
            update_progress(len(made))
    name, notes = keep_lessons(NoteStore(library.folder), stored, made, collection)
    if as_json:
        print_json({"collection": name, **note_document(notes)})
        return
    rows = (
        (note.note_id[:SHOWN_ID_LENGTH], note.title, rated.level, ", ".join(rated.finders))
        for note, rated in zip(notes, order_lessons(made), strict=True)
    )
    print_report_table(Table("Lessons", ("id", "lesson", "level", "found by"), tuple(rows)))
    print_text(
        f"\n{format_count(len(notes), 'lesson')} in the collection {name!r}; reroll study {name!r} gives them away"
    )
