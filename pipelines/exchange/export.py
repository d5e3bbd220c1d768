"""Export of games: a logged game as text, and new files and folders to write it to."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import InvalidError
from engine.transcript import Transcript, TranscriptLine
from pipelines.runs.game_lists import logged_games
from pipelines.runs.game_plies import read_log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.game import GameFormat
    from pipelines.runs.run import Run


def game_transcript(run: Run, game_id: int) -> Transcript:
    """Return a logged game as a transcript; raise InvalidError if there is none or its plies were not logged."""
    game, seats = run.game(game_id), run.seats(game_id)
    run.actions(game_id)  # raises InvalidError if the plies were not logged
    with run.open_tables() as connection:
        plies = read_log(connection, game_id)
    return Transcript(
        ruleset=game.ruleset,
        seats=tuple(seat.strategy for seat in seats),
        lines=tuple(
            TranscriptLine(
                f"ply {one.ply}",
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

    If the body fails, nothing is left behind. An OSError of the body names `folder`.
    """
    check_new_file(folder)
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    with _name_path_in_errors(folder):
        fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.absolute().parent))
        try:
            fresh.chmod(0o755)
            yield fresh
            check_new_file(folder)
            fresh.rename(folder)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)


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
