"""The command line `reroll`: one module for each group of commands, named after them."""

from typing import Annotated, Final

import typer

from pipelines.cli import (
    ask,
    card,
    catalogue,
    compare,
    dashboard,
    documentation,
    exchange,
    games,
    lessons,
    measure,
    notes,
    openings,
    play,
    query,
    review,
    rule,
    runs,
    simulate,
    studies,
    verify,
    whatif,
)
from pipelines.cli.errors import CommandGroup
from pipelines.cli.output import print_text
from pipelines.cli.question_options import QuestionCommand

app = typer.Typer(
    name="reroll",
    cls=CommandGroup,
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="A laboratory for tabletop games: play by the book, log every move, replay, compare.",
    epilog="Start with: reroll demo. The options of a command: reroll help simulate",
)

OWN_CLASSES: Final = {ask.ask: ask.AskCommand, query.sql: query.QueryCommand}
"""The classes of commands that need one of their own."""

for section, command, example in (
    ("Begin", dashboard.demo, "reroll demo --no-browser"),
    ("Begin", dashboard.dashboard, "reroll dashboard --port 8600"),
    ("Begin", documentation.docs, "reroll docs first-hour"),
    ("Begin", documentation.help_, "reroll help simulate"),
    ("Play", catalogue.rulesets, "reroll rulesets bloxx-3p"),
    ("Play", catalogue.strategies, "reroll strategies bloxx"),
    ("Play", play.play, "reroll play bloxx-2p --seats me,greedy"),
    (
        "Play",
        simulate.simulate,
        "reroll simulate bloxx-3p --strategies greedy,greedy,random --games 3000 --seed 7",
    ),
    ("Play", simulate.resume, "reroll resume bloxx-3p-20260101-120000"),
    ("Ask", compare.compare, "reroll compare bloxx-3p greedy random --blocks 2000"),
    ("Ask", whatif.whatif, "reroll whatif demo-bloxx-3p --game 17 --move 20 --player 1 --strategy random"),
    ("Ask", ask.ask, "reroll ask '/scores?rulesets=bloxx-2p'"),
    ("Ask", openings.openings, "reroll openings blokus-duo --strategies noisy"),
    ("Ask", card.card, "reroll card bloxx-2p --strategy noisy"),
    ("Ask", rule.rule, "reroll rule bloxx-2p --vary gap_penalty=0..4 --strategies greedy,planner"),
    ("Ask", review.review, "reroll review demo-bloxx-3p --game 17"),
    ("Ask", query.sql, 'reroll sql "SELECT run, strategy, avg(score) FROM seats GROUP BY ALL"'),
    ("Look at runs", runs.ls, "reroll ls --json"),
    ("Look at runs", runs.info, "reroll info demo-bloxx-3p"),
    ("Look at runs", games.games, "reroll games --sort margin --lowest --ruleset bloxx-3p"),
    ("Look at runs", runs.show, "reroll show demo-bloxx-3p --game 17 --move 20"),
    ("Look at runs", verify.verify, "reroll verify demo-bloxx-3p"),
    ("Look at runs", verify.renew, "reroll renew demo-bloxx-3p"),
    ("Look at runs", runs.rm, "reroll rm demo-bloxx-3p --yes"),
    ("Keep and give away", notes.note, 'reroll note demo-bloxx-3p --game 17 --move 20 --text "too greedy"'),
    ("Keep and give away", notes.notes, "reroll notes greedy --kind ply"),
    ("Keep and give away", lessons.lessons, "reroll lessons demo-bloxx-2p --limit 20"),
    ("Keep and give away", compare.baseline, "reroll baseline --strategy greedy"),
    (
        "Keep and give away",
        studies.study,
        "reroll study demo-comparison-bloxx-2p demo-bloxx-3p#17:20 --out study.html",
    ),
    ("Keep and give away", studies.publish, "reroll publish --out site"),
    ("Keep and give away", exchange.export, "reroll export demo-bloxx-3p --game 17 --out game.html"),
    ("Keep and give away", exchange.import_, "reroll import game.blksgf"),
    ("This machine", measure.doctor, "reroll doctor"),
    ("This machine", measure.bench, "reroll bench"),
):
    app.command(
        command.__name__.strip("_"),
        cls=OWN_CLASSES.get(command, QuestionCommand),
        epilog=f"Example: {example}",
        rich_help_panel=section,
    )(command)


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
    """Accept the options that stand before the command, and check the clock."""
    from pipelines.runs.clock import check_clock

    check_clock()


def main() -> None:
    """Run the command line, as `reroll` and as `python -m pipelines`."""
    app(prog_name="reroll")
