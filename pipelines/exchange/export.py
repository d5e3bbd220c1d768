"""Export of games: a logged game as text, and new files and folders to write it to."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine.errors import InvalidError
from engine.transcript import Transcript, TranscriptLine
from pipelines.interrupts import remove_with_process
from pipelines.runs import game_queries
from pipelines.runs.game_queries import logged_games

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.game import GameFormat
    from pipelines.runs.run import Run

_HIDDEN_PREFIX: Final = ".new-export-"


def game_transcript(run: Run, game_id: int) -> Transcript:
    """Return a logged game as a transcript; raise InvalidError if there is none or its plies were not logged."""
    game, seats = run.game(game_id), run.seats(game_id)
    run.actions(game_id)  # raises InvalidError if the plies were not logged
    with run.open_tables() as connection:
        plies = game_queries.read_log(connection, game_id)
    return Transcript(
        ruleset=game.ruleset,
        seats=tuple(seat.strategy for seat in seats),
        lines=tuple(
            TranscriptLine(
                f"move {one.ply + 1}",
                one.notation,
                {"round": one.round, "seat": one.seat, "options": one.options, "score": one.score},
            )
            for one in plies
        ),
        title=run.summary.title,
        block=game.block,
        rotation=game.rotation,
        scores=tuple(seat.score for seat in seats),
    )


def game_text(run: Run, game_id: int, chosen: GameFormat) -> str:
    """Return a logged game in a format; raise InvalidError if the format cannot express it."""
    transcript = game_transcript(run, game_id)
    return chosen.write(run.ruleset(transcript.ruleset), transcript)


def logged_game_ids(run: Run) -> list[int]:
    """Return the numbers of the games whose plies were logged; raise InvalidError if there are none."""
    with run.open_tables() as connection:
        found = logged_games(connection)
    if not found:
        raise InvalidError(f"run {run.name} has no plies: it was simulated with --log {run.summary.log}")
    return found


@contextmanager
def make_new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that gets the path `folder` at the end; raise InvalidError if that path exists.

    If the body fails or is interrupted, nothing is left behind; what a killed process has left beside `folder` is removed.
    An OSError of the body names `folder`.
    """
    check_new_file(folder)
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    with _name_path_in_errors(folder), _lock_hidden_folder(parent) as fresh, remove_with_process(fresh):
        _remove_abandoned_folders(parent)
        try:
            fresh.chmod(0o755)
            yield fresh
            check_new_file(folder)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def _lock_hidden_folder(parent: Path) -> Iterator[Path]:
    """Yield a new hidden folder that is locked as long as this process lives and the context lasts."""
    while True:
        fresh = Path(tempfile.mkdtemp(prefix=_HIDDEN_PREFIX, dir=parent))
        with _locked_folder(fresh) as is_locked:
            if (
                is_locked and fresh.exists()
            ):  # else another process took it for abandoned, before it was locked
                yield fresh
                return


def _remove_abandoned_folders(parent: Path) -> None:
    """Remove the hidden folders whose processes are dead."""
    for path in parent.glob(f"{_HIDDEN_PREFIX}*"):
        with suppress(OSError), _locked_folder(path) as is_locked:
            if is_locked:
                shutil.rmtree(path, ignore_errors=True)


@contextmanager
def _locked_folder(folder: Path) -> Iterator[bool]:
    """Lock a folder while the context lasts; yield False if another process, or this one, has it locked or removed."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def write_new_file(path: Path, text: str) -> None:
    """Write a new file; raise InvalidError if it exists already. If it cannot be written, no file is left behind."""
    check_new_file(path)
    with _name_path_in_errors(path), path.open("x", encoding="utf-8", newline="\n") as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            path.unlink()
            raise


@contextmanager
def _name_path_in_errors(path: Path) -> Iterator[None]:
    """Give an OSError the name of the path that the user knows: a full disk has none, a temporary file another one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from None


def check_new_file(path: Path) -> None:
    """Raise InvalidError if there is something at this path already."""
    if path.exists():
        raise InvalidError(f"{path} exists already; choose another name")
