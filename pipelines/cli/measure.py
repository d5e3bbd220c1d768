"""The commands that measure speed and check the installation: bench, doctor."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.options import DataOption, JsonOption, open_library
from pipelines.cli.output import print_json, print_paragraph, print_report_table, print_text


def bench(
    *,
    measure_all: Annotated[
        bool,
        typer.Option(
            "--all", help="Measure also whole runs, more rulesets and compiling; takes ten minutes."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Also write the figures as JSON to this file."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast games, runs and commands are on this machine.

    It takes at most 90 seconds, and the figures are good to 20 %; with --all there are more figures, and better ones.
    Figures that are far worse than those recorded for this kind of processor are named at the end.
    """
    from pipelines.bench import iter_measurements
    from pipelines.records.record_file import (
        FiguresFile,
        find_recorded_figures,
        format_record_file,
        iter_far_worse,
        machine_stamp,
    )
    from pipelines.report.yardsticks import format_figure, tabulate_figures

    measurements = []
    for measurement in iter_measurements(measure_all=measure_all):
        measurements.append(measurement)
        print_text(f"  {measurement.name}: {format_figure(measurement.value)} {measurement.unit}", err=True)
    machine = machine_stamp()
    document = format_record_file(
        FiguresFile(machine=machine, quick=not measure_all, lines=tuple(measurements))
    )
    if out:
        out.write_text(document, encoding="utf-8")
    if as_json:
        print_text(document.rstrip())
        return
    print_text(", ".join(str(value) for value in machine.values() if value is not None))
    print_report_table(tabulate_figures(measurements))
    recorded = find_recorded_figures(machine)
    if recorded is None:
        print_text("No figures are recorded for this kind of processor; save these with --out.", err=True)
        return
    for measurement, figure in iter_far_worse(measurements, recorded):
        print_text(
            f"far below the figure of {recorded.processor} ({recorded.date}): {measurement.name}: "
            f"{format_figure(measurement.value)} instead of {format_figure(figure)} {measurement.unit}",
            err=True,
        )


def doctor(
    *,
    tidy: Annotated[
        bool, typer.Option("--tidy", help="Remove temporary files that killed processes have left behind.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check the installation, the library, the dice and the games. Exit code 1 if something is wrong."""
    from pipelines.service.doctor import diagnose_all, remove_leftovers

    library, findings = open_library(data), []
    if tidy:
        print_text(f"removed {remove_leftovers(library)} leftovers", err=True)
    for finding in diagnose_all(library):
        findings.append(finding)
        if not as_json:
            print_paragraph(
                f"{'ok   ' if finding.ok else 'WRONG'}  {finding.about}: {finding.says}", indent=7
            )
            if not finding.ok and finding.remedy:
                print_text(f"       to fix it: {finding.remedy}")
    wrong = sum(not finding.ok for finding in findings)
    if as_json:
        print_json({"ok": not wrong, "findings": [asdict(finding) for finding in findings]})
    else:
        print_text(
            f"{wrong} of {len(findings)} checks failed" if wrong else f"all {len(findings)} checks passed"
        )
    if wrong:
        raise typer.Exit(1)
