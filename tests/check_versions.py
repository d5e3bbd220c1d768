"""Prove the bounds in pyproject.toml: run tests with the lowest and with the highest versions that they allow.

    make check-versions                          all Pythons that are here, lowest and highest
    make check-versions ARGS="lowest --python 3.11"

Each combination has an environment of its own in `.venv/versions`. The tests are the quick ones of the command line, of runs
and of pages. The tools of the tests have their newest versions.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Final, NamedTuple

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / ".venv" / "versions"
PYTHONS: Final = ("3.11", "3.12", "3.13", "3.14")
RESOLUTIONS: Final = ("lowest", "highest")
EXTRAS: Final = ("cluster", "dashboard", "notebook", "rl")
TOOLS: Final = (
    "pytest",
    "pytest-xdist",
    "hypothesis",
    "nbclient",
    "ipykernel",
    "playwright",
    "axe-playwright-python",
)
SUITES: Final = ("tests/pipelines/cli", "tests/pipelines/runs", "tests/dashboard")
LIST_VERSIONS: Final = (
    "import sys; from importlib.metadata import version\nfor name in sys.argv[1:]: print(name, version(name))"
)


class Outcome(NamedTuple):
    """What came of one combination."""

    python: str
    resolution: str
    passed: bool
    says: str
    """The last line of what failed, or of the tests."""


def main() -> int:
    """Check the combinations that the command line names; return 0 if all tests passed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("resolution", nargs="?", choices=RESOLUTIONS, help="both if left out")
    parser.add_argument(
        "--python", choices=PYTHONS, help="a version of Python; all that are here if left out"
    )
    asked = parser.parse_args()
    pythons = {one: path for one in PYTHONS if asked.python in {None, one} and (path := find_python(one))}
    missing = [one for one in PYTHONS if asked.python in {None, one} and one not in pythons]
    print(
        f"Python: {', '.join(pythons) or 'none'}; not on this machine: {', '.join(missing) or 'none'}",
        flush=True,
    )
    outcomes = [
        check_combination(path, python, resolution)
        for python, path in pythons.items()
        for resolution in RESOLUTIONS
        if asked.resolution in {None, resolution}
    ]
    for one in outcomes:
        print(f"Python {one.python}, {one.resolution}: {'passed' if one.passed else 'FAILED'}: {one.says}")
    return 0 if outcomes and all(one.passed for one in outcomes) else 1


def find_python(version: str) -> str | None:
    """Return the path of a Python on this machine that runs, on the path or of pyenv, such as 3.12; None without one."""
    known = [shutil.which(f"python{version}"), *Path.home().glob(f".pyenv/versions/{version}.*/bin/python")]
    for path in map(str, filter(None, known)):
        if subprocess.run([path, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            return path
    return None


def read_direct_requirements() -> tuple[Requirement, ...]:
    """Return the packages that Reroll and its extras name in pyproject.toml, without the tools of the tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return tuple(
        map(Requirement, [*project["dependencies"], *(text for name in EXTRAS for text in extras[name])])
    )


def pin_lowest(requirement: Requirement) -> str:
    """Return the requirement of exactly the lowest version that a requirement allows.

    >>> pin_lowest(Requirement("numba>=0.68,<0.70"))
    'numba==0.68'
    """
    (lowest,) = (one.version for one in requirement.specifier if one.operator == ">=")
    return f"{requirement.name}=={lowest}"


def check_combination(python: str, version: str, resolution: str) -> Outcome:
    """Install the versions in an environment of their own, print them, and run the tests there."""
    place = FOLDER / f"{version}-{resolution}"
    log = FOLDER / f"{place.name}.log"
    print(f"\nPython {version}, {resolution} versions (log: {log.relative_to(ROOT)})", flush=True)
    started = time.monotonic()
    direct = read_direct_requirements()
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    own, pins = str(place / "bin" / "python"), place / "lowest.txt"
    pins.write_text("\n".join(map(pin_lowest, direct)) if resolution == "lowest" else "", encoding="utf-8")
    install = [
        own,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--constraint",
        str(pins),
    ]
    steps = [[python, "-m", "venv", str(place)], [*install, "--editable", f".[{','.join(EXTRAS)}]", *TOOLS]]
    with log.open("w", encoding="utf-8") as file:
        for step in steps:
            if run_step(step, file.fileno()):
                return Outcome(version, resolution, passed=False, says=f"installing: {read_last_line(log)}")
        names = [one.name for one in direct]
        listed = subprocess.run(
            [own, "-c", LIST_VERSIONS, *names], capture_output=True, text=True, check=True
        )
        print(", ".join(listed.stdout.split("\n")).strip(", "), flush=True)
        tests = [own, "-m", "pytest", "-n", "2", "-p", "no:cacheprovider", "-m", "quick", *SUITES]
        passed = not run_step(tests, file.fileno())
    return Outcome(version, resolution, passed, f"{read_last_line(log)} ({time.monotonic() - started:.0f} s)")


def run_step(command: list[str], log: int) -> int:
    """Run a command with its output in a file; return its exit code."""
    environment = {
        key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }
    return subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False).returncode


def read_last_line(log: Path) -> str:
    """Return the last line of a log that says how the tests or the installation ended."""
    lines = [
        line.strip()
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines()
        if line.strip()
    ]
    return next(
        (line for line in reversed(lines) if " passed" in line or " failed" in line),
        lines[-1] if lines else "",
    )


if __name__ == "__main__":
    sys.exit(main())
