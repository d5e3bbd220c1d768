"""The Streamlit component of a game by hand: the board, on which a person chooses moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dashboard.widgets.components import viewer_renderer

if TYPE_CHECKING:
    from collections.abc import Callable


def show_board_to_play(
    document: dict[str, Any],
    response: dict[str, Any] | None,
    *,
    key: str,
    again: dict[str, str],
    on_request: Callable[[], None],
) -> None:
    """Show a game by hand. `again` is the address of the same setup without moves.

    The component writes `moves` to the address and sends requests, for which `on_request` is called; the request is then
    the attribute `request` of the session state below `key`.
    """
    viewer_renderer("play")(
        key=key,
        on_request_change=on_request,
        data={**document, "response": response, "again": again},
        height="content",
    )
