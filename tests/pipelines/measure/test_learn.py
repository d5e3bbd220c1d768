"""Learning the values of the strategy `learned`: equal commands learn equal values, and the index says how."""

from __future__ import annotations

import hashlib
import re
import tomllib
import zlib
from typing import TYPE_CHECKING

import numpy as np
import pytest

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import can_compile_games
from pipelines.measure import learn

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


def test_every_entry_of_the_shipped_index_has_its_command_and_the_hash_of_its_values() -> None:
    folder = learn.values_folder(Catalogue().find_ruleset("spexxx-2p"))
    files = tomllib.loads((folder / "index.toml").read_text(encoding="utf-8"))["files"]
    assert {name.partition("-")[2] for name in files} == {"2p.zlib", "3p.zlib"}
    assert sum((folder / name).stat().st_size for name in files) < 2_000_000
    for name, entry in files.items():
        content = zlib.decompress((folder / name).read_bytes())
        assert hashlib.sha256(content).hexdigest() == entry["sha256"]
        assert re.match(
            r"python -m pipelines\.measure\.learn spexxx-\w+ --games \d+ --seed \d+$", entry["command"]
        )
        assert entry["version"] == learn.VALUES_VERSION


def test_a_game_that_cannot_be_learned_is_refused_in_one_line() -> None:
    with pytest.raises(InvalidError, match=r"^bloxx-2p: bloxx has no strategy that learns$"):
        learn.learn_ruleset(Catalogue().find_ruleset("bloxx-2p"), 1, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("turn_to_train")
def test_equal_seeds_learn_equal_values() -> None:
    """Some hundred games move the values away from the first ones, and another seed moves them elsewhere."""
    ruleset = Catalogue().find_ruleset("spexxx-2p")
    (name, entry, content), again, other = (learn.learn_ruleset(ruleset, 200, seed) for seed in (1, 1, 2))
    assert (name, entry, content) == again
    assert content != other[2]
    assert entry["command"] == "python -m pipelines.measure.learn spexxx-2p --games 200 --seed 1"
    assert np.count_nonzero(np.frombuffer(content, "<i2")) > 10_000
