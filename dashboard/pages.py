"""Which pages there are, in the order of the line on top. Knows no Streamlit, so that the server can read it at its start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Page:
    """A page: a script in `dashboard/views`, and where it is found."""

    script: str
    title: str
    address: str
    """What stands behind the slash."""
    draws: str = ""
    """When it draws charts: `always`, or `asked`, that is, if its address asks for something."""

    def draws_charts(self, query: str) -> bool:
        """Say whether it draws charts at once when it is opened with this query."""
        return self.draws == "always" or (self.draws == "asked" and bool(query))


PAGES: Final = (
    Page("library", "Library", ""),
    Page("scores", "Scores", "scores", draws="always"),
    Page("strategies", "Strategies", "strategies", draws="asked"),
    Page("replay", "Replay", "replay"),
    Page("whatif", "What if", "whatif", draws="asked"),
    Page("rules", "Rules", "rules"),
    Page("sql", "SQL", "sql"),
)
