"""Examining: the installation, the luck, the games and the library. What is wrong is said with how to mend it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from dataclasses import dataclass
from importlib import metadata
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.kernels.loader import kernel_cache_folder
from engine.luck import PURPOSE_DICE, Luck, philox
from pipelines.design.comparison import design_comparison
from pipelines.experiments.compare.controls import SUSPICIOUS_P_VALUE, mirror_difference
from pipelines.simulate import compiled_games
from pipelines.statistics import chi_square

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pipelines.runs.library import Library

LUCK_BLOCKS: Final = 12_000
"""Of which luck is drawn: a face that comes up in 17.7 instead of 16.7 of 100 throws is found nine times in ten."""
DIE_FACES: Final = 6
LUCK_SEEDS: Final = (0, 7, 2**64 - 1)
MIN_FREE_BYTES: Final = 1 << 30
"""Bytes that should be free: a run of 10 million plies and its shards take about a tenth of that."""
LEFTOVER_AGE_SECONDS: Final = 3600.0
"""Seconds after which a folder that was to live for an instant was left by a process that died."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    about: str
    ok: bool
    says: str
    mend: str = ""
    """What to do, if something is wrong."""


def diagnose_all(library: Library) -> Iterator[Finding]:
    """Look at everything, quick things first."""
    yield from diagnose_packages()
    yield diagnose_kernel_cache(kernel_cache_folder())
    yield from diagnose_data_folder(library)
    yield from diagnose_runs(library)
    yield from diagnose_unfinished_runs(library)
    yield diagnose_leftovers(library)
    yield from diagnose_luck()
    yield from diagnose_mirrors()


def diagnose_packages() -> Iterator[Finding]:
    """Look for Python and for every package that Reroll needs."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", sys.version_info >= (3, 11), f"Python {version}", "install Python 3.11 or newer")
    needed = [text for text in metadata.requires("reroll") or [] if "extra ==" not in text]
    found, wrong = [], []
    for text in needed:
        name, _, least = text.partition(";")[0].strip().partition(">=")
        try:
            version = metadata.version(name)
        except metadata.PackageNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        found.append(f"{name} {version}")
        if _version_numbers(version) < _version_numbers(least):
            wrong.append(f"{name} {version} is older than {least}")
    yield Finding(
        "packages",
        not wrong,
        "; ".join(wrong) or f"reroll {metadata.version('reroll')} with {', '.join(found)}",
        "make demo sets them up; or: pip install --upgrade reroll",
    )


def _version_numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:3]]


def diagnose_kernel_cache(place: Path) -> Finding:
    """Look whether compiled games can be kept."""
    if os.environ.get("REROLL_KERNELS", "1") == "0":
        return Finding("compiled games", ok=True, says="switched off by REROLL_KERNELS=0: plain rules play")
    try:
        place.mkdir(parents=True, exist_ok=True)
        kept = sum(1 for _ in place.rglob("*.nbc"))
        ok = os.access(place, os.W_OK)
    except OSError as error:
        kept, ok = 0, False
        says = f"{place}: {error.strerror}"
    else:
        says = f"{place} keeps {kept} compiled functions" if ok else f"{place} cannot be written"
    return Finding(
        "compiled games", ok, says, "name another folder with REROLL_CACHE, or every start compiles anew"
    )


def diagnose_data_folder(library: Library) -> Iterator[Finding]:
    """Look whether runs can be written, and whether there is room."""
    place = next(path for path in (library.runs_folder, *library.runs_folder.parents) if path.exists())
    yield Finding(
        "data folder",
        place.is_dir() and os.access(place, os.W_OK | os.X_OK),
        f"{library.folder}" + ("" if place == library.runs_folder else " (empty yet)"),
        "name a folder that you may write to with --data or REROLL_DATA",
    )
    free = shutil.disk_usage(place).free
    yield Finding(
        "room",
        free >= MIN_FREE_BYTES,
        f"{free / 1e9:.1f} GB free",
        "delete runs with reroll rm, or name another disk with --data",
    )


def diagnose_runs(library: Library) -> Iterator[Finding]:
    """Look at the run files: whether they can be read, and whether two of them rest on the same luck."""
    found = library.runs()
    yield Finding("runs", ok=True, says=f"{len(found)} can be read")
    for path, error in library.broken_files().items():
        yield Finding(
            "damaged", ok=False, says=str(error), mend=f"put back a copy of it, or delete it: {path}"
        )
    seeds: dict[tuple[str, int], list[str]] = {}
    for run in found:
        for rules in run.summary.rulesets:
            seeds.setdefault((rules.sha256, run.summary.seed), []).append(run.name)
    shared = [names for names in seeds.values() if len(names) > 1]
    says = f"{len(seeds)} different pairs of ruleset and seed"
    if shared:
        says += f"; the same luck in {'; in '.join(' and '.join(names) for names in shared[:5])}"
        says += " (not independent of each other: do not add them up)"
    yield Finding("seeds", ok=True, says=says)


def diagnose_unfinished_runs(library: Library) -> Iterator[Finding]:
    """Look at the runs that were stopped."""
    for partial in library.unfinished_runs():
        try:
            says = f"{partial.name}: {partial.games_done} of {partial.games} games, "
        except (GameError, OSError) as error:
            yield Finding("unfinished", ok=False, says=str(error), mend=f"reroll rm {partial.name}")
            continue
        on = f"stopped; go on with reroll resume {partial.name}, or drop it with reroll rm {partial.name}"
        yield Finding("unfinished", ok=True, says=says + ("running" if partial.is_running else on))


def diagnose_leftovers(library: Library) -> Finding:
    """Look for what processes left that were killed while they made or removed a run."""
    found = leftover_folders(library)
    return Finding(
        "leftovers",
        not found,
        f"{len(found)} folders of processes that were killed, such as {found[0].name}" if found else "none",
        "reroll doctor --tidy removes them",
    )


def leftover_folders(library: Library) -> list[Path]:
    """Return the hidden folders that nobody works on any more."""
    hidden = [path for name in (".new-*", ".removed-*") for path in library.runs_folder.glob(name)]
    old = time.time() - LEFTOVER_AGE_SECONDS
    return sorted(path for path in hidden if path.is_dir() and path.stat().st_mtime < old)


def remove_leftovers(library: Library) -> int:
    """Remove them; return how many there were."""
    found = leftover_folders(library)
    for path in found:
        shutil.rmtree(path, ignore_errors=True)
    return len(found)


def diagnose_luck() -> Iterator[Finding]:
    """Throw dice: a known answer, how often each face comes up, and whether one throw tells anything of another.

    The seeds are fixed, so a sound installation always gives the same answer.
    """
    known = philox(0, 0, 0, 0, 0) == (0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8)
    bug = "this is a bug; results of this installation are worth nothing"
    yield Finding("generator", known, "Philox4x32-10 gives its published numbers" if known else "wrong", bug)
    tests: dict[str, Callable[[int, int], tuple[int, ...]]] = {
        "frequencies of faces": lambda seed, block: (_throw_die(seed, block),),
        "block after block": lambda seed, block: (_throw_die(seed, block), _throw_die(seed, block + 1)),
        "round after round": lambda seed, block: (_throw_die(seed, block), _throw_die(seed, block, round_=1)),
        "seat after seat": lambda seed, block: (_throw_die(seed, block), _throw_die(seed, block, seat=1)),
        "die after die": lambda seed, block: (_throw_die(seed, block), _throw_die(seed, block, index=1)),
        "seed after seed": lambda seed, block: (
            _throw_die(seed, block),
            _throw_die((seed + 1) % 2**64, block),
        ),
    }
    for name, throw in tests.items():
        values = [
            _p_value([throw(seed, block) for block in range(0, 2 * LUCK_BLOCKS, 2)]) for seed in LUCK_SEEDS
        ]
        least = SUSPICIOUS_P_VALUE / (len(tests) * len(LUCK_SEEDS))
        told = ", ".join(f"{value:.2g}" for value in values)
        yield Finding(
            name,
            min(values) >= least,
            f"{LUCK_BLOCKS:,} throws for each of {len(LUCK_SEEDS)} seeds: p = {told}",
            bug,
        )


def _throw_die(seed: int, block: int, *, round_: int = 0, seat: int = 0, index: int = 0) -> int:
    return Luck(seed, block).below(DIE_FACES, PURPOSE_DICE, round_, seat, index)


def _p_value(throws: list[tuple[int, ...]]) -> float:
    """Return how likely counts like these are if all outcomes are."""
    outcomes = list(product(range(DIE_FACES), repeat=len(throws[0])))
    place = {outcome: number for number, outcome in enumerate(outcomes)}
    counts = np.bincount([place[throw] for throw in throws], minlength=len(outcomes))
    return float(chi_square(counts, np.full(len(outcomes), 1 / len(outcomes))).p)


def diagnose_mirrors() -> Iterator[Finding]:
    """Let a strategy of every game play itself, who is who swapped on the same luck."""
    firsts = {ruleset.game: ruleset for ruleset in reversed(list(Catalogue().rulesets.values()))}
    for name in games.game_names():
        if name in firsts:
            design = design_comparison(firsts[name], ["greedy", "greedy"], blocks=10, seed=1)
            if not compiled_games.is_compiled(design):
                says = "not compiled yet, so not looked at: reroll demo compiles every game"
                yield Finding(f"mirror of {name}", ok=True, says=says)
                continue
            blocks, differs = mirror_difference(design, "greedy")
            says = "differs" if differs else f"differs by exactly 0 in {blocks} blocks of {firsts[name].name}"
            yield Finding(
                f"mirror of {name}",
                not differs,
                f"greedy against itself {says}",
                "this is a bug: clear the folder of compiled games (REROLL_CACHE) and look again",
            )
