"""The browser that measurements and tests look through, and how to start it; imports nothing, for wherever it is missing."""

from typing import Final

CHROMIUM: Final = "/usr/bin/chromium"
QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""What keeps it from asking anybody but the page for anything."""
