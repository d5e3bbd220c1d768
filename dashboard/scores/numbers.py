"""Tables of answers on the page: shown, and to download."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.widgets import tables

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.report.tables.scores import NumberTable


def show_numbers(numbers: NumberTable, strategies: Collection[str] = ()) -> pd.DataFrame:
    """Show a table of numbers and return it as a data frame. `strategies` are the names that become short."""
    frame = pd.DataFrame(list(numbers.rows)).astype(dict.fromkeys(numbers.formats, float))
    tables.show_table(frame, numbers.title, numbers.formats, strategies=strategies)
    return frame
