"""A game as a JSON document that contains the whole ruleset; `reroll export --schema` prints its JSON Schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.errors import InvalidError
from engine.game import GameFormat
from engine.transcript import MAX_PLIES, Transcript, TranscriptLine

if TYPE_CHECKING:
    from engine.ruleset import Ruleset

DOCUMENT_VERSION: Final = 1


class _StrictModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PlyDocument(_StrictModel):
    """One ply. Only the notation is required; the rules check all that is given."""

    notation: Annotated[str, Field(min_length=1, max_length=400, description="The action in notation.")]
    round: Annotated[int | None, Field(description="Round, from 0.")] = None
    seat: Annotated[int | None, Field(description="The seat that acted, or -1 for chance.")] = None
    options: Annotated[int | None, Field(description="Number of legal actions; null for chance.")] = None
    score: Annotated[int | None, Field(description="Score of the acting seat after it; null for chance.")] = (
        None
    )


class GameDocument(_StrictModel):
    """A whole game."""

    format: Literal["reroll game"]
    version: Annotated[Literal[1], Field(description="Of this schema.")]
    ruleset: Annotated[dict[str, Any], Field(description="The whole ruleset, as in the table rulesets.")]
    seats: Annotated[
        tuple[Annotated[str, Field(max_length=400)], ...],
        Field(min_length=1, max_length=8, description="The players, in the order of play."),
    ]
    plies: Annotated[
        tuple[PlyDocument, ...],
        Field(
            max_length=MAX_PLIES, description="In order; a decision with one legal action may be left out."
        ),
    ]
    title: Annotated[str, Field(max_length=400)] = ""
    block: Annotated[int | None, Field(ge=0, description="Block in the run that the game comes from.")] = None
    rotation: Annotated[int | None, Field(ge=0, description="Number of the seating in that block.")] = None
    scores: Annotated[tuple[int, ...] | None, Field(description="Final scores; the rules check them.")] = None


def game_schema() -> dict[str, Any]:
    """Return the JSON Schema of a game."""
    return GameDocument.model_json_schema()


def write_document(ruleset: Ruleset, game: Transcript) -> str:
    """Return a game as JSON text: the head, then one ply per line."""
    head: dict[str, Any] = {
        "format": "reroll game",
        "version": DOCUMENT_VERSION,
        "title": game.title,
        "ruleset": ruleset.document,
        "block": game.block,
        "rotation": game.rotation,
        "seats": game.seats,
        "scores": game.scores,
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items() if value is not None]
    plies = [f"  {json.dumps({'notation': line.notation, **line.claims})}" for line in game.lines]
    lines.append(' "plies": [\n' + ",\n".join(plies) + "\n ]")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read_document(text: str) -> list[Transcript]:
    """Return the game of a JSON text; raise InvalidError, with the line or the key, for an invalid document."""
    try:
        document = GameDocument.model_validate_json(text)
    except ValidationError as error:
        raise InvalidError(_format_first_error(error, text)) from None
    name = document.ruleset.get("name")
    return [
        Transcript(
            ruleset=name if isinstance(name, str) else "",
            seats=document.seats,
            lines=tuple(_transcript_line(number, ply) for number, ply in enumerate(document.plies)),
            title=document.title,
            block=document.block,
            rotation=document.rotation,
            scores=document.scores,
            document=document.ruleset,
        )
    ]


def _transcript_line(number: int, ply: PlyDocument) -> TranscriptLine:
    return TranscriptLine(
        f"plies.{number}", ply.notation, ply.model_dump(exclude={"notation"}, exclude_unset=True)
    )


def _format_first_error(error: ValidationError, text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as wrong:
        return f"line {wrong.lineno}: not JSON: {wrong.msg}"
    except (ValueError, RecursionError):
        return "not JSON: nested too deep, or a number with too many digits"
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    return f"{key or 'document'}: {first['msg'][0].lower()}{first['msg'][1:]}"


JSON_FORMAT: Final = GameFormat(
    "json", "a document for programs, with the ruleset", write_document, read_document
)
