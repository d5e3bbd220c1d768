"""What a game by hand needs before its first move: rules, players and luck, from a ruleset or a logged game."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from engine.counted_nouns import format_count
from engine.errors import InvalidError
from pipelines.play.hand_game import prepare_continuation, prepare_game
from pipelines.questions.address import shorten_value
from pipelines.runs.names import is_file_name

if TYPE_CHECKING:
    from engine.ruleset import Ruleset
    from pipelines.play.hand_game import HandSetup
    from pipelines.questions.hand_game.question import HandGameQuestion
    from pipelines.runs.library import Library
    from pipelines.runs.run import Run


def prepare_hand_game(question: HandGameQuestion, library: Library) -> HandSetup:
    """Return the setup of a game by hand. Raises a GameError, in one line, for what does not exist."""
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
