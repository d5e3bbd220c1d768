"""The command line `reroll`: one module for each group of commands, named after them."""

from typing import Annotated

import typer

from pipelines.cli import (
    catalogue,
    compare,
    dashboard,
    documentation,
    exchange,
    measure,
    review,
    runs,
    simulate,
    whatif,
)
from pipelines.cli.errors import CommandGroup
from pipelines.cli.output import print_text

app = typer.Typer(
    name="reroll",
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="A laboratory for tabletop games: play by the book, log every ply, replay, compare.",
    epilog="Start with: reroll demo",
)

for command, example in (
    (dashboard.demo, "reroll demo --no-browser"),
    (dashboard.dashboard, "reroll dashboard --port 8600"),
    (catalogue.rulesets, "reroll rulesets bloxx-3p"),
    (catalogue.strategies, "reroll strategies bloxx"),
    (simulate.simulate, "reroll simulate bloxx-3p --strategies greedy,greedy,random --games 3000 --seed 7"),
    (simulate.resume, "reroll resume bloxx-3p-20260101-120000"),
    (compare.compare, "reroll compare bloxx-3p greedy random --blocks 2000"),
    (whatif.whatif, "reroll whatif demo-bloxx-3p 17 --ply 20 --seat 0 --strategy random"),
    (review.review, "reroll review demo-bloxx-3p 17"),
    (runs.show, "reroll show demo-bloxx-3p 17 --ply 20"),
    (runs.ls, "reroll ls --json"),
    (runs.info, "reroll info demo-bloxx-3p"),
    (runs.verify, "reroll verify demo-bloxx-3p"),
    (runs.sql, 'reroll sql "SELECT run, strategy, avg(score) FROM seats GROUP BY ALL"'),
    (measure.bench, "reroll bench --quick"),
    (exchange.export, "reroll export demo-bloxx-3p 17 --out game.html"),
    (exchange.import_, "reroll import game.blksgf"),
    (measure.doctor, "reroll doctor"),
    (runs.rm, "reroll rm demo-bloxx-3p --yes"),
    (documentation.docs, "reroll docs first-hour"),
    (documentation.help_, "reroll help simulate"),
):
    command_class = runs.QueryCommand if command is runs.sql else None
    app.command(command.__name__.strip("_"), cls=command_class, epilog=f"Example: {example}")(command)


def print_version(requested: bool) -> None:  # noqa: FBT001 - typer passes the value of the option
    """Print the version and exit if --version was given."""
    if requested:
        from importlib import metadata

        print_text(f"reroll {metadata.version('reroll')}")
        raise typer.Exit


@app.callback()
def global_options(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", help="Show the version and exit.", is_eager=True, callback=print_version),
    ] = False,
) -> None:
    """Accept the options that stand before the command."""


def main() -> None:
    """Run the command line, as `reroll` and as `python -m pipelines`."""
    app(prog_name="reroll")
