"""The commands that measure and examine: bench, doctor."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.output import DataOption, JsonOption, open_library, print_json, print_table, print_text


def bench(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Less than a minute, good to 20 %.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the figures as JSON to a file, too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast games, runs and commands are on this machine."""
    from pipelines.measure.bench import format_report, iter_measurements, machine_stamp

    found = []
    for line in iter_measurements(quick=quick):
        found.append(line)
        print_text(f"  {line.name}: {_format_figure(line.value)} {line.unit}", err=True)
    document = format_report(found, quick=quick)
    if out:
        out.write_text(document + "\n", encoding="utf-8")
    if as_json:
        print_text(document)
        return
    print_text(", ".join(str(value) for value in machine_stamp().values()))
    print_table(
        ["what", "figure", "unit"], [(line.name, _format_figure(line.value), line.unit) for line in found]
    )


def doctor(
    *,
    tidy: Annotated[
        bool, typer.Option("--tidy", help="Remove what killed processes left, which nobody else sees.")
    ] = False,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Examine the installation, the library, the dice and the games. Exit code 1 if something is wrong."""
    from pipelines.service import doctor as doctors

    place, wrong, told = open_library(data), 0, []
    if tidy:
        print_text(f"removed {doctors.remove_leftovers(place)} leftovers", err=True)
    for finding in doctors.diagnose_all(place):
        wrong += not finding.ok
        told.append(asdict(finding))
        if not as_json:
            print_text(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.about}: {finding.says}")
            if not finding.ok and finding.mend:
                print_text(f"       mend: {finding.mend}")
    if as_json:
        print_json({"ok": not wrong, "findings": told})
    else:
        print_text(
            f"{wrong} of {len(told)} things are wrong" if wrong else f"all {len(told)} things are fine"
        )
    if wrong:
        raise typer.Exit(1)


def _format_figure(value: float | None) -> str:
    """Write a figure with as many digits as it deserves.

    >>> _format_figure(58123.4), _format_figure(1.834), _format_figure(None)
    ('58,123', '1.83', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
