"""The Hypothesis profiles dev, ci and night. A test says which share of a profile's examples it needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Collection

EXAMPLES_OF_PROFILES: Final = {"dev": 30, "ci": 100, "night": 1000}
SUPPRESSED_CHECKS: Final = (HealthCheck.too_slow,)
"""Checks that say more about the machine than about a test."""

for profile, max_examples in EXAMPLES_OF_PROFILES.items():
    settings.register_profile(
        profile,
        settings.get_profile("ci" if profile == "ci" else "default"),
        max_examples=max_examples,
        deadline=None,
        suppress_health_check=SUPPRESSED_CHECKS,
    )
settings.load_profile(
    "ci" if os.environ.get("CI") == "true" else "dev"
)  # --hypothesis-profile chooses another


def scale_examples(
    factor: float, suppress_health_check: Collection[HealthCheck] = SUPPRESSED_CHECKS
) -> settings:
    """Return the settings of a test that draws `factor` times the examples of the profile, but at least one."""
    examples = max(1, round(factor * settings().max_examples))
    return settings(max_examples=examples, suppress_health_check=suppress_health_check)
