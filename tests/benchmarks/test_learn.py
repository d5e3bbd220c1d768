"""Learning the values of the strategy `learned`: equal commands learn equal values, and the index says how."""

from __future__ import annotations

import tomllib
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks import learn
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games

if TYPE_CHECKING:
    from pathlib import Path

if not can_compile_games():
    pytest.skip("Numba is not installed", allow_module_level=True)


def test_the_index_keeps_the_entries_of_other_files(tmp_path: Path) -> None:
    folder = tmp_path / "learned"
    learn.write_values(folder, "3p.zlib", {"command": "first"}, b"12")
    learn.write_values(folder, "2p.zlib", {"command": "second"}, b"34")
    learn.write_values(folder, "3p.zlib", {"command": "third"}, b"56")
    index = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))
    assert index["files"] == {"2p.zlib": {"command": "second"}, "3p.zlib": {"command": "third"}}
    assert zlib.decompress((folder / "3p.zlib").read_bytes()) == b"56"


def test_a_game_that_cannot_be_learned_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidError, match=r"^bloxx-2p: bloxx has no strategy that learns$"):
        learn.learn_ruleset(Catalogue().find_ruleset("bloxx-2p"), 1, 1)


@pytest.mark.usefixtures("turn_to_train")
@pytest.mark.parametrize(
    ("ruleset", "played", "learned"), [("spexxx-2p", 200, 10_000), ("blokus-dice-2p", 60, 1_000)]
)
def test_equal_seeds_learn_equal_values(ruleset: str, played: int, learned: int) -> None:
    """Some games move the values away from the first ones, and another seed moves them elsewhere."""
    rules = Catalogue().find_ruleset(ruleset)
    (name, entry, content), again, other = (learn.learn_ruleset(rules, played, seed) for seed in (1, 1, 2))
    assert (name, entry, content) == again
    assert content != other[2]
    assert entry["command"] == f"python -m benchmarks.learn {ruleset} --games {played} --seed 1"
    assert np.count_nonzero(np.frombuffer(content, "<i2")) > learned
