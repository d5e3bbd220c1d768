"""Read the design of a run, of any kind and any age, from its JSON document."""

from __future__ import annotations

import json
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError

from engine.errors import InvalidError
from pipelines.design.comparison import ComparisonDesign
from pipelines.design.design import FIELDS_OF_OTHER_KINDS, Design
from pipelines.design.finished_designs import HandDesign, ImportDesign
from pipelines.design.lineups import rotation_seatings
from pipelines.design.simulation import SimulationDesign
from pipelines.design.whatif import WhatIfDesign

_DESIGNS: Final[TypeAdapter[Design]] = TypeAdapter(
    Annotated[
        SimulationDesign | ComparisonDesign | WhatIfDesign | ImportDesign | HandDesign,
        Field(discriminator="kind"),
    ]
)


def read_design(document: str | bytes, where: str) -> Design:
    """Read a design from JSON; raise InvalidError that names `where`, the key and what was expected."""
    try:
        return _DESIGNS.validate_json(_adapt_document(document))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(step) for step in first["loc"][1:])  # the first step is the kind
        fault = f"{key}: {first['msg']}" if key else first["msg"]
        raise InvalidError(f"{where}: not the design of a run: {fault}") from None


def _adapt_document(document: str | bytes) -> str | bytes:
    """Return a document with the fields of its kind only.

    Older documents may lack the kind, and have the number of rotations in place of the seatings.
    """
    try:
        fields = json.loads(document)
    except (ValueError, RecursionError):
        return document  # pydantic reports the error
    if not isinstance(fields, dict):
        return document
    fields.setdefault("kind", "simulate")
    for key, empty in FIELDS_OF_OTHER_KINDS.items():
        if key in fields and fields[key] == empty:
            del fields[key]
    if "seatings" not in fields:
        lineup, number = fields.get("lineup"), fields.pop("rotations", None)
        if isinstance(lineup, list) and isinstance(number, int) and number > 0:
            fields["seatings"] = rotation_seatings(len(lineup), number)
    return json.dumps(fields)
