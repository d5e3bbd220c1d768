"""Kill commands that write at random moments, then look what is lost and what is left behind.

    python tests/faults/kill_commands.py [--kills 200] [--seed 1] [--only NAME]

Every command runs in a copy of a small library, in which DuckDB's log of another program lies beside one run. It gets
SIGKILL, which also goes to its workers: at a random moment, or before a change in the file system of a random number.
Afterwards no run may be lost, changed or half, and the same command must do its work.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

from engine.catalogue import Catalogue
from pipelines.play import continue_game, prepare_game
from pipelines.runs.library import Library
from pipelines.runs.names import duckdb_log_path
from pipelines.runs.run import InaccessibleError
from tests.faults import interrupts

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL_RUNS: Final = 50
"""So many runs are asked together only after they are packed."""
LOGGED: Final = "logged"
"""The run with a log beside it."""
MAX_DEMOS: Final = 2
"""So often `demo`, which takes a minute, is tried among the others."""
MAX_STEP: Final = 60
"""Changes in the file system that a command makes, about: folders, names, and files opened for writing."""
COUNT_QUERY: Final = "SELECT count(*) FROM games"


class KilledCommand(NamedTuple):
    """A command that is killed."""

    words: tuple[str, ...]
    seconds: float
    """About how long it takes; it is killed before."""
    subject: str = ""
    """The run that it may replace or delete."""
    again: tuple[tuple[str, ...], ...] = ()
    """What a person does before the same command once more, if an unfinished run is left; `{name}` is its name."""
    needs_small_runs: bool = False


RESUME: Final = (("resume", "{name}", "--quiet"),)
REMOVE: Final = (("rm", "{name}", "--yes"),)
PLAY: Final = ("bloxx-2p", "-s", "greedy,random", "--quiet")

COMMANDS: Final[dict[str, KilledCommand]] = {
    "simulate": KilledCommand(("simulate", *PLAY, "--games", "20000"), 4.0, again=RESUME),
    "simulate by the plain rules": KilledCommand(
        ("simulate", *PLAY, "--games", "200", "--workers", "2"), 4.0, again=RESUME
    ),
    "compare": KilledCommand(
        ("compare", "bloxx-2p", "greedy", "random", "--blocks", "3000", "--until-decided", "--quiet"),
        4.0,
        again=RESUME,
    ),
    "resume": KilledCommand(("resume", "half", "--quiet"), 4.0),
    "whatif": KilledCommand(
        ("whatif", "made", "--game", "1", "--move", "4", "--player", "1", "--strategy", "random",
         "--continuations", "500", "--name", "forked", "--quiet"), 4.0, again=RESUME,
    ),
    "import": KilledCommand(("import", "games.txt", "--quiet"), 2.5, again=REMOVE),
    "play": KilledCommand(("play", "bloxx-2p", "--seats", "me,greedy", "--seed", "6", "--moves", "{moves}"), 2.5, again=REMOVE),
    "export a run": KilledCommand(("export", "made", "--as", "parquet", "--out", "exported", "--quiet"), 2.5),
    "export a game": KilledCommand(("export", "made", "--game", "1", "--as", "html", "--out", "game.html"), 2.0),
    "note": KilledCommand(("note", "made", "--game", "1", "--move", "4", "--text", "too greedy"), 1.2),
    "lessons": KilledCommand(("lessons", "made"), 1.5),
    "notes": KilledCommand(("notes", "--import", "others.json"), 1.2),
    "notes of all": KilledCommand(("notes", "--export", "mine.json"), 1.2),
    "baseline": KilledCommand(("baseline", "--strategy", "greedy"), 1.2),
    "sql that is kept": KilledCommand(("sql", COUNT_QUERY, "--save", "count"), 2.0),
    "sql over many runs": KilledCommand(("sql", COUNT_QUERY), 4.0, needs_small_runs=True),
    "ls": KilledCommand(("ls",), 2.5, needs_small_runs=True),
    "study": KilledCommand(("study", "made", "made#1", "--out", "study.html", "--quiet"), 3.0),
    "publish": KilledCommand(("publish", "--out", "site", "--quiet"), 3.0),
    "renew": KilledCommand(("renew", "old"), 1.5, subject="old"),
    "rm": KilledCommand(("rm", "made", "--yes"), 1.2, subject="made"),
    "rm with a log": KilledCommand(("rm", LOGGED, "--yes"), 1.2, subject=LOGGED),
    "demo": KilledCommand(("demo", "--no-serve"), 6.0, again=RESUME),
}  # fmt: skip
OUTPUTS: Final = {
    "exported": "export a run", "game.html": "export a game", "mine.json": "notes of all", "study.html": "study", "site": "publish",
}  # fmt: skip
"""The new files and folders of commands: what is there is whole."""


class Killed(NamedTuple):
    """How a command was killed and what came of it."""

    command: str
    moment: str
    is_killed: bool
    faults: tuple[str, ...]


class KillLibrary:
    """The library that the commands find, made once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        interrupts.prepare_library(folder)
        runs = folder / "runs"
        self.moves = _play_by_hand()
        _run(folder, "export", "made", "--as", "parquet", "--out", "whole-exported", "--quiet")
        _run(folder, "notes", "--export", "others.json")
        for number in range(SMALL_RUNS):
            name = f"small-{number}" if number else "small"
            if not number:
                _run(folder, "simulate", *PLAY, "--games", "20", "--name", name)
            else:
                shutil.copyfile(runs / "small.duckdb", runs / f"{name}.duckdb")
        for name, change in (("old", "CREATE OR REPLACE VIEW log AS SELECT lag(seat, 2) OVER (ORDER BY ply) FROM ply_rows"),
                             (LOGGED, "")):  # fmt: skip
            shutil.copyfile(runs / "small.duckdb", runs / f"{name}.duckdb")
            if change:
                with duckdb.connect(runs / f"{name}.duckdb") as connection:
                    connection.execute(change)
        self._leave_log(runs / f"{LOGGED}.duckdb")
        (folder / "index.sqlite").unlink(missing_ok=True)
        self.files = {path.name: sha256(path.read_bytes()).hexdigest() for path in runs.glob("*.duckdb*")}
        self.notes = set(_read_notes(folder))
        self.steps = dict.fromkeys(COMMANDS, MAX_STEP)
        """How many changes in the file system each command makes, at most."""

    @staticmethod
    def _leave_log(path: Path) -> None:
        """Let another client change a run and die, so that its log stays."""
        change = "UPDATE run SET title = 'changed'"
        program = f"import duckdb, os; c = duckdb.connect({str(path)!r}); c.execute({change!r}); os._exit(1)"
        subprocess.run([sys.executable, "-c", program], check=False)  # noqa: S603 - our own program
        assert duckdb_log_path(path).stat().st_size

    def copy_to(self, folder: Path, *, with_small_runs: bool) -> None:
        """Copy the library; run files never change, so they are linked."""
        for path in self.folder.rglob("*"):
            there = folder / path.relative_to(self.folder)
            if path.name.startswith("small-") and not with_small_runs:
                continue
            if path.is_dir():
                there.mkdir(parents=True)
            elif path.suffix == ".duckdb":
                os.link(path, there)
            else:
                shutil.copy2(path, there)


def _play_by_hand() -> str:
    game = continue_game(prepare_game(Catalogue().find_ruleset("bloxx-2p"), ["me", "greedy"], 6))
    game.let_strategies_play()
    while not game.state.is_over:
        game.choose(game.state.actions[-1])
        game.let_strategies_play()
    return game.text


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "pipelines", *words],
        cwd=folder,
        env={**os.environ, "REROLL_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


KILLED_AT_STEP: Final = (
    "import sys; from pathlib import Path; from tests.faults.kill_runs import kill_before_change; "
    "kill_before_change(int(sys.argv[1]), sys.argv[2]); sys.argv = ['reroll', *sys.argv[3:]]; "
    "from pipelines.__main__ import main; main()"
)


def kill_command(
    library: KillLibrary, name: str, dice: random.Random, chosen_step: int | None = None
) -> Killed:
    """Kill a command in a copy of the library before a change in the file system or at a random moment; look what it has left."""
    command = COMMANDS[name]
    words = [word.format(moves=library.moves) if word == "{moves}" else word for word in command.words]
    with tempfile.TemporaryDirectory(dir=library.folder.parent) as text:
        folder = Path(text) / "library"
        folder.mkdir()
        library.copy_to(folder, with_small_runs=command.needs_small_runs)
        step = dice.randrange(1, library.steps[name] + 1) if dice.random() < 0.5 else 0
        step = chosen_step or step
        program = ["-c", KILLED_AT_STEP, str(step), str(folder)] if step else ["-m", "pipelines"]
        rules = {"REROLL_KERNELS": "0"} if "plain" in name else {}
        after = dice.uniform(0.2, command.seconds)
        process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, *program, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, **rules, "REROLL_DATA": str(folder)},
        )
        try:
            process.wait(60 if step else after)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        is_killed = process.wait() == -signal.SIGKILL
        if step and not is_killed:  # it makes fewer changes
            library.steps[name] = min(library.steps[name], max(1, step - 1))
        if is_killed:  # at a step, its workers may still live
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.05)
        faults = (*find_losses(library, folder, command), *find_obstacles(folder, name, words))
        return Killed(name, f"change {step}" if step else f"{after:.2f} s", is_killed, faults)


def find_losses(library: KillLibrary, folder: Path, command: KilledCommand) -> Iterator[str]:
    """Yield what the kill has lost, changed or left half."""
    yield from _find_lost_files(library, folder, command)
    opened = Library(folder)
    for path, error in opened.broken_files().items():
        if not (isinstance(error, InaccessibleError) and path.stem == LOGGED):
            yield f"broken: {path.name}: {error}"
    for run in opened.runs():
        games = run.connect().execute(COUNT_QUERY).fetchall()[0][0]
        if games != run.summary.games:
            yield f"half: {run.name} has {games} of {run.summary.games} games"
    if missing := library.notes - set(_read_notes(folder)):
        yield f"lost: {len(missing)} notes"
    for output in OUTPUTS:
        if (folder / output).exists() and (fault := _find_half_output(library, folder / output)):
            yield f"half: {output}: {fault}"


def _find_lost_files(library: KillLibrary, folder: Path, command: KilledCommand) -> Iterator[str]:
    for name, digest in library.files.items():
        path = folder / "runs" / name
        is_copied = command.needs_small_runs or not name.startswith("small-")
        if not is_copied or (command.subject and name.startswith(f"{command.subject}.duckdb")):
            continue
        if not path.exists():
            yield f"lost: {name}"
        elif sha256(path.read_bytes()).hexdigest() != digest:
            yield f"changed: {name}"


def _find_half_output(library: KillLibrary, path: Path) -> str | None:
    """Return what an output lacks, or None."""
    if path.name == "exported":
        expected = {file.name for file in (library.folder / "whole-exported").iterdir()}
        return (
            f"lacks {expected - {file.name for file in path.iterdir()}}"
            if expected - {file.name for file in path.iterdir()}
            else None
        )
    if path.name == "site":
        path = path / "index.html"
        if not path.exists():
            return "no index.html"
    end = path.read_text(encoding="utf-8").rstrip()[-8:]
    return None if end.endswith(("</html>", "}", "]")) else f"ends with {end!r}"


def find_obstacles(folder: Path, name: str, words: list[str]) -> Iterator[str]:
    """Yield what keeps a person from doing the same once more."""
    command = COMMANDS[name]
    for partial in Library(folder).unfinished_runs():
        if partial.name == "half" and name != "resume":
            continue
        if partial.is_running:
            yield f"still running: {partial.name}"
        for steps in command.again:
            done = _run(folder, *(word.format(name=partial.name) for word in steps))
            if done.returncode:
                yield f"{' '.join(steps)}: {done.stderr.strip()}"
    for listed in (("ls",), tuple(words)):
        done = _run(folder, *listed)
        is_done_before = any(
            text in done.stderr
            for text in (
                "exists already",
                "there is a run",
                "unknown run",
                "the run of this name is finished",
                "unknown unfinished run",
            )
        )
        if done.returncode and not is_done_before:
            yield f"{' '.join(listed)[:60]}: exit {done.returncode}: {done.stderr.strip()[-300:]}"
    if name == "rm with a log" and list((folder / "runs").glob(f"{LOGGED}.duckdb*")):
        yield f"left: {[path.name for path in (folder / 'runs').glob(f'{LOGGED}.duckdb*')]}"


def _read_notes(folder: Path) -> list[tuple[object, ...]]:
    """Return the identifiers of the notes."""
    path = folder / "notes.sqlite"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT note_id FROM notes").fetchall()


def main() -> int:
    """Kill the commands in turn and print every kill, then a summary; return 1 if anything was lost or left."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="name of one command")
    arguments = parser.parse_args()
    dice, kills, bad, tried = random.Random(arguments.seed), 0, 0, 0
    place = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else None  # noqa: S108 - a file system in memory
    with tempfile.TemporaryDirectory(dir=place) as text:
        folder = Path(text) / "prepared"
        folder.mkdir()
        library = KillLibrary(folder)
        names = [arguments.only] if arguments.only else list(COMMANDS)
        while kills < arguments.kills:
            name, tried = names[tried % len(names)], tried + 1
            if name == "demo" and arguments.only is None and tried > len(names) * MAX_DEMOS:
                continue
            killed = kill_command(library, name, dice)
            kills += killed.is_killed
            bad += bool(killed.faults)
            sys.stdout.write(f"{kills} {killed._replace(faults=())[:3]} {killed.faults or 'good'}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{kills} kills in {tried} trials, {bad} with faults\n")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
