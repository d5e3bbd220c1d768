"""An option that stands for a field of a question has the limits, the choices and the default of the field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import typer.main

from pipelines.cli import app
from pipelines.questions.card.question import CardQuestion
from pipelines.questions.game.question import GameQuestion
from pipelines.questions.whatif.question import ManyGamesQuestion, WhatifQuestion

if TYPE_CHECKING:
    from pipelines.questions.address import Question


@pytest.mark.parametrize(
    ("command", "option", "kind", "field"),
    [
        ("card", "blocks", CardQuestion, "blocks"),
        ("review", "game", GameQuestion, "game"),
        ("review", "by", GameQuestion, "measure"),
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
    limits = kind.model_json_schema(by_alias=False)["properties"][field]
    assert found.min == limits.get("minimum")
    assert found.max in {None, limits.get("maximum")}
    assert list(getattr(found.type_descriptor.annotation, "__args__", ())) == limits.get("enum", [])
    assert found.default in {None, limits["default"]}
