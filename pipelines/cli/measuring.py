"""The command that measures: bench."""

from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli.terminal import JsonOption, print_table


def bench(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Less than a minute, good to 20 %.")] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the figures as JSON to a file, too.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast games, runs and commands are on this machine."""
    from pipelines.bench import lines, report, stamp

    found = []
    for line in lines(quick=quick):
        found.append(line)
        typer.echo(f"  {line.name}: {_told(line.value)} {line.unit}", err=True)
    document = report(found, quick=quick)
    if out:
        out.write_text(document + "\n", encoding="utf-8")
    if as_json:
        typer.echo(document)
        return
    typer.echo(", ".join(str(value) for value in stamp().values()))
    print_table(["what", "figure", "unit"], [(line.name, _told(line.value), line.unit) for line in found])


def _told(value: float | None) -> str:
    """Write a figure with as many digits as it deserves.

    >>> _told(58123.4), _told(1.834), _told(None)
    ('58,123', '1.83', '-')
    """
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
