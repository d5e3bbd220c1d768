"""The command that answers every address of the dashboard: ask."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from engine.errors import InvalidError
from pipelines.cli.options import DataOption, DetailsOption, JsonOption, open_existing_library
from pipelines.cli.output import print_file, print_sheet, print_text, print_warnings


class AskCommand(TyperCommand):
    """A command whose help lists the pages that answer and the fields of their addresses."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer does not export the types
        """Write the pages with their fields, and the example."""
        from pipelines.questions.address import list_keys
        from pipelines.questions.every_question import ANSWERS, QUESTIONS_OF_PAGES

        rows = [
            (f"/{page}", ", ".join(dict.fromkeys(key for kind in answered for key in list_keys(kind))))
            for page, kinds in QUESTIONS_OF_PAGES.items()
            if (answered := [kind for kind in kinds if kind in ANSWERS])
        ]
        with formatter.section("Pages, and the fields of their addresses"):
            formatter.write_dl(rows)
        super().format_epilog(ctx, formatter)


def ask(
    address: Annotated[
        str,
        typer.Argument(
            metavar="ADDRESS",
            help="An address of the dashboard, as the browser shows it, with or without its host.",
        ),
    ],
    *,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Give away the answer with its charts as a new HTML file."
        ),
    ] = None,
    as_csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print the first table of the answer as CSV, or that of `table=…` in the address."
        ),
    ] = False,
    details: DetailsOption = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer an address of the dashboard in the terminal.

    The answer has the sentences, numbers and tables of the page. What an address names that does not exist is said on stderr.
    """
    from pipelines.exchange.game_files import check_new_file, write_new_file
    from pipelines.questions.address import split_address
    from pipelines.report.show.json import list_tables
    from pipelines.studies.forms import TABLE_KEY, answer_address, write_answer
    from pipelines.studies.study import StudySource

    if sum((html is not None, as_csv, as_json)) > 1:
        raise InvalidError("choose one of --html, --csv and --json")
    if not address.startswith(("/", "http://", "https://")):
        raise InvalidError(f"{address[:80]!r} is not an address such as /scores?rulesets=bloxx-2p")
    if html is not None:
        check_new_file(html)
    page, query = split_address(address)
    sheet = answer_address(StudySource(open_existing_library(data)), page, query)
    if html is not None or as_csv or as_json:
        print_warnings(sheet)
    if html is not None:
        write_new_file(html, write_answer(sheet, "html", query)[0].decode())
        print_text(f"answer written to {html}")
    elif as_json:
        print_file(write_answer(sheet, "json", query)[0])
    elif as_csv:
        print_file(write_answer(sheet, "csv", query)[0])
        if len(tables := list_tables(sheet)) > 1 and TABLE_KEY not in query:
            print_text(
                f"reroll: this is one of {len(tables)} tables; {TABLE_KEY} in the address may be {', '.join(tables)}",
                err=True,
            )
    else:
        print_sheet(sheet, details=details)
