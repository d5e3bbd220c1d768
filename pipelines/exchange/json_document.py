"""A game as a JSON document, with the whole ruleset in it: `reroll export --schema` prints what may stand where."""

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
    """One ply. All but the notation may be left out; what is there is checked by the rules."""

    notation: Annotated[str, Field(min_length=1, max_length=400, description="The action in writing.")]
    round: Annotated[int | None, Field(description="Round, from 0.")] = None
    seat: Annotated[int | None, Field(description="Who acted: a seat, or -1 for chance.")] = None
    options: Annotated[int | None, Field(description="Number of legal actions; null for chance.")] = None
    score: Annotated[int | None, Field(description="Score of the acting seat after it; null for chance.")] = (
        None
    )


class GameDocument(_StrictModel):
    """A game from its beginning to its end."""

    format: Literal["reroll game"]
    version: Annotated[Literal[1], Field(description="Of this schema.")]
    ruleset: Annotated[dict[str, Any], Field(description="The whole ruleset, as in the table rulesets.")]
    seats: Annotated[
        tuple[Annotated[str, Field(max_length=400)], ...],
        Field(min_length=1, max_length=8, description="Who sat where, in the order of play."),
    ]
    plies: Annotated[
        tuple[PlyDocument, ...],
        Field(
            max_length=MAX_PLIES, description="In order; a decision with one legal action may be left out."
        ),
    ]
    title: Annotated[str, Field(max_length=400)] = ""
    block: Annotated[int | None, Field(ge=0, description="Place in the run that it comes from.")] = None
    rotation: Annotated[int | None, Field(ge=0, description="Number of the seating in its block.")] = None
    scores: Annotated[
        tuple[int, ...] | None, Field(description="Final scores, checked if they are there.")
    ] = None


def game_schema() -> dict[str, Any]:
    """Return the JSON Schema of a game."""
    return GameDocument.model_json_schema()


def write_document(ruleset: Ruleset, game: Transcript) -> str:
    """Write a game: its head, then one ply a line."""
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
    """Read a game; raise InvalidError that names the line, or the key, for what is no such document."""
    try:
        found = GameDocument.model_validate_json(text)
    except ValidationError as error:
        raise InvalidError(_format_first_error(error, text)) from None
    name = found.ruleset.get("name")
    return [
        Transcript(
            ruleset=name if isinstance(name, str) else "",
            seats=found.seats,
            lines=tuple(_transcript_line(number, ply) for number, ply in enumerate(found.plies)),
            title=found.title,
            block=found.block,
            rotation=found.rotation,
            scores=found.scores,
            document=found.ruleset,
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
        return f"line {wrong.lineno}: no JSON: {wrong.msg}"
    except (ValueError, RecursionError):
        return "no JSON: nested too deep, or a number with too many digits"
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    return f"{key or 'document'}: {first['msg'][0].lower()}{first['msg'][1:]}"


JSON_FORMAT: Final = GameFormat(
    "json", "a document for programs, ruleset included", write_document, read_document
)
