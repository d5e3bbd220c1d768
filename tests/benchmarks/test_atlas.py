"""The atlas is written with the cards of both seeds, as a file and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import atlas
from engine.catalogue import Catalogue
from pipelines.questions.card import CardQuestion, iter_card_answers
from pipelines.records.atlas import AtlasCard, AtlasFile, AtlasNumber
from pipelines.records.record_file import read_record_file
from pipelines.statistics import t_interval

if TYPE_CHECKING:
    from pathlib import Path


def test_the_command_makes_the_cards_and_their_page(tmp_path: Path) -> None:
    path = tmp_path / "atlas.json"
    assert atlas.main(["bloxx-mini", "--blocks", "10", "--out", str(path)]) == 0
    file = read_record_file(path, AtlasFile)
    (card,) = file.cards
    assert card.ruleset == "bloxx-mini"
    for seed, column in zip(atlas.SEEDS, ("interval", "again"), strict=True):
        question = CardQuestion(ruleset="bloxx-mini", blocks=10, seed=seed)
        *_, answer = iter_card_answers(question, Catalogue().find_ruleset("bloxx-mini"))
        for one, other in zip(card.numbers, answer.measures, strict=True):
            assert getattr(one, column) == pytest.approx(other.measured.interval, rel=1e-4)
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert "| measure | bloxx-mini | unit |" in page
    assert "skill-luck index" in page
    assert all(line.count("|") == 4 for line in page.splitlines() if line.startswith("|"))
    assert atlas.main(["nope", "--out", str(path)]) == 2


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
    count, inside, agreeing = atlas.count_inside(AtlasFile(cards=(card,)))
    assert count == 1000
    assert inside == pytest.approx(834, abs=36)  # three standard errors
    assert agreeing == pytest.approx(950, abs=21)
