"""A comparison as text: first the verdict, then the figures that it rests on."""

from typing import TYPE_CHECKING

from pipelines.cli.output import print_report_table, print_text

if TYPE_CHECKING:
    from pipelines.experiments.compare.comparison import Comparison


def print_report(comparison: "Comparison") -> None:
    """Print a comparison: first the verdict, then the figures that it rests on."""
    from pipelines.report.sentences.comparison import (
        describe_basis,
        describe_failed_checks,
        describe_stopping,
    )
    from pipelines.report.tables import comparison as tables

    print_text(comparison.verdict)
    for sentence in comparison.consequences:
        print_text(f"- {sentence}")
    if warning := describe_failed_checks(comparison.controls):
        print_text(warning)
    print_text()
    for key, value in (
        ("compared", comparison.estimand),
        ("played", f"{describe_basis(comparison)} Design {comparison.arrangement}, log {comparison.log}."),
        ("stopping", describe_stopping(comparison)),
        ("validity", comparison.interval_validity),
        ("run", comparison.run),
        ("command", comparison.command),
    ):
        if value:
            print_text(f"{key:<9} {value}")
    shown = [tables.pairs_table(comparison), tables.sides_table(comparison), tables.seats_table(comparison)]
    if any(pair.parts for pair in comparison.pairs) and len(comparison.pairs) <= 3:
        shown.insert(1, tables.parts_table(comparison))
    for table in (*shown, tables.controls_table(comparison)):
        print_text()
        print_report_table(table)
