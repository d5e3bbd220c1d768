"""The ladder: neighbouring rungs of every game, read from a file and written as a table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from engine import games
from engine.game import InvalidError
from engine.strategies import player
from pipelines import ladder

if TYPE_CHECKING:
    from pathlib import Path

    from engine.catalogue import Catalogue


def test_the_shipped_ladder_has_every_game_and_only_strategies_that_exist() -> None:
    found = ladder.read(ladder.FILE)
    assert set(found.rungs) == set(games.names())
    for game, rungs in found.rungs.items():
        assert len({player(games.game(game), name).name for name in rungs}) == len(rungs) >= 2


def test_every_number_of_players_of_the_game_itself_is_climbed(catalogue: Catalogue) -> None:
    for game in games.names():
        names = [ruleset.name for ruleset in ladder.main_rulesets(catalogue, game)]
        assert names == [f"{game}-{players}p" for players in (2, 3, 4)]


def test_a_climb_is_written_as_a_table_and_as_json(tmp_path: Path) -> None:
    file = tmp_path / "ladder.toml"
    file.write_text(
        'blocks = 10\n[rungs]\nbloxx = ["random", "greedy"]\nspexxx = ["random"]\n', encoding="utf-8"
    )
    assert ladder.main(["bloxx", "--workers", "1", "--file", str(file)]) == 0
    rungs = json.loads((tmp_path / "ladder.json").read_text(encoding="utf-8"))["rungs"]
    assert [(rung["ruleset"], rung["strategy"], rung["against"]) for rung in rungs] == [
        (f"bloxx-{players}p", "greedy", "random") for players in (2, 3, 4)
    ]
    assert all(rung["difference"]["low"] > 0 and rung["microseconds"] > 0 for rung in rungs)
    table = (tmp_path / "ladder.md").read_text(encoding="utf-8")
    assert table.count("| greedy | random | 10 |") == 3
    assert "python -m pipelines.ladder bloxx" in table


@pytest.mark.parametrize(
    ("text", "said"),
    [("blocks = ", "no TOML"), ("blocks = 1\n[rungs]", "blocks: "), ("blocks = 10", "rungs: Field required")],
)
def test_a_senseless_ladder_is_refused_with_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "ladder.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidError, match=r"ladder\.toml") as caught:
        ladder.read(file)
    assert said in str(caught.value)


def test_a_game_that_is_not_on_the_ladder_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert ladder.main(["chess"]) == 2
    assert "the ladder has no game 'chess'" in capsys.readouterr().err
