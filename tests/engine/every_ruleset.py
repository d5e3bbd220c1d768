"""Checks that hold for every ruleset: Hypothesis draws the ruleset; at night, each check runs for all of them."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from engine.catalogue import Catalogue
from engine.errors import InvalidError
from tests.examples import scale_examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from engine.ruleset import Ruleset

RULESETS = Catalogue().rulesets
seeds = st.integers(0, 2**64 - 1)


@st.composite
def changed_rulesets(draw: st.DrawFn, rulesets: Sequence[Ruleset]) -> Ruleset:
    """Return a ruleset with other options: words that the game knows, and numbers from nothing to four times its own."""
    ruleset = draw(st.sampled_from(rulesets))
    schema = type(ruleset).model_json_schema()
    for name, own in ruleset.document["options"].items():
        words = schema["$defs"]["Options"]["properties"][name].get("enum", ())
        numbers = (0, 1, 2 * own, 3 * own, 4 * own) if isinstance(own, int) else ()
        document = copy.deepcopy(ruleset.document)
        document["options"][name] = draw(st.sampled_from([own, *words, *numbers]))
        with suppress(InvalidError):
            ruleset = type(ruleset).from_document(document, name)
    return ruleset


class RulesetCheck(NamedTuple):
    """A check of a ruleset, with the Hypothesis strategies of its other parameters."""

    check: Callable[..., None]
    strategies: dict[str, st.SearchStrategy[Any]]
    factor: float
    """How many examples it draws of all rulesets, as a multiple of the number of the Hypothesis profile."""

    def run_for(self, ruleset: Ruleset) -> None:
        """Run the check for one ruleset, with its part of the examples if it has other parameters."""
        if not self.strategies:
            self.check(ruleset)
            return
        limits = scale_examples(self.factor / len(RULESETS), list(HealthCheck))
        limits(given(**self.strategies)(lambda **drawn: self.check(ruleset, **drawn)))()


class CheckList(list[RulesetCheck]):
    """The checks of one test module, and the rulesets for which they hold."""

    def __init__(self, rulesets: Iterable[Ruleset] = RULESETS.values()) -> None:
        super().__init__()
        self.rulesets = list(rulesets)

    def drawn(
        self, *, factor: float = 0.1, **strategies: st.SearchStrategy[Any]
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Return a decorator that draws `ruleset` and the other parameters, and adds the check to this list.

        `factor` is the number of examples, as a multiple of that of the Hypothesis profile.
        """

        def decorate(check: Callable[..., None]) -> Callable[..., None]:
            self.append(RulesetCheck(check, strategies, factor))
            drawn: Callable[..., None] = given(ruleset=st.sampled_from(self.rulesets), **strategies)(check)
            return scale_examples(factor, list(HealthCheck))(drawn)

        return decorate
