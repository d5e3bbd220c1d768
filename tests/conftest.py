"""What all tests share."""

from __future__ import annotations

import pytest

from engine.catalogue import Catalogue


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped rulesets."""
    return Catalogue()
