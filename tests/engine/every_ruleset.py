"""Checks that hold for every ruleset: Hypothesis draws the ruleset; at night, each check runs for all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.ruleset import Ruleset

RULESETS = Catalogue().rulesets
seeds = st.integers(0, 2**64 - 1)


class RulesetCheck(NamedTuple):
    """A check of a ruleset, with the Hypothesis strategies of its other parameters."""

    check: Callable[..., None]
    strategies: dict[str, st.SearchStrategy[Any]]
    examples: int

    def run_for(self, ruleset: Ruleset) -> None:
        """Run the check for one ruleset, a few times if it has other parameters."""
        if not self.strategies:
            self.check(ruleset)
            return
        limits = settings(max_examples=self.examples, deadline=None, suppress_health_check=list(HealthCheck))
        limits(given(**self.strategies)(lambda **drawn: self.check(ruleset, **drawn)))()


class CheckList(list[RulesetCheck]):
    """The checks of one test module, and the rulesets for which they hold."""

    def __init__(self, rulesets: Iterable[Ruleset] = RULESETS.values()) -> None:
        super().__init__()
        self.rulesets = list(rulesets)

    def drawn(
        self, *, examples: int = 10, night_examples: int = 3, **strategies: st.SearchStrategy[Any]
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Return a decorator that draws `ruleset` and the other parameters, and adds the check to this list."""

        def decorate(check: Callable[..., None]) -> Callable[..., None]:
            self.append(RulesetCheck(check, strategies, night_examples))
            limits = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck))
            drawn: Callable[..., None] = given(ruleset=st.sampled_from(self.rulesets), **strategies)(check)
            return limits(drawn)

        return decorate
