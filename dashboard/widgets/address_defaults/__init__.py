"""Write what a page shows by default into its address, without a new entry in the history of the browser.

`st.query_params` would add an entry, and the Back button would lead to the same page once more.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.widgets.address import read_query

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamlit.components.v2.types import ComponentRenderer


def write_address_defaults(page: str, defaults: Mapping[str, Sequence[str]]) -> None:
    """Write these values into the address of the page `page`, each only if the address does not hold its key."""
    # The browser runs the script again whenever the data change, so they hold the address as the server knows it.
    _defaults_renderer()(
        key="address-defaults",
        data={
            "page": page,
            "defaults": {key: list(values) for key, values in defaults.items()},
            "held": read_query(),
        },
        height="content",
    )


@cache
def _defaults_renderer() -> ComponentRenderer:
    script = files(__package__).joinpath("defaults.js").read_text(encoding="utf-8")
    return st.components.v2.component("reroll_address_defaults", js=script)
