"""The doctor: checks of the installation, the library, the dice and the games; each problem comes with its remedy."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from packaging.requirements import Requirement

from engine import games
from engine.catalogue import Catalogue
from engine.errors import GameError
from engine.kernels.code_cache import kernel_cache_folder
from engine.luck import PURPOSE_DICE, Luck, philox
from pipelines.design.designs import design_comparison
from pipelines.experiments.controls import UNUSUAL_P_VALUE, mirror_difference
from pipelines.notes.sidecar import Sidecar
from pipelines.report.wording import format_count
from pipelines.runs.run import InaccessibleError
from pipelines.simulate import compiled_games
from pipelines.statistics import chi_square

if TYPE_CHECKING:
    from pipelines.runs.library import Library

DASHBOARD_EXTRA: Final = "dashboard"
LUCK_BLOCKS: Final = 12_000
"""Blocks whose luck is tested. A die that shows a face in 17.7 % instead of 16.7 % of throws fails nine times in ten."""
DIE_FACES: Final = 6
LUCK_SEEDS: Final = (0, 7, 2**64 - 1)
MIN_FREE_BYTES: Final = 1 << 30
"""Bytes that should be free on the disk. A run of 10 million plies, with its shards, takes about a tenth of that."""
LEFTOVER_AGE_SECONDS: Final = 3600.0
"""Age in seconds from which a temporary folder counts as left over. A living process keeps it for a moment only."""


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    about: str
    """What was checked, in a few words."""
    ok: bool
    says: str
    """What was found."""
    remedy: str = ""
    """What to do if `ok` is false."""


class RequirementCheck(NamedTuple):
    """The result of a check of required packages."""

    installed: list[str]
    """Names and versions."""
    problems: list[str]


def diagnose_all(library: Library) -> Iterator[Finding]:
    """Run all checks, the fastest first."""
    yield from diagnose_packages()
    yield diagnose_hidden_packages(Path.cwd())
    yield diagnose_kernel_cache(kernel_cache_folder())
    yield from diagnose_data_folder(library)
    yield from diagnose_runs(library)
    yield diagnose_notes(library)
    yield from diagnose_unfinished_runs(library)
    yield diagnose_leftovers(library)
    yield from diagnose_luck()
    yield from diagnose_mirrors()


def diagnose_packages() -> Iterator[Finding]:
    """Check the versions of Python and of the packages that Reroll needs."""
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("python", sys.version_info >= (3, 11), f"Python {version}", "install Python 3.11 or newer")
    core, extra = _check_requirements(""), _check_requirements(DASHBOARD_EXTRA)
    yield Finding(
        "packages",
        not core.problems,
        "; ".join(core.problems) or f"reroll {metadata.version('reroll')} with {', '.join(core.installed)}",
        "in a clone of Reroll: make demo, or pip install --upgrade .",
    )
    install = "in a clone of Reroll, pip install --upgrade '.[dashboard]'"
    absent = f"not installed; to get it: {install}"
    yield Finding(
        "dashboard",
        not extra.installed or not extra.problems,
        "; ".join(extra.problems or extra.installed) if extra.installed else absent,
        f"install its packages with: {install}",
    )


def diagnose_hidden_packages(folder: Path) -> Finding:
    """Check that no module in a folder has the name of a package of Reroll: Python and notebooks started there take it."""
    root = Path(__file__).parents[2]
    hiding_paths = [
        path.parent if path.name == "__init__.py" else path
        for name in ("engine", "pipelines", "dashboard", "reroll")
        for path in (folder / name / "__init__.py", folder / f"{name}.py")
        if path.is_file() and path.resolve() != (root / name / "__init__.py").resolve()
    ]
    return Finding(
        "imports",
        not hiding_paths,
        f"{', '.join(map(str, hiding_paths))} hide packages of Reroll from notebooks and scripts here"
        if hiding_paths
        else "nothing in this folder hides a package of Reroll",
        "rename them, or start notebooks and scripts in another folder",
    )


def _check_requirements(extra: str) -> RequirementCheck:
    """Check the packages that an extra adds, or those that Reroll always needs if `extra` is empty."""
    installed, problems = [], []
    for requirement in map(Requirement, metadata.requires("reroll") or []):
        marker = requirement.marker
        is_always_needed = marker is None or marker.evaluate({"extra": ""})
        is_needed = marker is None or marker.evaluate({"extra": extra})
        if not is_needed or (extra and is_always_needed):
            continue  # for another system or another extra, or checked without any extra
        try:
            version = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            problems.append(f"{requirement.name} is missing")
            continue
        installed.append(f"{requirement.name} {version}")
        if not requirement.specifier.contains(version, prereleases=True):
            problems.append(f"{requirement.name} {version} does not satisfy {requirement.specifier}")
    return RequirementCheck(installed, problems)


def diagnose_kernel_cache(folder: Path) -> Finding:
    """Check that compiled games can be written to the cache folder."""
    if os.environ.get("REROLL_KERNELS", "1") == "0":
        return Finding(
            "compiled games", ok=True, says="switched off by REROLL_KERNELS=0; the plain rules play"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        functions = sum(1 for _ in folder.rglob("*.nbc"))
        ok = os.access(folder, os.W_OK)
    except OSError as error:
        ok, says = False, f"{folder}: {error.strerror}"
    else:
        says = f"{folder} has {functions} compiled functions" if ok else f"{folder} is not writable"
    return Finding(
        "compiled games",
        ok,
        says,
        "set REROLL_CACHE to a writable folder; without one, games are compiled at every start",
    )


def diagnose_data_folder(library: Library) -> Iterator[Finding]:
    """Check that the data folder is writable and that the disk has room."""
    folder = next(path for path in (library.runs_folder, *library.runs_folder.parents) if path.exists())
    yield Finding(
        "data folder",
        folder.is_dir() and os.access(folder, os.W_OK | os.X_OK),
        f"{library.folder}" + ("" if folder == library.runs_folder else " (no runs yet)"),
        "choose a writable folder with --data or REROLL_DATA",
    )
    free = shutil.disk_usage(folder).free
    yield Finding(
        "disk space",
        free >= MIN_FREE_BYTES,
        f"{free / 1e9:.1f} GB free",
        "delete runs with reroll rm, or choose a folder on another disk with --data",
    )


def diagnose_runs(library: Library) -> Iterator[Finding]:
    """Check that every run file is readable, and report runs of a ruleset that share a seed."""
    try:
        runs = library.runs()
    except InaccessibleError as error:
        yield Finding(
            "not readable", ok=False, says=str(error), remedy="change the permissions of the folder"
        )
        return
    yield Finding("runs", ok=True, says=f"{len(runs)} readable")
    for path, fault in library.broken_files().items():
        if isinstance(fault, InaccessibleError):
            says, _, remedy = str(fault).partition("; ")
            yield Finding("not readable", ok=False, says=says, remedy=remedy or "change its permissions")
            continue
        yield Finding(
            "damaged",
            ok=False,
            says=str(fault),
            remedy=f"restore the file from a backup, or delete it: {path}",
        )
    seeds: dict[tuple[str, int], list[str]] = {}
    for run in runs:
        for rules in run.summary.rulesets:
            seeds.setdefault((rules.sha256, run.summary.seed), []).append(run.name)
    shared = [names for names in seeds.values() if len(names) > 1]
    says = f"{len(seeds)} different pairs of ruleset and seed"
    if shared:
        says += f"; the same luck in {'; in '.join(' and '.join(names) for names in shared[:5])}"
        says += " (their games are not independent: do not add them up)"
    yield Finding("seeds", ok=True, says=says)


def diagnose_notes(library: Library) -> Finding:
    """Check that the file of the notes can be read and is whole."""
    notes = Sidecar(library.folder)
    fault = notes.find_damage()
    remedy = f"restore it from a backup, or move it away: {notes.path}"
    return Finding("notes", not fault, fault or ("readable" if notes.path.exists() else "none yet"), remedy)


def diagnose_unfinished_runs(library: Library) -> Iterator[Finding]:
    """Check that every unfinished run can be resumed."""
    for partial in library.unfinished_runs():
        try:
            says = f"{partial.name}: {partial.games_done} of {format_count(partial.games, 'game')}, "
        except (GameError, OSError) as error:
            yield Finding("unfinished", ok=False, says=str(error), remedy=f"reroll rm {partial.name}")
            continue
        stopped = f"stopped; {partial.describe_ways_on()}"
        yield Finding("unfinished", ok=True, says=says + ("running" if partial.is_running else stopped))


def diagnose_leftovers(library: Library) -> Finding:
    """Check for temporary folders of processes that were killed while they created or deleted a run."""
    folders = leftover_folders(library)
    return Finding(
        "leftovers",
        not folders,
        f"{len(folders)} folders of killed processes, such as {folders[0].name}" if folders else "none",
        "remove them with: reroll doctor --tidy",
    )


def leftover_folders(library: Library) -> list[Path]:
    """Return the temporary folders that no process uses any more."""
    hidden = [path for name in (".new-*", ".removed-*") for path in library.runs_folder.glob(name)]
    oldest_in_use = time.time() - LEFTOVER_AGE_SECONDS
    return sorted(path for path in hidden if path.is_dir() and path.stat().st_mtime < oldest_in_use)


def remove_leftovers(library: Library) -> int:
    """Remove the leftover folders; return how many there were."""
    folders = leftover_folders(library)
    for path in folders:
        shutil.rmtree(path, ignore_errors=True)
    return len(folders)


def diagnose_luck() -> Iterator[Finding]:
    """Test the dice: a published value of the generator, the frequencies of faces, and pairs of throws for independence.

    The seeds are fixed, so a sound installation always gives the same result.
    """
    is_published = philox(0, 0, 0, 0, 0) == (0x6627_E8D5, 0xE169_C58D, 0xBC57_AC4C, 0x9B00_DBD8)
    bug = "this is a bug in Reroll or in this installation; do not trust its results"
    yield Finding(
        "generator",
        is_published,
        "Philox4x32-10 gives its published numbers" if is_published else "Philox4x32-10 gives wrong numbers",
        bug,
    )
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
        smallest = UNUSUAL_P_VALUE / (len(tests) * len(LUCK_SEEDS))
        p_values = ", ".join(f"{value:.2g}" for value in values)
        yield Finding(
            name,
            min(values) >= smallest,
            f"{LUCK_BLOCKS:,} throws for each of {len(LUCK_SEEDS)} seeds: p = {p_values}",
            bug,
        )


def _throw_die(seed: int, block: int, *, round_: int = 0, seat: int = 0, index: int = 0) -> int:
    """Return the face of one die, from 0 to DIE_FACES - 1."""
    return Luck(seed, block).below(DIE_FACES, PURPOSE_DICE, round_, seat, index)


def _p_value(throws: list[tuple[int, ...]]) -> float:
    """Return the p value of the chi-square test that all outcomes of the throws are equally likely."""
    outcomes = list(product(range(DIE_FACES), repeat=len(throws[0])))
    index = {outcome: number for number, outcome in enumerate(outcomes)}
    counts = np.bincount([index[throw] for throw in throws], minlength=len(outcomes))
    return float(chi_square(counts, np.full(len(outcomes), 1 / len(outcomes))).p)


def diagnose_mirrors() -> Iterator[Finding]:
    """Check in every game that greedy against itself is exactly even when the two copies swap seats on the same luck."""
    first_rulesets = {ruleset.game: ruleset for ruleset in reversed(list(Catalogue().rulesets.values()))}
    for name in (game.name for game in games.registered_games()):
        if name in first_rulesets:
            ruleset = first_rulesets[name]
            design = design_comparison(ruleset, ["greedy", "greedy"], blocks=10, seed=1)
            if not compiled_games.is_compiled(design):
                says = "not checked, because it is not compiled yet; reroll demo compiles every game"
                yield Finding(f"mirror of {name}", ok=True, says=says)
                continue
            blocks, differs = mirror_difference(design, "greedy")
            says = (
                "differs"
                if differs
                else f"differs by exactly 0 in {format_count(blocks, 'block')} of {ruleset.name}"
            )
            yield Finding(
                f"mirror of {name}",
                not differs,
                f"greedy against itself {says}",
                "delete the folder of compiled games (REROLL_CACHE) and check again; if it still differs, this is a bug",
            )
