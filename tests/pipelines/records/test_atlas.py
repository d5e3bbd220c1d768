"""The atlas: a recorded card with two seeds for each ruleset, and what tables and sentences say of it."""

from __future__ import annotations

import re

import pytest

from engine.catalogue import Catalogue
from pipelines.records.atlas import AtlasCard, AtlasNumber, find_atlas_card, recorded_cards
from pipelines.report.atlas import describe_atlas, tabulate_atlas
from pipelines.report.card import list_atlas_measures, list_scales
from pipelines.statistics import Interval


def test_numbers_that_differ_clearly_from_the_first_ruleset_have_an_arrow() -> None:
    cards = [card for card in recorded_cards() if card.ruleset in {"bloxx-2p", "bloxx-touch-2p"}]
    rows = {row[0]: row[1:-1] for row in tabulate_atlas(cards, is_marked=True).rows}
    assert [str(cell).endswith(" ▲") for cell in rows["choices, mean"]] == [False, True]
    assert not any(str(cell).endswith(("▲", "▼")) for cell in rows["comebacks"])
    assert "edge of a seat, player 2" not in rows, "of two seats it mirrors that of player 1"
    assert "▲" not in str(tabulate_atlas(cards).rows)


def test_a_length_that_the_rules_fix_has_no_interval_and_other_numbers_have_theirs() -> None:
    cards = {card.ruleset: card for card in recorded_cards()}
    table = tabulate_atlas([cards["spexxx-2p"], cards["spexxx-mini"]], is_marked=True)
    rows = {row[0]: row[1:-1] for row in table.rows}
    assert rows["rounds of a game"] == ("23", "4 ▼")
    assert "A length without an interval is that of every game" in table.caption
    bloxx = tabulate_atlas([cards["bloxx-2p"], cards["bloxx-rest-2p"]])
    assert {row[0]: row[1] for row in bloxx.rows}["winner known after"] == "90 (90 to 90)"
    assert "without an interval" not in bloxx.caption


def test_a_recorded_card_stands_on_scales_among_the_others() -> None:
    card = next(one for one in recorded_cards() if one.ruleset == "bloxx-2p")
    scales = {scale.title: scale for scale in list_scales(list_atlas_measures(card), card.ruleset)}
    known = scales["Winner known after"]
    assert known.text == "90 % of the rounds"
    assert known.place
    assert known.place.estimate == pytest.approx(0.9)
    assert len(known.others) == len(recorded_cards()) - 1
    assert all(0 <= place <= 1 for scale in scales.values() for place, _ in scale.others)
    edges = [scales[f"Edge of a seat, player {player}"].place for player in (1, 2)]
    assert sum(place.estimate for place in edges if place) == pytest.approx(1)
    parts = [scale.text for title, scale in scales.items() if title.startswith("Luck, ")]
    assert len(parts) == 4
    assert not any("." in text for text in parts)
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d to 0\.\d\d\)", scales["Drama"].text)
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d to 0\.\d\d\)", scales["Skill-luck index"].text)
    assert {"Rounds of a game", "Moves of a game"} < scales.keys()
    assert known.ends == ("at the start, 0", "at the end, 100")
    assert "Highest: Spexxx, 2 players: 23. Source" in scales["Rounds of a game"].about


def test_a_card_shows_the_mean_of_both_seeds_with_an_interval_of_all_blocks() -> None:
    def make(interval: Interval | None, again: Interval | None) -> AtlasNumber:
        return AtlasNumber(key="seat", about="player 1", style="greedy", interval=interval, again=again)

    first, second = Interval(0.1, 0.04, 0.16), Interval(-0.02, -0.1, 0.06)
    pooled = make(first, second).pooled
    assert pooled == pytest.approx((0.04, -0.01, 0.09))
    assert make(None, second).pooled == make(second, None).pooled == second
    assert make(None, None).pooled is None
    card = AtlasCard(
        ruleset="a", title="", game="", sha256="", blocks=200, games=9, numbers=(make(first, second),)
    )
    table = tabulate_atlas([card])
    assert table.rows == (("edge of a seat, player 1", "+4 (−1 to 9)", "wins of 100"),)
    assert "over blocks: 400 for each ruleset" in table.caption


def test_rows_are_joined_by_measure_and_a_missing_number_is_missing() -> None:
    def make(ruleset: str, *keys: tuple[str, str, str]) -> AtlasCard:
        numbers = tuple(
            AtlasNumber(key=key, about=about, style=style, interval=Interval(0.5, 0.25, 0.75), again=None)
            for key, about, style in keys
        )
        return AtlasCard(
            ruleset=ruleset,
            title="",
            game="",
            sha256="",
            blocks=9,
            games=9,
            numbers=numbers,
        )

    table = tabulate_atlas(
        [
            make("a", ("seat", "player 1", "greedy"), ("index", "x against y", "")),
            make(
                "b",
                ("seat", "player 1", "greedy"),
                ("seat", "player 3", "greedy"),
                ("ladder", "y against z", ""),
            ),
        ]
    )
    assert [row[0] for row in table.rows] == [
        "edge of a seat, player 1",
        "edge of a seat, player 3",
        "skill-luck index",
    ]
    assert [row[1] is None for row in table.rows] == [False, True, False]
    assert [row[2] is None for row in table.rows] == [False, False, True]


def test_every_shipped_ruleset_of_several_players_has_a_card_of_its_rules() -> None:
    for ruleset in Catalogue().rulesets.values():
        assert (find_atlas_card(ruleset.sha256) is not None) == (ruleset.players > 1), ruleset.name


def test_a_sentence_says_what_differs_clearly_from_the_first_ruleset_with_intervals() -> None:
    cards = {card.ruleset: card for card in recorded_cards()}
    first, rest, touch, three = (cards[f"bloxx-{name}"] for name in ("2p", "rest-2p", "touch-2p", "3p"))
    assert describe_atlas([first, rest]) == (
        "greedy players take 18 (18 to 19) rounds a game, 11 under BLOXX! (shapes must rest on shapes)",
        "Player 1 wins 54 (49 to 59) of 100 games, 31 (26 to 35) under BLOXX! (shapes must rest on shapes)",
        "Half of the moves have at least 36 (35 to 37) choices, 22 (21 to 22) under BLOXX! (shapes must rest on shapes)",
    )
    assert describe_atlas([first, touch]) == (
        "Half of the moves have at least 36 (35 to 37) choices, 53 (52 to 54) under BLOXX! (shapes may hang)",
    )
    assert describe_atlas([first, rest, touch])[:2] == (
        (
            "greedy players take 18 (18 to 19) rounds a game, 11 under BLOXX! (shapes must rest on shapes); "
            "no clear difference under BLOXX! (shapes may hang)"
        ),
        (
            "Player 1 wins 54 (49 to 59) of 100 games, 31 (26 to 35) under BLOXX! (shapes must rest on shapes); "
            "no clear difference under BLOXX! (shapes may hang)"
        ),
    )
    assert re.search(
        r"wins 54 \(49 to 59\) of 100 games, 3\d .+ under BLOXX!, 3 players$",
        describe_atlas([first, three])[1],
    )
    assert describe_atlas([first, first]) == ("Length, wins of player 1 and choices do not differ clearly",)
