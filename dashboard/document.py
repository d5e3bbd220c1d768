"""The document behind every address: Streamlit's own, which has an empty body and loads the scripts that fill it.

Ours tells it where its server is, which it would otherwise ask about, twice at every address but the first; it has
the name, the icon and the ground of Reroll from the first moment on, so that nothing flashes up in the dark; and it
has the scripts that draw charts loaded early where a chart will come. Whoever starts `streamlit run dashboard/app.py`
does without all that, and misses nothing else.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from pathlib import Path

CHART_SCRIPT: Final = "elements/PlotlyChart/PlotlyChart.tsx"
"""What draws charts, as Streamlit's list of scripts names it: a browser works on it for a twentieth of a second, and in
a new tab for a third of one."""
CHART_PRELOAD_DELAY_MS: Final = 2500
"""Milliseconds after which a page is there, so that the browser has time for what the next one may need."""

# Streamlit skips its questions if it is told all this. Nobody but the page itself may send it messages.
_HOST_CONFIG_SCRIPT: Final = """<script>
window.__streamlit = {
  BACKEND_BASE_URL: location.origin,
  HOST_CONFIG: { allowedOrigins: [location.origin], useExternalAuthToken: false, enableCustomParentMessages: false },
};
</script>"""
_LOAD_NOW_SCRIPT: Final = """<script>
(window.requestIdleCallback ?? setTimeout)(() => import(%s));
</script>"""
_LOAD_LATER_SCRIPT: Final = """<script>
addEventListener("load", () => setTimeout(() => (window.requestIdleCallback ?? setTimeout)(() => import(%s)), %d));
</script>"""


def build_html_document(static: Path, icon: str, grounds: tuple[str, str], *, draws_charts: bool) -> str:
    """Return the document of pages that draw charts at once, or of the others.

    `static` is the folder of Streamlit's own files, `icon` an SVG; `grounds` are the colours of the page in the light
    and in the dark.
    """
    plain = (static / "index.html").read_text(encoding="utf-8")
    plain = plain.replace("<title>Streamlit</title>", "<title>Reroll</title>")
    plain = plain.replace('href="./favicon.png"', f'href="data:image/svg+xml,{quote(icon)}"')
    head = _HOST_CONFIG_SCRIPT + (
        f"<style>html {{ background: {grounds[0]}; }} "
        f"@media (prefers-color-scheme: dark) {{ html {{ background: {grounds[1]}; }} }}</style>"
    )
    return plain.replace("<head>", f"<head>{head}{_chart_preload_script(static, now=draws_charts)}", 1)


def _chart_preload_script(static: Path, *, now: bool) -> str:
    """Have the script of the charts loaded: at once, while the browser waits for the server anyway, or at leisure.

    Nothing is, if Streamlit's list has none by that name: then it is loaded when a chart comes.
    """
    try:
        listed: dict[str, Any] = json.loads((static / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    script = next(
        (json.dumps(f"/{one['file']}") for name, one in listed.items() if name.endswith(CHART_SCRIPT)), ""
    )
    if not script:
        return ""
    return _LOAD_NOW_SCRIPT % script if now else _LOAD_LATER_SCRIPT % (script, CHART_PRELOAD_DELAY_MS)
