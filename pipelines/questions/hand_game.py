"""Games by hand: their address holds all of them, so that a reload goes on with the game. How people did against strategies.

?ruleset=bloxx-2p&seats=me,greedy&seed=7&moves=1a.4f     a new game
?run=demo&game-number=4&move=18&seats=me,greedy&moves=1a  a game that goes on from a logged game, with its dice
"""

from __future__ import annotations

import shlex
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, NamedTuple

from pydantic import Field

from engine.errors import GameError, InvalidError
from engine.wording import format_count
from pipelines.design.limits import MAX_MOVES_CHARACTERS, SEED
from pipelines.design.lineups import split_strategies
from pipelines.play import HandSetup, prepare_continuation, prepare_game
from pipelines.questions.address import Question, number_field, shorten_value
from pipelines.questions.game import AddressedGame, AddressedPly
from pipelines.runs.names import is_file_name

if TYPE_CHECKING:
    import duckdb

    from engine.ruleset import Ruleset
    from pipelines.questions.source import QuestionSource
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run

MAX_SEATS_LENGTH: Final = 1_000


class HandGameQuestion(Question):
    """A game in which people choose the moves of some seats; without `seats`, a form that asks who plays."""

    page: ClassVar[str] = "play"

    ruleset: Annotated[str, Field(title="ruleset")] = ""
    run: Annotated[str, Field(title="run")] = ""
    """The run of the logged game that it goes on from; empty for a new game."""
    game: AddressedGame = 0
    ply: AddressedPly = 0
    """The first ply that is not that of the logged game."""
    seats: Annotated[str, Field(title="seats", max_length=MAX_SEATS_LENGTH)] = ""
    """The player of each seat, separated by commas: a strategy or a person."""
    seed: Annotated[int | None, number_field("seed", SEED)] = None
    """None for the dice of the logged game."""
    moves: Annotated[str, Field(title="moves", max_length=MAX_MOVES_CHARACTERS)] = ""

    @property
    def players(self) -> list[str]:
        """The player of each seat."""
        return split_strategies(self.seats)

    @property
    def setup(self) -> HandGameQuestion:
        """The game before its first move."""
        return self.model_copy(update={"moves": ""})

    @property
    def title(self) -> str:
        origin = f"from game {self.game + 1} of {self.run}" if self.run else self.ruleset
        return f"Game by hand: {origin}, {self.seats}"

    @property
    def command(self) -> str:
        words = ["reroll", "play", *([] if self.run else [self.ruleset]), "--seats", self.seats]
        if self.run:
            words += ["--run", self.run, "--game", str(self.game + 1), "--move", str(self.ply + 1)]
        words += [] if self.seed is None else ["--seed", str(self.seed)]
        words += ["--moves", self.moves] if self.moves else []
        return shlex.join(words)


def prepare_hand_game(question: HandGameQuestion, library: Library) -> HandSetup:
    """Return the setup of a game by hand. Raises a GameError, in one line, if the question names a thing that does not exist."""
    if question.run:
        run = find_origin(question, library)
        return prepare_continuation(run, question.game, question.ply, question.players, question.seed)
    rulesets = library.catalogue.rulesets  # a ruleset by its name only: an address must not open files
    if question.ruleset not in rulesets:
        raise InvalidError(f"there is no ruleset {shorten_value(question.ruleset)!r}")
    return prepare_game(_share_ruleset(rulesets[question.ruleset]), question.players, question.seed or 0)


def find_origin(question: HandGameQuestion, library: Library) -> Run:
    """Return the run of the logged game that is played on. Raises InvalidError if the run, the game or the ply does not exist."""
    if not is_file_name(question.run):
        raise InvalidError(f"there is no run {shorten_value(question.run)!r}")
    run = library.run(question.run)
    plies = run.game(question.game).plies
    if question.ply >= plies:
        raise InvalidError(
            f"game {question.game + 1} of run {question.run} has {format_count(plies, 'move')}, so it cannot be played on from move "
            f"{question.ply + 1}"
        )
    return run


@lru_cache(maxsize=16)
def _share_ruleset(ruleset: Ruleset) -> Ruleset:
    """Return the same object for equal rulesets: it keeps tables that take longer to compute than a move."""
    return ruleset


class OwnResults(NamedTuple):
    """The games of one person against one strategy, which may have several seats, from the start to the end."""

    sha256: str
    """The hash of the ruleset."""
    opponent: str
    """The full name of the strategy."""
    games: int
    won: int
    shared: int
    """Games in which the person shared the win."""
    helped: int
    """Games in which the person looked at a hint or took back a move that counted."""


def find_own_results(source: QuestionSource) -> list[OwnResults]:
    """Return the results under each ruleset against each strategy, those of the newest game first; a copy counts once.

    The result is empty if a run file is damaged.
    """
    runs = {run.summary.command: run for run in source.runs if run.summary.is_by_hand}
    with suppress(GameError):
        return source.query(read_own_results, list(runs.values())) if runs else []
    return []


def read_own_results(con: duckdb.DuckDBPyConnection) -> list[OwnResults]:
    """Return the results of the games of some runs."""
    rows = con.execute(
        """
        WITH own AS (
          SELECT any_value(rulesets.sha256) AS sha256, any_value(notation) FILTER (name <> 'me') AS opponent,
            max(win_share) FILTER (name = 'me') AS share, max(created_at) AS created_at,
            any_value(json_array_length(design->'hand'->'hints') + json_array_length(design->'hand'->'undos')) AS helps
          FROM seats JOIN strategies USING (run, strategy) JOIN rulesets USING (run) JOIN run USING (run)
          WHERE kind = 'hand' AND (design->'hand'->>'run') = '' GROUP BY run
          HAVING count(*) FILTER (name = 'me') = 1 AND count(DISTINCT notation) FILTER (name <> 'me') = 1)
        SELECT sha256, opponent, count(*), count(*) FILTER (share = 1), count(*) FILTER (share > 0 AND share < 1),
          count(*) FILTER (helps > 0)
        FROM own GROUP BY ALL ORDER BY max(created_at) DESC
        """
    ).fetchall()
    return [OwnResults(*row) for row in rows]
