"""People read names: no identifier of a ruleset and no parameter of a strategy stands in sentences, titles, charts and menus.

Tables of numbers, which are files, facts, commands and SQL keep identifiers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipelines.design.designs import design_comparison, design_simulation
from pipelines.questions.address import split_address
from pipelines.report.table import Table
from pipelines.runs.library import Library
from pipelines.simulate.simulate import simulate_run
from pipelines.studies.study import StudySource, compose_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.testing.v1 import AppTest

pytestmark = pytest.mark.slow

ADDRESSES: Final = (
    "/strategies?run=duel",
    "/scores?runs=plain",
    "/scores?rulesets=bloxx-2p",
    "/scores?rulesets=bloxx-2p&rulesets=bloxx-touch-2p",
    "/scores?rulesets=bloxx-2p&rulesets=mine&compare=One+by+one",
    "/scores?rulesets=bloxx-2p&rulesets=bloxx-3p",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Parts",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Course",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Players",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Length",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Squares",
    "/scores?rulesets=bloxx-2p&rulesets=mine&view=Explore&select=%7B%22score%22:%5B20,40%5D%7D",
    "/games?runs=plain&sort=margin&lowest=1",
    "/games",
    "/rules?ruleset=bloxx-2p",
    "/rules?ruleset=bloxx-2p&part=side-by-side&with=bloxx-rest-2p",
    "/rules?ruleset=mine&strategy=greedy,noisy:sigma=2&blocks=6",
    "/rules?ruleset=bloxx-2p&part=card",
    "/rules?ruleset=bloxx-2p&against=mine&strategies=greedy,noisy:sigma=2&blocks=6",
    "/replay?run=plain&game-number=2&move=3",
    "/replay?run=mini&game-number=1&review=1",
    "/whatif?run=plain&game-number=2&move=9&player=1&strategy=noisy:sigma%3D2&continuations=8&quick=1",
    "/whatif?run=plain&game-number=2&move=9&player=1&strategy=noisy:sigma%3D2&continuations=8",
    "/whatif?run=plain&many=all&move=last-roll&luck=1&continuations=4&limit=4",
)
PAGES: Final = (
    "/library",
    "/games",
    "/replay?run=plain&game-number=2&move=3",
    "/scores?rulesets=bloxx-2p&rulesets=mine",
    "/strategies?run=duel",
    "/strategies?ruleset=mine",
    "/whatif?run=plain&many=all",
    "/rules?ruleset=mine",
    "/rules?ruleset=mine&part=effect",
    "/rules?ruleset=mine&part=side-by-side",
    "/play?ruleset=mine",
    "/play?run=plain&game-number=2&move=9",
    "/runs",
    "/notes",
)
NOT_FOR_PEOPLE: Final = {
    "facts",
    "commands",
    "address",
    "fields",
    "numbers",
    "record",
    "scene",
    "look",
    "key",
    "kind",
    "make_pair",
    "review",
    "run",
}
"""Fields of sheets that hold identifiers, files and drawings."""
MENUS: Final = (
    "selectbox",
    "multiselect",
    "button_group",
    "segmented_control",
    "pills",
    "radio",
    "menu_button",
)
WORDS: Final = (
    "title",
    "header",
    "subheader",
    "markdown",
    "caption",
    "warning",
    "error",
    "info",
    "button",
    "toggle",
    "checkbox",
)
PARAMETER: Final = re.compile(r"\w+:[a-z_]+=\S*")


@pytest.fixture(scope="session")
def named_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Runs of strategies with parameters under several rulesets; two rulesets have one title."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "rulesets").mkdir()
    (folder / "rulesets" / "mine.toml").write_text(
        'extends = "bloxx"\nplayers = 2\n[options]\nrow_first = 5\n'
    )
    library = Library(folder)
    for name, ruleset, *lineup in (
        ("mini", "bloxx-mini", "greedy", "random"),
        ("three", "bloxx-3p", "greedy", "greedy", "noisy:sigma=2"),
        ("hanging", "bloxx-touch-2p", "greedy", "noisy:sigma=2"),
        ("own", "mine", "greedy", "noisy:sigma=2"),
        ("plain", "bloxx-2p", "greedy", "noisy:sigma=2"),
    ):
        design = design_simulation(library.catalogue.find_ruleset(ruleset), lineup, games_at_least=24, seed=7)
        simulate_run(design, folder / "runs" / f"{name}.duckdb", workers=1)
    duel = design_comparison(
        library.catalogue.find_ruleset("mine"), ["noisy:sigma=2", "noisy:sigma=4"], blocks=20, seed=3
    )
    simulate_run(duel, folder / "runs" / "duel.duckdb", workers=1)
    return Library(folder)


def list_identifiers(library: Library, text: str) -> list[str]:
    """Return the identifiers of rulesets and the parameters of strategies in a text; those in brackets tell titles apart."""
    names = re.findall(r"(?<![\w(-])[a-z][a-z0-9-]*(?![\w-])", re.sub(r"\(mine\)|\bis mine\b", "", text))
    return [name for name in names if name in library.catalogue.rulesets] + PARAMETER.findall(text)


def list_texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a sheet, its parts, their contents and texts
    """Yield the texts of a sheet that people read, each with the name of its field."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Table):
        yield from ((field, text) for field in ("title", "caption") for text in (getattr(value, field),))
        yield from (("column", column) for column in value.columns)
    elif is_dataclass(value) or hasattr(value, "_asdict"):
        names = [field.name for field in fields(value)] if is_dataclass(value) else value._fields
        for field in names:
            if field not in NOT_FOR_PEOPLE:
                yield from list_texts(getattr(value, field), field)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from list_texts(item, name)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from list_texts(item, name)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_sheet_calls_rulesets_and_strategies_by_names(address: str, named_library: Library) -> None:
    sheet = compose_address(StudySource(named_library), *split_address(address))
    texts = list(list_texts(sheet))
    assert len(texts) > 5
    assert not [(name, text) for name, text in texts if list_identifiers(named_library, text)]
    assert not re.search(r"\bgame \d+ of", sheet.title, re.IGNORECASE)


@pytest.mark.parametrize("address", PAGES)
def test_a_page_calls_rulesets_and_strategies_by_names(
    address: str, named_library: Library, open_dashboard_page: Callable[..., AppTest]
) -> None:
    page, query = split_address(address)
    at = open_dashboard_page(f"{page}.py", named_library.folder, **query)
    assert not at.exception
    texts = [
        str(getattr(element, name, ""))
        for kind in WORDS
        for element in at.get(kind)
        for name in ("value", "label")
    ]
    texts += [str(option) for kind in MENUS for element in at.get(kind) for option in list_options(element)]
    assert not [text for text in texts if list_identifiers(named_library, text.replace("\\", ""))]


def list_options(element: Any) -> list[str]:  # noqa: ANN401 - a menu of a page
    """Return what a menu offers."""
    proto = getattr(element, "proto", None)
    return [str(getattr(option, "content", option)) for option in getattr(proto, "options", ())]


@pytest.mark.parametrize("view", ["Squares", "Moves"])
def test_an_answer_on_one_of_several_rulesets_names_it_and_counts_only_its_games(
    view: str, named_library: Library
) -> None:
    address = f"/scores?rulesets=bloxx-touch-2p&rulesets=bloxx-2p&view={view}"
    hanging, plain = (
        compose_address(StudySource(named_library), *split_address(f"{address}&board={board}"))
        for board in ("bloxx-touch-2p", "bloxx-2p")
    )
    assert hanging.verdict.startswith("under BLOXX! (shapes may hang), ")
    assert plain.verdict.startswith("under BLOXX!, ")
    for sheet in (hanging, plain):
        assert sheet.basis.startswith("24 games in 1 run of BLOXX!")
        assert " and " not in sheet.basis.partition(".")[0]


def test_recorded_edges_are_those_of_each_ruleset(named_library: Library) -> None:
    for names in (("bloxx-2p", "bloxx-touch-2p"), ("bloxx-touch-2p", "bloxx-2p")):
        address = f"/scores?rulesets={names[0]}&rulesets={names[1]}&view=Players"
        said = compose_address(StudySource(named_library), *split_address(address)).consequences
        recorded = [sentence for sentence in said if "recorded blocks" in sentence]
        words = " and ".join(
            sentence.partition(", with greedy")[0].removeprefix("under ") for sentence in recorded
        )
        assert sorted(words.split(" and ")) == ["BLOXX!", "BLOXX! (shapes may hang)"]
