"""The browser that measurements and tests look through. Imports nothing heavy: this is read where there is none, too."""

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
"""How it is started: wherever it is, without a screen, asking no host for anything but the page."""
