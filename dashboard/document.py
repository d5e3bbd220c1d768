"""The document behind every address: Streamlit's own, which has an empty body and loads the scripts that fill it.

Ours tells it where its server is, which it would otherwise ask about, twice at every address but the first; it has
the name, the icon and the ground of Reroll from the first moment on, so that nothing flashes up in the dark; and it
has the scripts that draw charts loaded early where a chart will come. Whoever starts `streamlit run dashboard/app.py`
does without all that, and misses nothing else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from dashboard.pages import PAGES

if TYPE_CHECKING:
    from dashboard.pages import Page

ICON: Final = Path(__file__).with_name("icon.svg")
CHARTS: Final = "elements/PlotlyChart/PlotlyChart.tsx"
"""What draws charts, as Streamlit's list of scripts names it: a quarter of a second in a browser that has seen it, a
whole one in one that has not."""
LEISURE: Final = 2500
"""Milliseconds after which a page is there, so that the browser has time for what the next one may need."""

# Streamlit skips its questions if it is told all this. Nobody but the page itself may send it messages.
_KNOWN: Final = """<script>
window.__streamlit = {
  BACKEND_BASE_URL: location.origin,
  HOST_CONFIG: { allowedOrigins: [location.origin], useExternalAuthToken: false, enableCustomParentMessages: false },
};
</script>"""
_NOW: Final = """<script>
(window.requestIdleCallback ?? setTimeout)(() => import(%s));
</script>"""
_LATER: Final = """<script>
addEventListener("load", () => setTimeout(() => (window.requestIdleCallback ?? setTimeout)(() => import(%s)), %d));
</script>"""


def documents(static: Path, grounds: tuple[str, str]) -> dict[tuple[Page, bool], str]:
    """Return the document of every page, without charts and with them.

    `static` is the folder of Streamlit's own files; `grounds` are the colours of the page in the light and in the dark.
    """
    plain = (static / "index.html").read_text(encoding="utf-8")
    icon = f"data:image/svg+xml,{quote(ICON.read_text(encoding='utf-8'))}"
    plain = plain.replace("<title>Streamlit</title>", "<title>Reroll</title>")
    plain = plain.replace('href="./favicon.png"', f'href="{icon}"')
    head = _KNOWN + (
        f"<style>html {{ background: {grounds[0]}; }} "
        f"@media (prefers-color-scheme: dark) {{ html {{ background: {grounds[1]}; }} }}</style>"
    )
    script = json.dumps(_charts(static))
    return {
        (page, has_charts): plain.replace("<head>", f"<head>{head}{_early(script, now=has_charts)}", 1)
        for page in PAGES
        for has_charts in (False, True)
    }


def _early(script: str, *, now: bool) -> str:
    """Have the scripts of the charts loaded: at once, while the browser waits for the server anyway, or at leisure."""
    if script == "null":
        return ""
    return _NOW % script if now else _LATER % (script, LEISURE)


def _charts(static: Path) -> str | None:
    """Find the script that draws charts in Streamlit's list; None if there is none by that name."""
    try:
        listed: dict[str, Any] = json.loads((static / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return next((f"/{one['file']}" for name, one in listed.items() if name.endswith(CHARTS)), None)
