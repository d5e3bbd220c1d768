"""What a page shows instead of a part that cannot be shown."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.queries.cached import QUERY_ERRORS, PreparationError
from dashboard.widgets.markdown import escape_markdown
from dashboard.widgets.preparation import show_preparation

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def show_failures() -> Iterator[None]:
    """Show the progress of the work that a page waits for, and in one line an error that a run file from elsewhere may cause.

    A fragment needs it inside: its errors go no further.
    """
    try:
        yield
    except PreparationError:
        show_preparation()
    except QUERY_ERRORS as error:
        st.error(escape_markdown(f"This cannot be shown: {str(error).splitlines()[0]}"))
