"""What axe-core, which judges a page as a screen reader meets it, finds on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

KNOWN_FAULTS: Final = {
    "presentation-role-conflict": "stFileUploaderDropzone",  # Streamlit's field for files
    "region": "data-floating-ui-portal",  # Streamlit's menus
    "heading-order": ".pair-side",  # the two sides of a what-if stand below headings of several levels
    "landmark-unique": "",  # a study with several replays has several places of one name
}
"""Rules that are not grave and are broken, each with a part of the address or of the text of the elements that may do so."""

ENDED_FADING_SCRIPT: Final = """async () => {
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
  const isEnding = ({ timeline, playState, effect }) =>
    timeline === document.timeline && playState === "running" && effect.getComputedTiming().endTime < 2000;
  await Promise.allSettled(document.getAnimations().filter(isEnding).map((fading) => fading.finished));
}"""
"""A script that waits for two frames, because a replay takes the colours of another theme in the next one, and for the
transitions that have begun by then: text that is fading in has too little contrast."""


def find_faults(page: Page, *rules: str, part: str = "", has_known_colours: bool = False) -> list[str]:
    """Return the faults that axe-core finds on a page, by some of its rules or by all: impact, rule and element.

    With `part`, a selector, only that part of the page is checked. With `has_known_colours` contrasts are not measured, which
    takes more than half of the time; another test has measured them. Known faults are left out.
    """
    page.evaluate(ENDED_FADING_SCRIPT)
    if page.evaluate("!window.axe"):
        page.evaluate(AXE_SCRIPT)
    options = {
        "resultTypes": ["violations"],
        "rules": {"color-contrast": {"enabled": not has_known_colours}},
        **({"runOnly": list(rules)} if rules else {}),
    }
    result: dict[str, Any] = page.evaluate(
        "([part, options]) => axe.run(part || document, options)", [part, options]
    )
    if not (result["passes"] or result["incomplete"]):
        return ["axe-core checked nothing"]
    return [
        f"{rule['impact']} {rule['id']}: {node['target']} {node['html'][:200]}"
        for rule in result["violations"]
        for node in rule["nodes"]
        if KNOWN_FAULTS.get(rule["id"], "no element") not in f"{node['target']} {node['html']}"
    ]
