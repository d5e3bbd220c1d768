"""An option that stands for a field of a question has the limits, the choices and the default of the field."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from pipelines.cli import app
from pipelines.design.designs import design_comparison
from pipelines.notebook.api import Library
from pipelines.questions.card.question import CardQuestion
from pipelines.questions.comparison.question import NewComparisonQuestion
from pipelines.questions.game.question import GameQuestion
from pipelines.questions.games.question import GamesQuestion
from pipelines.questions.simulation.question import SimulationQuestion
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion

if TYPE_CHECKING:
    from engine.catalogue import Catalogue
    from pipelines.questions.address import Question


@pytest.mark.parametrize(
    ("command", "option", "kind", "field"),
    [
        ("card", "blocks", CardQuestion, "blocks"),
        ("card", "seed", CardQuestion, "seed"),
        ("compare", "blocks", NewComparisonQuestion, "blocks"),
        ("games", "sort", GamesQuestion, "sort"),
        ("games", "low", GamesQuestion, "low"),
        ("games", "high", GamesQuestion, "high"),
        ("games", "most", GamesQuestion, "most"),
        ("review", "game", GameQuestion, "game"),
        ("review", "by", GameQuestion, "measure"),
        ("simulate", "games", SimulationQuestion, "games"),
        ("whatif", "n", WhatifQuestion, "n"),
        ("whatif", "max_games", ManyGamesQuestion, "most"),
        ("whatif", "seed", WhatifQuestion, "seed"),
    ],
)
def test_an_option_has_the_limits_of_its_field(
    command: str, option: str, kind: type[Question], field: str
) -> None:
    group: Any = typer.main.get_command(app)
    found = next(one for one in group.commands[command].params if one.name == option)
    schema = kind.model_json_schema(by_alias=False)["properties"][field]
    limits = {**schema, **schema.get("anyOf", [{}])[0]}  # a field that may be empty
    counted_from = 1 if option == "game" else 0  # people count games from 1
    assert found.min == (limits["minimum"] + counted_from if "minimum" in limits else None)
    assert found.max in {None, limits.get("maximum")}
    assert list(getattr(found.type_descriptor.annotation, "__args__", ())) == limits.get("enum", [])
    assert found.default in {None, limits["default"]}


def test_a_command_plays_as_many_blocks_as_the_page_and_the_notebook_if_nobody_names_a_number(
    catalogue: Catalogue,
) -> None:
    field = NewComparisonQuestion.model_fields["blocks"]
    design = design_comparison(catalogue.find_ruleset("bloxx-2p"), ["greedy", "random"])
    notebook = inspect.signature(Library.compare).parameters["blocks"]
    assert design.blocks == field.default == notebook.default
