"""Tables that a page shows and gives away: as they are on the page, and as CSV and Parquet."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import spreadsheets
from pipelines.verdict import rounded

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.statistics import Interval


def told(interval: Interval | None, *, signed: bool = False, scale: float = 1.0) -> str:
    """Write an estimate with the ends of its 95 % interval, no more digits than it carries."""
    if interval is None:
        return "not enough games"
    shown = type(interval)(*(scale * value for value in interval))
    estimate, low, high = rounded(shown)
    plus = "+" if signed and shown.estimate > 0 else ""
    return f"{plus}{estimate} ({low} to {high})" if shown.half else f"{plus}{estimate} exactly"


def downloads(table: pd.DataFrame, name: str) -> None:
    """Offer a table as CSV and as Parquet."""
    with st.container(horizontal=True):
        st.download_button(
            "CSV", spreadsheets.as_csv(table), f"{name}.csv", "text/csv", key=f"csv-{name}", on_click="ignore"
        )
        st.download_button(
            "Parquet",
            _parquet(table),
            f"{name}.parquet",
            "application/vnd.apache.parquet",
            key=f"parquet-{name}",
            on_click="ignore",
        )


def _parquet(table: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    return buffer.getvalue()
