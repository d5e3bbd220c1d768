"""The commands that measure and examine: bench, doctor."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.output import DataOption, JsonOption, library, print_json, print_table, say


def bench(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Less than a minute, good to 20 %.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the figures as JSON to a file, too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast games, runs and commands are on this machine."""
    from pipelines.measure.bench import lines, report, stamp

    found = []
    for line in lines(quick=quick):
        found.append(line)
        say(f"  {line.name}: {_told(line.value)} {line.unit}", err=True)
    document = report(found, quick=quick)
    if out:
        out.write_text(document + "\n", encoding="utf-8")
    if as_json:
        say(document)
        return
    say(", ".join(str(value) for value in stamp().values()))
    print_table(["what", "figure", "unit"], [(line.name, _told(line.value), line.unit) for line in found])


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

    place, wrong, told = library(data), 0, []
    if tidy:
        say(f"removed {doctors.tidy(place)} leftovers", err=True)
    for finding in doctors.examine(place):
        wrong += not finding.ok
        told.append(asdict(finding))
        if not as_json:
            say(f"{'ok   ' if finding.ok else 'WRONG'}  {finding.about}: {finding.says}")
            if not finding.ok and finding.mend:
                say(f"       mend: {finding.mend}")
    if as_json:
        print_json({"ok": not wrong, "findings": told})
    else:
        say(f"{wrong} of {len(told)} things are wrong" if wrong else f"all {len(told)} things are fine")
    if wrong:
        raise typer.Exit(1)


def _told(value: float | None) -> str:
    """Write a figure with as many digits as it deserves.

    >>> _told(58123.4), _told(1.834), _told(None)
    ('58,123', '1.83', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
