"""The rules of all games as HTML and as form fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard.rules.rulebook import (
    clauses_table,
    markup_to_html,
)
from dashboard.rules.ruleset_form import ruleset_fields, with_value
from engine import games
from engine.clauses import Clause, read_clauses
from engine.errors import InvalidError
from pipelines.report.ruleset_words import format_setting, list_settings, read_setting_words

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

every_game = pytest.mark.parametrize("game", games.game_names())


@every_game
def test_every_field_parses_the_text_that_it_formats(catalogue: Catalogue, game: str) -> None:
    model = games.find_game(game).ruleset
    fields = ruleset_fields(model)
    for ruleset in catalogue.rulesets.values():
        if ruleset.game != game:
            continue
        parsed: dict[str, object] = {}
        for field in fields:
            value = field.value_in(ruleset.document)
            assert field.kind in {"choice", "number", "list", "table"}
            parsed = with_value(parsed, field.key, field.parse_text(field.format_text(value)))
        assert parsed == {part: ruleset.document[part] for part in ("options", "tables")}


@every_game
def test_every_field_has_a_title_and_a_meaning(game: str) -> None:
    for field in ruleset_fields(games.find_game(game).ruleset):
        assert field.about or field.group == "points", field.key
        assert field.setting in read_setting_words(game)["titles"] or field.group == "points", field.key
        assert field.kind != "choice" or all(
            format_setting(game, field.setting, choice) != choice for choice in field.choices
        )
    assert games.find_game(game).ruleset.player_counts() == (2, 3, 4)


def test_an_invalid_line_is_reported_by_number() -> None:
    fields = ruleset_fields(games.find_game("bloxx").ruleset)
    rows = next(field for field in fields if field.key == "tables.coloured_rows")
    for text, message in (
        ("green = 2\nblue", "line 2: expected name = value, not 'blue'"),
        ("green = 2\n\ngreen = 3", "line 3: green occurs twice"),
        ("green = two", "line 1, green: expected a whole number"),
    ):
        with pytest.raises(InvalidError, match=message):
            rows.parse_text(text)
    with pytest.raises(InvalidError, match="at most"):
        rows.parse_text("x" * 30_000)


def test_a_table_of_short_values_has_a_setting_for_each_value(catalogue: Catalogue) -> None:
    settings = list_settings(catalogue.find_ruleset("spexxx-2p"))
    assert settings["tables.points.red"] == ("points of a cube on a square: red", "12")
    assert settings["options.cubes.2"] == ("cubes of each player: 2 players", "23")
    assert settings["provenance.board"] == ("origin: board", "our reconstruction")
    assert settings["tables.board"][1].splitlines()[-1] == ".OOOOO*GGGGG*BBBBB#RRRRR"


def test_markup_in_a_clause_is_shown_as_text() -> None:
    hostile_clause = Clause(
        "BX-1", ("book",), 'See <img src=x onerror=alert(1)> and `a < b` and **ruling**: "no" *not*.'
    )
    table = clauses_table([hostile_clause])
    assert "<img" not in table
    assert "<code>a &lt; b</code>" in table
    assert "<strong>ruling</strong>" in table
    assert markup_to_html("2 * 3") == "2 * 3"


@every_game
def test_the_table_contains_all_clauses(game: str) -> None:
    table = clauses_table(read_clauses(game).clauses)
    assert all(f'<th scope="row">{clause.number}</th>' in table for clause in read_clauses(game).clauses)


@every_game
def test_every_board_can_be_drawn_empty(catalogue: Catalogue, game: str) -> None:
    for ruleset in catalogue.rulesets.values():
        if ruleset.game == game:
            scene = games.find_game(game).scene(ruleset, [])
            assert scene["boards"]
            assert scene["steps"] == []
            assert {die["state"] for die in games.find_game(game).dice(ruleset)} <= {"open"}
