"""The bounds of versions in pyproject.toml; `make check-versions` installs the lowest and the highest and runs tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.check_versions import ROOT, pin_lowest, read_direct_requirements

if TYPE_CHECKING:
    from packaging.requirements import Requirement


@pytest.mark.parametrize("requirement", read_direct_requirements(), ids=lambda one: one.name)
def test_the_tested_version_is_within_bounds_and_not_below_the_lowest(requirement: Requirement) -> None:
    pins = dict(
        re.findall(
            r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE
        )
    )
    tested = {name.lower().replace("_", "-"): version for name, version in pins.items()}[
        requirement.name.lower()
    ]
    assert requirement.specifier.contains(tested)
    assert requirement.specifier.contains(pin_lowest(requirement).partition("==")[2])


@pytest.mark.parametrize(
    "name",
    [
        "typer",
        "distributed",
        "numba",
        "streamlit",
        "duckdb",
        "pandas",
        "pydantic",
        "rich",
        "plotly",
        "pyarrow",
    ],
)
def test_packages_whose_releases_break_things_have_an_upper_bound(name: str) -> None:
    requirements = [
        one for one in read_direct_requirements() if one.name == name
    ]  # several extras may need it
    assert len({str(one.specifier) for one in requirements}) == 1
    assert any(one.operator == "<" for one in requirements[0].specifier)
