"""Learn the values that the strategy `learned` of a game plays by, from games against itself.

    python -m benchmarks.learn spexxx-2p spexxx-3p --games 30000 --seed 1

The values of every ruleset go to the folder `learned` of its game, and its entry to `index.toml` there. Equal
commands learn equal values. Afterwards play against other strategies with other seeds: `reroll compare`.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomli_w

from benchmarks.command_line import make_parser, print_progress
from engine import games
from engine.catalogue import Catalogue
from engine.errors import InvalidError
from engine.kernels.loader import find_kernel
from engine.weights import INDEX_NAME, read_value_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.ruleset import Ruleset

VALUES_VERSION: Final = 1
"""Version of the layout of the values; a file of values is of use only to the code of its version."""
INDEX_HEAD: Final = "# What each file holds. Written by `python -m benchmarks.learn`; do not edit.\n\n"


def learn_ruleset(ruleset: Ruleset, played: int, seed: int) -> tuple[str, dict[str, Any], bytes]:
    """Learn the values of a ruleset; return the name of their file, its entry in the index, and the values as bytes.

    Raises InvalidError if the game is not compiled here or has nothing that learns.
    """
    learning = _import_learning(ruleset)
    values: NDArray[Any] = learning.learn_values(
        ruleset, played, seed, lambda done, mean: _print_progress(ruleset.name, done, played, mean)
    )
    content = values.tobytes()
    name, entry = learning.describe_values(ruleset)
    entry |= {
        "version": VALUES_VERSION,
        "command": f"python -m benchmarks.learn {ruleset.name} --games {played} --seed {seed}",
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return name, entry, content


def write_values(folder: Path, name: str, entry: dict[str, Any], content: bytes) -> None:
    """Write a compressed file of values, and its entry to the index of the folder."""
    folder.mkdir(exist_ok=True)
    files = read_value_index(folder) | {name: entry}
    (folder / name).write_bytes(zlib.compress(content, 9))
    index = tomli_w.dumps({"files": dict(sorted(files.items()))})
    (folder / INDEX_NAME).write_text(INDEX_HEAD + index, encoding="utf-8")


def values_folder(ruleset: Ruleset) -> Path:
    """Return the folder with the learned values of a ruleset's game."""
    return Path(games.__path__[0]) / ruleset.game.replace("-", "_") / "learned"


def _import_learning(ruleset: Ruleset) -> Any:  # noqa: ANN401 - a module
    if find_kernel(ruleset) is None:
        raise InvalidError(f"{ruleset.name} has no compiled game here, so nothing can be learned")
    module = f"benchmarks.learners.{ruleset.game.replace('-', '_')}"
    if importlib.util.find_spec(module) is None:
        raise InvalidError(f"{ruleset.name}: {ruleset.game} has no strategy that learns")
    return importlib.import_module(module)


def main(words: Sequence[str] | None = None) -> None:
    """Learn from the command line, one ruleset after the other. The progress goes to standard error."""
    arguments = _parse_arguments(words)
    try:
        for ruleset in [Catalogue().find_ruleset(name) for name in arguments.rulesets]:
            write_values(values_folder(ruleset), *learn_ruleset(ruleset, arguments.games, arguments.seed))
    except InvalidError as error:
        sys.exit(f"reroll: {error}")


def _parse_arguments(words: Sequence[str] | None) -> Any:  # noqa: ANN401 - argparse gives a namespace
    parser = make_parser("learn", __doc__)
    parser.add_argument("rulesets", nargs="+", metavar="RULESET")
    parser.add_argument("--games", type=int, default=30_000, help="games that each ruleset is learned from")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(words)


def _print_progress(ruleset: str, done: int, played: int, mean: float) -> None:
    print_progress(f"{ruleset}: {done} of {played} games, mean score {mean:.2f}")


if __name__ == "__main__":
    main()
