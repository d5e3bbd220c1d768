"""Rules as pages show them: found by looking at the games, so that a fifth game needs no page of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dashboard.rules.rulebook import (
    clauses_table,
    differing_settings,
    markup_to_html,
    provenance_table,
    ruleset_settings,
    side_by_side_table,
)
from dashboard.rules.ruleset_form import player_counts, ruleset_fields, with_value
from engine import games
from engine.clauses import Clause, read_clauses
from engine.errors import InvalidError
from pipelines.viewer.replay import assets

if TYPE_CHECKING:
    from engine.catalogue import Catalogue

every_game = pytest.mark.parametrize("game", games.game_names())


@every_game
def test_every_setting_of_every_ruleset_has_a_field_that_reads_what_it_writes(
    catalogue: Catalogue, game: str
) -> None:
    model = games.find_game(game).ruleset
    found = ruleset_fields(model)
    for ruleset in catalogue.rulesets.values():
        if ruleset.game != game:
            continue
        again: dict[str, object] = {}
        for field in found:
            value = field.value_in(ruleset.document)
            assert field.kind in {"choice", "number", "list", "table"}
            again = with_value(again, field.key, field.parse_text(field.format_text(value)))
        assert again == {part: ruleset.document[part] for part in ("options", "tables")}


@every_game
def test_every_field_says_what_it_means(game: str) -> None:
    named = ("points", "numbers", "coloured_rows", "side", "start")
    for field in ruleset_fields(games.find_game(game).ruleset):
        assert field.about or field.group in named, field.key
    assert player_counts(games.find_game(game).ruleset) == (2, 3, 4)


def test_a_line_that_cannot_be_read_is_named() -> None:
    rows = next(
        one for one in ruleset_fields(games.find_game("bloxx").ruleset) if one.key == "tables.coloured_rows"
    )
    for text, message in (
        ("green = 2\nblue", "line 2: expected a name, ="),
        ("green = 2\n\ngreen = 3", "line 3: green stands there twice"),
        ("green = two", "line 1, green: expected a whole number"),
    ):
        with pytest.raises(InvalidError, match=message):
            rows.parse_text(text)
    with pytest.raises(InvalidError, match="at most"):
        rows.parse_text("x" * 30_000)


def test_what_differs_between_rulesets_is_marked(catalogue: Catalogue) -> None:
    both = [catalogue.find_ruleset("bloxx-2p"), catalogue.find_ruleset("bloxx-rest-2p")]
    assert differing_settings(both) == {"bloxx-rest-2p": ["options.contact"]}
    table = side_by_side_table(both)
    assert table.count('class="differs"') == 2  # the contact and the title
    assert '<td class="differs">≠ rest</td>' in table
    assert 'colspan="3"' in table


def test_zone_points_are_listed_one_by_one(catalogue: Catalogue) -> None:
    found = ruleset_settings(catalogue.find_ruleset("spexxx-2p"))
    assert found["tables.points: red"] == "12"
    assert found["options.cubes: 2"] == "23"
    assert found["provenance.board"] == "our reconstruction"
    assert found["tables.board"].splitlines()[-1] == ".OOOOO*GGGGG*BBBBB#RRRRR"


def test_rules_are_text_and_nothing_in_them_is_run() -> None:
    evil = Clause(
        "BX-1", ("book",), 'See <img src=x onerror=alert(1)> and `a < b` and **ruling**: "no" *not*.'
    )
    table = clauses_table([evil])
    assert "<img" not in table
    assert "<code>a &lt; b</code>" in table
    assert "<strong>ruling</strong>" in table
    assert markup_to_html("2 * 3") == "2 * 3"


@every_game
def test_all_rules_and_origins_are_there(catalogue: Catalogue, game: str) -> None:
    table = clauses_table(read_clauses(game).clauses)
    assert all(f'<th scope="row">{clause.number}</th>' in table for clause in read_clauses(game).clauses)
    ruleset = next(one for one in catalogue.rulesets.values() if one.game == game)
    assert provenance_table(ruleset).count('scope="row"') == len(ruleset.provenance)


@every_game
def test_every_board_can_be_drawn_empty(catalogue: Catalogue, game: str) -> None:
    for ruleset in catalogue.rulesets.values():
        if ruleset.game == game:
            scene = games.find_game(game).scene(ruleset, [])
            assert scene["boards"]
            assert scene["steps"] == []
            assert {die["state"] for die in games.find_game(game).dice(ruleset)} <= {"open"}


def test_the_script_of_printed_boards_is_a_module() -> None:
    assert "export default function mount" in assets.replay_script("printed")
    assert ".print-boards" in assets.replay_style("printed")
