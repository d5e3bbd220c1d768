"""The atlas: a recorded card with two seeds for each ruleset, and what tables and sentences say of it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from engine.catalogue import Catalogue
from pipelines.records.atlas import AtlasCard, AtlasFile, AtlasNumber, find_atlas_card, recorded_cards
from pipelines.report.card import describe_atlas, list_atlas_measures, list_scales, tabulate_atlas
from pipelines.statistics import Interval, t_interval


def test_what_differs_clearly_between_rulesets_is_apart_from_what_does_not() -> None:
    cards = [one for one in recorded_cards() if one.ruleset in {"bloxx-2p", "bloxx-touch-2p"}]
    differing, alike, both = (tabulate_atlas(cards, differing=are).rows for are in (True, False, None))
    assert len(differing) + len(alike) == len(both)
    (choices,) = [row for row in differing if row[0] == "choices, mean"]
    assert [str(cell).endswith("▲ more") for cell in choices] == [False, False, True, False]
    assert "comebacks" in [row[0] for row in alike]
    assert not any(
        "more" in str(cell) or "less" in str(cell) for row in [*alike, *both] for cell in row[1:-1]
    )


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


def test_seeds_of_equal_precision_agree_in_95_of_100_numbers_and_lie_inside_in_83() -> None:
    rng = np.random.default_rng(1)
    numbers = tuple(
        AtlasNumber(
            key="rounds",
            about=str(number),
            style="greedy",
            interval=t_interval(rng.normal(size=200)),
            again=t_interval(rng.normal(size=200)),
        )
        for number in range(1000)
    )
    card = AtlasCard(
        ruleset="",
        title="",
        game="",
        sha256="",
        blocks=200,
        games=200,
        numbers=numbers,
    )
    count, inside, agreeing = AtlasFile(cards=(card,)).count_inside()
    assert count == 1000
    assert inside == pytest.approx(834, abs=36)  # three standard errors
    assert agreeing == pytest.approx(950, abs=21)


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
        assert (find_atlas_card(ruleset) is not None) == (ruleset.players > 1), ruleset.name


def test_a_sentence_says_where_skill_counts_most_if_the_ladders_have_the_same_ends(
    catalogue: Catalogue,
) -> None:
    first, second, other = (
        find_atlas_card(catalogue.find_ruleset(name)) for name in ("bloxx-2p", "bloxx-4p", "bloxx-rest-2p")
    )
    assert first
    assert second
    assert other
    assert describe_atlas([second, first]).startswith(
        "skill counts most under BLOXX!, 2 players, with a skill-luck index of 0.9"
    )
    assert "least under BLOXX!, 4 players" in describe_atlas([first, second])
    assert "does not differ clearly" in describe_atlas([first, first])
    assert describe_atlas([first]) == describe_atlas([first, other]) == ""
