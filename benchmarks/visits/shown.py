"""What a page shows, as the server tells it in Streamlit's protocol; nothing is drawn."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np

from benchmarks.visits.walk import VisitError


@dataclass(frozen=True)
class Element:
    """One element of a page."""

    kind: str
    it: Any
    """Its message, of Streamlit's protocol."""
    fragment: str
    """The part of the page that is worked out anew by itself when it is used; empty if that is the whole page."""
    script: int
    """By which time the page was worked out it was told."""

    @property
    def label(self) -> str:
        """What stands on it; signs that Markdown would read are escaped on the wire."""
        return re.sub(r"\\(.)", r"\1", str(getattr(self.it, "label", "")))


class Shown:
    """All elements of a page."""

    def __init__(self) -> None:
        self._elements: dict[tuple[int, ...], Element] = {}
        self._script = 0
        self._parts: set[str] = set()

    def begin(self) -> None:
        """Be ready for what is told when the page, or a part of it, is worked out anew."""
        self._script += 1
        self._parts = set()

    def draw(self, path: tuple[int, ...], delta: Any) -> None:  # noqa: ANN401 - a message
        """Put an element, or room for some, at its place."""
        what = delta.WhichOneof("type")
        if what == "new_element":
            self._parts.add(delta.fragment_id)
            kind = str(delta.new_element.WhichOneof("type"))
            it = getattr(delta.new_element, kind)
            self._elements[path] = Element(kind, it, delta.fragment_id, self._script)
        elif what == "add_block":
            self._elements.pop(path, None)

    def end(self, *, is_part: bool) -> None:
        """Forget what was not told again; of a part of the page, what was told by that part."""
        self._elements = {
            path: one
            for path, one in self._elements.items()
            if one.script == self._script or (is_part and one.fragment not in self._parts)
        }

    def find(self, kind: str, label: str | None = None) -> Element:
        for one in self._elements.values():
            if one.kind == kind and (label is None or one.label == label):
                return one
        raise VisitError(f"no {kind} {label or ''} on the page")

    def has(self, kind: str) -> bool:
        return any(one.kind == kind for one in self._elements.values())

    @property
    def ids(self) -> set[str]:
        """What the server calls those that can be used."""
        return {getattr(one.it, "id", "") for one in self._elements.values()}

    @property
    def text(self) -> str:
        """Everything that is said in words."""
        said = "\n".join(
            str(getattr(one.it, "body", "") or one.label or getattr(one.it, "value", ""))
            for one in self._elements.values()
        )
        return re.sub(r"\\(?=[^\w\s])", "", said)  # as Markdown shows it

    @property
    def headings(self) -> list[str]:
        return [one.it.body for one in self._elements.values() if one.kind == "heading"]

    @property
    def errors(self) -> list[str]:
        found = [one.it.message for one in self._elements.values() if one.kind == "exception"]
        return found + [
            one.it.body
            for one in self._elements.values()
            if one.kind == "alert" and one.it.format == one.it.ERROR
        ]

    @property
    def bars(self) -> list[list[int]]:
        """The data that the bars of the chart carry, from left to right."""
        return [
            [int(bound) for bound in bar]
            for trace in json.loads(self.find("plotly_chart").it.spec)["data"]
            if trace["type"] == "bar"
            for bar in _array(trace["customdata"])
        ]

    @property
    def scene(self) -> dict[str, Any] | None:
        """The game that is replayed."""
        for one in self._elements.values():
            if one.kind == "bidi_component" and one.it.component_name == "reroll_replay":
                scene: dict[str, Any] = json.loads(one.it.json)[0]["scene"]
                return scene
        return None

    def number(self, label: str) -> str:
        """Return what stands in a box for a number."""
        box = self.find("number_input", label).it
        return f"{box.value if box.set_value else box.default:.15g}"

    def heads(self, kind: str) -> list[str]:
        """Return the heads of the columns of a table in the rulebook; none if it is not there."""
        found = re.search(rf'<table class="{kind}">.*?<thead>(.*?)</thead>', self.text, re.DOTALL)
        return [unescape(one) for one in re.findall(r"<th[^>]*>([^<]*)</th>", found[1])] if found else []


def _array(values: Any) -> list[Any]:  # noqa: ANN401 - what Plotly writes
    """Return the values of a figure, which Plotly may have packed."""
    if not isinstance(values, dict):
        return list(values)
    packed = np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])
    shape = [int(size) for size in str(values.get("shape", len(packed))).split(",")]
    unpacked: list[Any] = packed.reshape(shape).tolist()
    return unpacked
