"""The command line: `reroll`."""

from typing import Annotated

import typer

from pipelines.cli import (
    asking,
    comparing,
    exchanging,
    keeping,
    knowing,
    looking,
    making,
    measuring,
    reviewing,
    serving,
)
from pipelines.cli.terminal import Commands, say

app = typer.Typer(
    name="reroll",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="A laboratory for tabletop games: play by the book, log every ply, replay, compare.",
    epilog="Start with: reroll demo",
)

for command, example in (
    (serving.demo, "reroll demo --no-browser"),
    (serving.dashboard, "reroll dashboard --port 8600"),
    (knowing.rulesets, "reroll rulesets bloxx-3p"),
    (knowing.strategies, "reroll strategies bloxx"),
    (making.simulate, "reroll simulate bloxx-3p --strategies greedy,greedy,random --games 3000 --seed 7"),
    (making.resume, "reroll resume bloxx-3p-20260101-120000"),
    (comparing.compare, "reroll compare bloxx-3p greedy random --blocks 2000"),
    (asking.whatif, "reroll whatif demo-bloxx-3p 17 --ply 20 --seat 0 --strategy random"),
    (reviewing.review, "reroll review demo-bloxx-3p 17"),
    (looking.show, "reroll show demo-bloxx-3p 17 --ply 20"),
    (looking.ls, "reroll ls --json"),
    (looking.info, "reroll info demo-bloxx-3p"),
    (keeping.verify, "reroll verify demo-bloxx-3p"),
    (looking.sql, 'reroll sql "SELECT run, strategy, avg(score) FROM seats GROUP BY ALL"'),
    (measuring.bench, "reroll bench --quick"),
    (exchanging.export, "reroll export demo-bloxx-3p 17 --out game.html"),
    (exchanging.import_, "reroll import game.blksgf"),
    (measuring.doctor, "reroll doctor"),
    (keeping.rm, "reroll rm demo-bloxx-3p --yes"),
):
    app.command(command.__name__.strip("_"), epilog=f"Example: {example}")(command)


def say_version(asked: bool) -> None:  # noqa: FBT001 - typer gives the option's value
    """Say the version and end, if asked to."""
    if asked:
        from importlib import metadata

        say(f"reroll {metadata.version('reroll')}")
        raise typer.Exit


@app.callback()
def options(
    *,
    _version: Annotated[
        bool, typer.Option("--version", help="Say the version and end.", is_eager=True, callback=say_version)
    ] = False,
) -> None:
    """Take what stands before the command."""


def main() -> None:
    """Run the command line: `reroll`, also where it is started as `python -m pipelines`."""
    app(prog_name="reroll")
