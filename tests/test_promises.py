"""What is promised is tested by what the docs say it is, and the counts there are those of a run.

pytest tests --junitxml=last.xml          # or parts of it, into several files
python tests/test_promises.py last.xml    # puts the counts into docs/promises.md; what was not run keeps its last count
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ROOT: Final = Path(__file__).parents[1]
PROMISES_PAGE: Final = ROOT / "docs" / "promises.md"
BEGIN, END = "<!-- counted -->\n", "<!-- end -->\n"


class Promise(NamedTuple):
    """What is promised, and how the names of the tests that show it begin."""

    said: str
    file: str
    tests: tuple[str, ...] = ("test_",)
    only: str = ""
    """What the name has to hold besides: one parameter of many."""

    def covers_test(self, file: str, name: str) -> bool:
        return file == self.file and name.startswith(self.tests) and self.only in name


KILL_TESTS, DISK_TESTS, MANY_AT_ONCE_TESTS = (
    f"tests/faults/test_{name}.py" for name in ("kills", "disks", "many_at_once")
)
STRANGERS_TESTS, QUERY_TESTS = "tests/faults/test_strangers.py", "tests/pipelines/runs/test_query.py"
STRANGERS_PAGES_TESTS, OTHER_SITES_TESTS = (
    "tests/dashboard/test_strangers_pages.py",
    "tests/dashboard/test_other_sites.py",
)
REFERENCE_GAME_TESTS, SIMULATE_TESTS = (
    "tests/pipelines/simulate/test_reference_games.py",
    "tests/pipelines/simulate/test_simulate.py",
)
PAGE_AMONG_MANY_TESTS, HOSTILE_ADDRESS_TESTS = (
    "tests/dashboard/test_page_among_many.py",
    "tests/dashboard/test_hostile_addresses.py",
)
FUZZ_TESTS, FOUND_FAULT_TESTS = "tests/faults/test_fuzz.py", "tests/faults/test_found.py"
INTAKE_TESTS, SERVER_TESTS = "tests/pipelines/runs/test_intake.py", "tests/pipelines/service/test_server.py"
DOCTOR_TESTS = "tests/pipelines/service/test_doctor.py"

RANDOM_KILLS: Final = ("test_a_run_killed_at_random_moments",)
KILL_AT_EVERY_STEP: Final = ("test_a_kill_before_any_change_of_the_folder",)
KILL_WHILE_RESUMED: Final = ("test_a_kill_before_any_change_while_it_is_resumed",)

PROMISES: Final[dict[str, Sequence[Promise]]] = {
    "Kills": (
        Promise(
            "A simulation killed at any moment resumes to the very content of an undisturbed one",
            KILL_TESTS,
            RANDOM_KILLS,
            "simulate",
        ),
        Promise("So does a comparison that is played until it is decided", KILL_TESTS, RANDOM_KILLS, "compare"),
        Promise(
            "So it does before every single change of the folder; nothing half written has a final name",
            KILL_TESTS,
            KILL_AT_EVERY_STEP,
        ),
        Promise("The same while it is being resumed", KILL_TESTS, KILL_WHILE_RESUMED),
    ),
    "Other faults": (
        Promise("A full disk keeps what is done; with room again it goes on", DISK_TESTS, ("test_a_full_disk",)),
        Promise("A read-only folder is told in a line", DISK_TESTS, ("test_a_read_only",)),
        Promise("So is a folder that vanishes", DISK_TESTS, ("test_a_folder_that_vanishes",)),
        Promise(
            "No memory is told in a line, and what is done is kept",
            DISK_TESTS,
            ("test_a_process_without_memory", "test_a_shard_without", "test_a_command_without"),
        ),
        Promise("So it is when a worker is killed", DISK_TESTS, ("test_a_worker_that_is_killed",)),
        Promise("A clock that goes back changes nothing", DISK_TESTS, ("test_a_clock",)),
        Promise("Ctrl-C, once or twice, keeps what is done", DISK_TESTS, ("test_ctrl_c",)),
    ),
    "Many at once": (
        Promise(
            "Simulations, readers, queries and a client of DuckDB at one library: none waits, none sees half a run",
            MANY_AT_ONCE_TESTS,
            ("test_simulations_and_readers",),
        ),
        Promise(
            "An open page and a notebook look on meanwhile; what is finished is on the page by itself",
            PAGE_AMONG_MANY_TESTS,
            ("test_a_page_and_a_notebook",),
        ),
        Promise(
            "Names of runs never collide", MANY_AT_ONCE_TESTS, ("test_runs_that_are_begun_at_once",)
        ),
    ),
    "Files from strangers": (
        Promise("A hostile run file is refused or shown in one line, and reads nothing else", STRANGERS_TESTS, ("test_a_hostile_run",)),
        Promise("A run file with broken bytes is refused in one line and spoils no other", STRANGERS_TESTS, ("test_a_run_file",)),
        Promise("Rulesets of any content are read or refused", STRANGERS_TESTS, ("test_a_ruleset", "test_a_hostile_ruleset")),
        Promise("So is notation", STRANGERS_TESTS, ("test_any_notation",)),
        Promise("So is an unfinished run of any bytes", STRANGERS_TESTS, ("test_an_unfinished",)),
        Promise("A name that is a path leads nowhere", STRANGERS_TESTS, ("test_a_name_that",)),
        Promise("A fuzzer that watches what its inputs reach finds none that does more than be read or refused", FUZZ_TESTS, ("test_no_input",)),
        Promise("It finds a fault that was planted, and sees what no input may do", FUZZ_TESTS, ("test_a_fault", "test_what_an_input")),
        Promise("No text of a file commands the terminal", FOUND_FAULT_TESTS, ("test_no_text_of", "test_a_refusal")),
        Promise("What was found once stays mended", FOUND_FAULT_TESTS),
        Promise("An upload is checked by a process of its own before it is taken in", INTAKE_TESTS),
        Promise("What comes from data is text on every page", STRANGERS_PAGES_TESTS),
        Promise("And in an exported replay, in a browser", OTHER_SITES_TESTS, ("test_a_game_of_a_hostile",)),
    ),
    "Queries": (
        Promise("A change is no question", QUERY_TESTS, ("test_anything_but", "test_a_change_that", "test_the_")),
        Promise("No other file, no network, no extension, no setting", QUERY_TESTS, ("test_files_and", "test_nothing_is_left")),
        Promise(
            "A query that runs away is stopped, in time, memory and answer",
            QUERY_TESTS,
            ("test_a_question_that_runs", "test_a_recursion", "test_an_answer_that", "test_a_question_is_stopped"),
        ),
    ),
    "The dashboard": (
        Promise(
            "Pages of other sites are refused, those whose name leads here too",
            OTHER_SITES_TESTS,
            ("test_a_page_of", "test_a_site", "test_its_own", "test_a_broken_handshake", "test_nothing_but"),
        ),
        Promise("An upload needs the token of the page and has a limit", OTHER_SITES_TESTS, ("test_an_upload",)),
        Promise("An address with anything in it draws a page, and leads to no other file", HOSTILE_ADDRESS_TESTS),
        Promise("It listens on this machine only", OTHER_SITES_TESTS, ("test_it_listens",)),
        Promise("It leaves no process behind", SERVER_TESTS, ("test_the_dashboard_answers", "test_a_dashboard_that")),
    ),
    "The same games again": (
        Promise(
            "Every ruleset and strategy plays the games whose hashes are kept, until rules_version is raised",
            REFERENCE_GAME_TESTS,
            ("test_the_same_seed", "test_no_ruleset"),
        ),
        Promise("Plain rules and compiled games give the very same tables", REFERENCE_GAME_TESTS, ("test_the_plain_rules",)),
        Promise("So do 1, 2 and 5 workers, threads or processes", REFERENCE_GAME_TESTS, ("test_one_two", "test_processes")),
        Promise("So do shards of any size", SIMULATE_TESTS, ("test_the_size", "test_the_number")),
    ),
    "The laboratory itself": (
        Promise("`reroll doctor` finds loaded dice, repeated blocks, mirrors that differ, damaged runs, and says what to do", DOCTOR_TESTS),
    ),
}  # fmt: skip


class Counts(NamedTuple):
    """How some tests ended, and what they counted themselves."""

    passed: int
    failed: int
    skipped: int
    noted: Counter[str]

    @property
    def tests(self) -> int:
        return self.passed + self.failed + self.skipped

    def __str__(self) -> str:
        if not self.tests:
            return "not in the last run"
        tests = "1 test" if self.passed == 1 else f"{self.passed} tests"
        ended = [
            *([tests] if self.passed else []),
            *([f"**{self.failed} failed**"] if self.failed else []),
            *([f"{self.skipped} skipped"] if self.skipped else []),
        ]
        return ", ".join([*(f"{number:,} {what}" for what, number in self.noted.items()), *ended])


def count_tests(promise: Promise, cases: Iterable[ET.Element]) -> Counts:
    """Add up what the tests of a promise did."""
    found = {
        (case.get("classname"), case.get("name")): case
        for case in cases
        if promise.covers_test(
            (case.get("classname") or "").replace(".", "/") + ".py", case.get("name") or ""
        )
    }
    failed = skipped = 0
    noted: Counter[str] = Counter()
    for case in found.values():
        failed += case.find("failure") is not None or case.find("error") is not None
        skipped += case.find("skipped") is not None
        for one in case.iter("property"):
            noted[one.get("name") or ""] += int(one.get("value") or 0)
    return Counts(len(found) - failed - skipped, failed, skipped, noted)


def format_table(cases: Sequence[ET.Element], before: str = "") -> str:
    """The table of the page. A promise of which no test was run keeps the count that it had before."""
    lines = ["| promised | shown by | last count |", "|---|---|---|"]
    for title, promises in PROMISES.items():
        lines.append(f"| **{title}** | | |")
        for promise in promises:
            names = ", ".join(f"`{name}...`" for name in promise.tests if name != "test_")
            shown = f"`{promise.file}`" + (f": {names}" if names else "")
            shown += f" ({promise.only})" if promise.only else ""
            head, found = f"| {promise.said} | {shown} | ", count_tests(promise, cases)
            was = next((line for line in before.splitlines() if line.startswith(head)), None)
            lines.append(was if was and not found.tests else f"{head}{found} |")
    return "\n".join(lines) + "\n"


ALL_PROMISES: Final = [promise for promises in PROMISES.values() for promise in promises]


@pytest.mark.parametrize("promise", ALL_PROMISES, ids=[promise.said for promise in ALL_PROMISES])
def test_a_promise_has_tests_and_a_line_on_the_page(promise: Promise) -> None:
    source = (ROOT / promise.file).read_text(encoding="utf-8")
    for name in promise.tests:
        assert re.search(rf"^\s*def {name}", source, re.MULTILINE), name
    line = re.search(
        rf"^\| {re.escape(promise.said)} \| `{re.escape(promise.file)}`.*$", read_page(), re.MULTILINE
    )
    assert line, "write the page anew: python tests/test_promises.py last.xml"
    assert "failed" not in line[0]


def read_page() -> str:
    return PROMISES_PAGE.read_text(encoding="utf-8")


def test_the_page_holds_no_other_promises() -> None:
    inside = read_page().partition(BEGIN)[2].partition(END)[0]
    assert inside.count("\n") == len(ALL_PROMISES) + len(PROMISES) + 2


def test_counts_are_added_up_and_a_failure_is_told() -> None:
    promise = Promise("It holds", "tests/a/test_b.py", ("test_it",))
    text = """<testsuite>
      <testcase classname="tests.a.test_b" name="test_it[1]"><properties><property name="kills" value="1200"/>
      </properties></testcase>
      <testcase classname="tests.a.test_b" name="test_it[2]"><failure/></testcase>
      <testcase classname="tests.a.test_b" name="test_other"/>
      <testcase classname="tests.a.test_c" name="test_it"><skipped/></testcase>
    </testsuite>"""
    cases = list(ET.fromstring(text).iter("testcase"))  # noqa: S314 - written above
    assert str(count_tests(promise, cases)) == "1,200 kills, 1 test, **1 failed**"
    assert str(count_tests(promise, [])) == "not in the last run"


def test_a_promise_that_was_not_run_keeps_its_count() -> None:
    promise = ALL_PROMISES[-1]
    was = next(line for line in read_page().splitlines() if line.startswith(f"| {promise.said} |"))
    assert was in format_table([], read_page())
    assert was not in format_table([])


def write_counts(files: Sequence[str]) -> None:
    """Put the counts of runs into the page."""
    cases = [case for file in files for case in ET.parse(file).iter("testcase")]  # noqa: S314 - pytest's own
    before, _, rest = read_page().partition(BEGIN)
    last, _, after = rest.partition(END)
    PROMISES_PAGE.write_text(before + BEGIN + format_table(cases, last) + END + after, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        raise SystemExit(f"name the files that pytest --junitxml wrote; {PROMISES_PAGE} gets their counts")
    write_counts(sys.argv[1:])
