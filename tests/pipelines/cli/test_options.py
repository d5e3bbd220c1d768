"""An option that stands for a field of a question has the help, the limits and the default of the field."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from pipelines.cli import app
from pipelines.cli.question_options import QUESTIONS_OF_COMMANDS
from pipelines.design.designs import design_comparison
from pipelines.notebook.api import Library
from pipelines.questions.comparison import NewComparisonQuestion
from pipelines.questions.game import GameQuestion
from pipelines.questions.simulation import SimulationQuestion
from pipelines.questions.whatif import WhatifQuestion
from tests.command_line import run_reroll

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from pipelines.questions.address import Question


def list_params(command: str) -> list[Any]:
    """Return the parameters of a command, completed from the fields of its questions."""
    group: Any = typer.main.get_command(app)
    return group.commands[command].get_params(typer.Context(group.commands[command]))  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("command", "option", "kind", "field"),
    [
        ("compare", "blocks", NewComparisonQuestion, "blocks"),
        ("review", "game", GameQuestion, "game"),
        ("simulate", "games", SimulationQuestion, "games"),
        ("whatif", "n", WhatifQuestion, "n"),
    ],
)
def test_an_option_with_a_help_of_its_own_has_the_least_value_of_its_field(
    command: str, option: str, kind: type[Question], field: str
) -> None:
    found = next(one for one in list_params(command) if one.name == option)
    schema = kind.model_json_schema(by_alias=False)["properties"][field]
    counted_from = 1 if option == "game" else 0  # people count games from 1
    assert found.min == schema["minimum"] + counted_from
    assert found.max in {None, schema["maximum"]}


@pytest.mark.parametrize("command", sorted(QUESTIONS_OF_COMMANDS))
def test_every_option_has_a_help(command: str) -> None:
    """Otherwise it stands for no field: its name is misspelt, or the field has no sentence."""
    assert [one.name for one in list_params(command) if not (one.help or one.hidden)] == []


@pytest.mark.parametrize(
    ("command", "option", "sentence", "limits"),
    [
        ("games", "--limit N", "Maximum number of games to list of each game.", "[default: 20; 1<=x<=200]"),
        ("games", "--winner STRATEGY", "Only games that it won.", "At most 2,000 characters."),
        ("games", "--logged", "Only games that can be replayed, because their moves are logged.", ""),
        (
            "games",
            "--sort <score|margin|comeback|lead|length|luck|game>",
            "What to sort by.",
            "[default: score]",
        ),
        (
            "whatif",
            "--seed SEED",
            "Seed of the luck of the continuations.",
            "[default: 0; 0<=x<=18446744073709551615]",
        ),
    ],
)
def test_the_help_of_an_option_is_that_of_its_field(
    command: str, option: str, sentence: str, limits: str
) -> None:
    shown = " ".join(run_reroll(command, "--help").stdout.split())
    assert f"{option} {sentence} {limits}{limits and ' '}-" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("games", "--limit", "many"), "'--limit': expected a whole number, not 'many'"),
        (
            ("compare", "bloxx-2p", "--metric", "luck"),
            "'--metric': There is no measure luck; expected score or ",
        ),
        (("games", "--sort", "xyz"), "'--sort': There is no order xyz; expected score, "),
        (("games", "--limit", "201"), "'--limit': expected a whole number from 1 to 200, not 201"),
        (
            ("whatif", "x", "--move", "1", "--player", "9"),
            "'--player': expected a whole number from 1 to 8, not 9",
        ),
        (("whatif", "x", "--move", "1", "--many", "lost:0"), "'--many': "),
    ],
)
def test_a_field_refuses_the_value_of_its_option(words: tuple[str, ...], message: str) -> None:
    result = run_reroll(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"reroll: Invalid value for {message}")
    assert result.stderr.endswith(f"; see reroll {words[0]} --help\n")


def test_an_option_that_is_left_out_has_the_default_of_its_field() -> None:
    group: Any = typer.main.get_command(app)
    params = group.commands["games"].make_context("games", ["--to", "3"]).params
    assert (params["sort"], params["limit"], params["low"], params["high"]) == ("score", 20, None, 3)


def test_a_command_plays_as_many_blocks_as_the_page_and_the_notebook_if_nobody_names_a_number(
    catalogue: Catalogue,
) -> None:
    field = NewComparisonQuestion.model_fields["blocks"]
    design = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"])
    notebook = inspect.signature(Library.compare).parameters["blocks"]
    assert design.blocks == field.default
    assert notebook.default is None, "the design chooses, as for the command"
