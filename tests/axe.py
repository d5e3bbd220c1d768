"""What axe-core, which judges a page as a screen reader meets it, finds on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

GRAVE_IMPACTS: Final = {"serious", "critical"}


def find_grave_faults(page: Page, *rules: str) -> list[str]:
    """Return the grave faults that axe-core finds on a page, by some of its rules or by all: impact, rule and element."""
    page.evaluate(AXE_SCRIPT)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    result: dict[str, Any] = page.evaluate("options => axe.run(options)", options)
    assert result["passes"] or result["incomplete"], "axe-core checked nothing"
    return [
        f"{rule['impact']} {rule['id']}: {node['target']} {node['html'][:200]}"
        for rule in result["violations"]
        if rule["impact"] in GRAVE_IMPACTS
        for node in rule["nodes"]
    ]
