"""The command that answers every address of the dashboard: ask."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import InvalidError
from pipelines.cli.options import DataOption, JsonOption, open_library
from pipelines.cli.output import print_csv, print_json, print_sheet, print_text, print_warnings


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
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the tables of the answer as CSV.")] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer an address of the dashboard in the terminal.

    The answer has the sentences, numbers and tables of the page. What an address names that does not exist is said on stderr.
    """
    from pipelines.exchange.export import check_new_file, write_new_file
    from pipelines.questions.address import is_address, split_address
    from pipelines.report.show.json import sheet_document
    from pipelines.studies.items import make_study
    from pipelines.studies.page import write_study
    from pipelines.studies.sections import compose_address
    from pipelines.studies.sources import StudySource
    from pipelines.studies.study import Section

    if sum((html is not None, as_csv, as_json)) > 1:
        raise InvalidError("choose one of --html, --csv and --json")
    if not is_address(address):
        raise InvalidError(f"{address[:80]!r} is no address such as /scores?rulesets=bloxx-2p")
    if html is not None:
        check_new_file(html)
    sheet = compose_address(StudySource(open_library(data)), *split_address(address))
    if html is not None:
        write_new_file(html, write_study(make_study([Section(replace(sheet, warnings=()))])))
    if html is not None or as_csv or as_json:
        print_warnings(sheet)
    if html is not None:
        print_text(f"answer written to {html}")
    elif as_json:
        print_json(sheet_document(sheet))
    elif as_csv:
        for table in sheet.tables:
            print_csv(table.columns, table.rows)
    else:
        print_sheet(sheet)
