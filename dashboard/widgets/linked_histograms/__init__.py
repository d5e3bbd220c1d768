"""Linked histograms: a range chosen in one chart filters the others in the browser, without the server."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, TypedDict

from dashboard.widgets.components import script_renderer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipelines.statistics.intervals import Integers
    from pipelines.viewer.palette import SeriesLook


FOLDER: Final = Path(__file__).parent


class Measure(NamedTuple):
    """A measure with a histogram."""

    key: str
    title: str
    edges: Integers
    """Edges of the bins; the last edge is the first integer above the last bin."""


class Group(NamedTuple):
    """A division of the results with a button for each member."""

    key: str
    title: str
    names: Sequence[str]


class Lines(TypedDict):
    """What the lines of each histogram are: the members of a column of the cells."""

    column: str
    names: Sequence[str]
    looks: Sequence[SeriesLook]


def show_linked_histograms(  # noqa: PLR0913 - the parts of a picture, all keywords
    *,
    key: str,
    measures: Sequence[Measure],
    groups: Sequence[Group],
    lines: Lines,
    columns: Mapping[str, NDArray[np.uint8]],
    counts: NDArray[np.uint32],
    selected: Mapping[str, Sequence[int]],
    on_compare: Callable[[], None],
) -> None:
    """Show a histogram for every measure and buttons for every group.

    `columns` holds the bin, or the member, of every cell by the keys of measures and groups; `counts` the results of each
    cell. `selected` is the selection at first: by measure the lowest and the highest value, by group the members. The
    selection that the visitor wants to compare is in the session state under `key` as `compare`, a JSON text.
    """
    script_renderer(FOLDER / "linked.js", FOLDER / "linked.css")(
        key=key,
        data={
            "measures": [
                {
                    "key": measure.key,
                    "title": measure.title,
                    "edges": measure.edges.tolist(),
                    "bins": len(measure.edges) - 1,
                }
                for measure in measures
            ],
            "groups": [
                {"key": group.key, "title": group.title, "names": list(group.names)} for group in groups
            ],
            "line": lines["column"],
            "lines": [
                {"name": name, "colour": look.colour, "dash": look.dash}
                for name, look in zip(lines["names"], lines["looks"], strict=True)
            ],
            "columns": {name: _encode_array(column) for name, column in columns.items()},
            "counts": _encode_array(counts),
            "selected": {name: list(values) for name, values in selected.items()},
        },
        height="content",
        on_compare_change=on_compare,
    )


def _encode_array(array: NDArray[np.uint8] | NDArray[np.uint32]) -> str:
    """Return the bytes of an array as text; all common machines store the lowest byte first, as browsers do."""
    return base64.b64encode(array.astype(array.dtype.newbyteorder("<")).tobytes()).decode("ascii")
