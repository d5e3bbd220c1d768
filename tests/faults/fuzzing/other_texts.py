"""Unfinished runs, strategies, addresses, forms and ladders as targets."""

from __future__ import annotations

import json
import re
from pathlib import Path

from .oracle import ROOT, Target, examples, rulesets, text_of, tried


def unfinished(folder: Path) -> Target:
    """The two files of an unfinished run, with a line of zeros between them: all that a list, a page and a resume ask."""
    from pipelines.design.comparison import contest
    from pipelines.design.design import Design, design
    from pipelines.runs.library import Library
    from pipelines.runs.unfinished_run import Partial

    library = Library(folder)
    place = library.runs_folder / "odd.partial"
    (place / "shards" / "000000").mkdir(parents=True, exist_ok=True)

    def once(data: bytes) -> None:
        (found, _, job) = data.partition(b"\0\0")
        (place / "design.json").write_bytes(found)
        (place / "job.json").write_bytes(job)
        read = tried(lambda: Partial(place).design)
        if read is not None:
            again = Design.from_document(read.model_dump_json(), "again")
            assert again == read
            tried(lambda: (read.rules, read.game, read.players, read.command, read.seated(0)))
        for partial in library.partials():
            tried(lambda partial=partial: (partial.games_done, partial.is_running, partial.seconds_left))
            tried(lambda partial=partial: partial.seconds)
            assert (partial.games_done == 0) is not bool(partial.finished)

    small = rulesets()["bloxx-2p"]
    designs = [
        design(small, ["greedy", "random"], blocks=24, seed=3),
        design(small, ["random", "random"], blocks=9, log="sample=0.1"),
        contest(small, ["greedy", "random"], blocks=400, until_decided=True, seed=3),
    ]
    job = json.dumps({"pid": 7, "host": "here", "started": 1e9, "seconds_before": 1.5, "games_before": 2})
    old = json.loads(designs[0].model_dump_json())
    old.pop("seatings")
    texts = [*(one.model_dump_json() for one in designs), json.dumps({**old, "rotations": 2})]
    return Target(once, [f"{text}\0\0{job}".encode() for text in texts], 6000)


def strategy(_: Path) -> Target:
    """Strategies with their parameters, and line-ups of them: a name that is read is read as itself again."""
    from engine import games
    from engine.strategies import known, player
    from pipelines.design.design import every_nth_block, split_strategies

    every = [games.game(name) for name in games.names()]

    def once(data: bytes) -> None:
        game, text = every[data[0] % len(every)] if data else every[0], text_of(data[1:])
        for one in [text, *split_strategies(text)]:
            found = tried(player, game, one)
            if found is not None:
                again = player(game, found.name)
                assert (again.name, again.parameters, again.texts) == (
                    found.name,
                    found.parameters,
                    found.texts,
                )
        nth = tried(every_nth_block, text)
        assert nth is None or 0 <= nth <= 1_000_000

    seeds = [bytes([0]) + text.encode() for text in ("full", "scores", "sample=0.01", "sample=1e-5")]
    for number, game in enumerate(every):
        for name, one in known(game).items():
            settings = ",".join(f"{parameter.name}={parameter.default:g}" for parameter in one.parameters)
            seeds += [
                bytes([number]) + text.encode() for text in (name, f"{name}:{settings}", f"{name},{name}")
            ]
    seeds.append(bytes([0]) + b'gtp:command="pentobi-gtp --level 1",seconds=60')
    return Target(once, seeds, 300)


def address(folder: Path) -> Target:
    """What the addresses of pages say, and the names that files from elsewhere give to runs."""
    from dashboard.whatif.tables import address as written
    from dashboard.widgets.number_fields import seed, whole, within
    from pipelines.exchange.import_games import run_name
    from pipelines.experiments.whatif.fork import Change, option
    from pipelines.runs.intake import free_name
    from pipelines.runs.library import Library
    from pipelines.service.jobs import default_name

    library = Library(folder)

    def once(data: bytes) -> None:
        text = text_of(data)
        number = whole(text)
        assert number is None or (number >= 0 and number == int(text))
        assert 2 <= within(text, 2, 9, 5) <= 9
        chosen = tried(seed, text)
        assert chosen is None or 0 <= chosen < 1 << 64
        found = tried(option, text)
        if found is not None:
            key, value = found
            said = written(Change(options={key: value}))["option"]
            assert repr(option(said)) == repr((key, value))
            assert "\n" not in str(Change(options={key: value})).replace(key, "").replace(text, "")
        assert re.fullmatch(r"[a-z0-9-]{1,60}", run_name(Path(f"{text}.txt")) if "\0" not in text else "a")
        assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}", free_name(library, text))
        assert re.fullmatch(r"[a-z0-9-]+", default_name(text))

    texts = [
        "0",
        "17",
        "18446744073709551615",
        "٣",
        "gap_penalty=2",
        "contact=rest",
        'a={"b": [1, null]}',
        "a=1e9",
    ]
    texts += ["my run (1).duckdb", "../../etc/passwd", "Friday's game.blksgf", "bloxx-2p.toml", "..", "a=NaN"]
    return Target(once, [text.encode() for text in texts], 200)


def form(_: Path) -> Target:
    """The fields of the page on which a ruleset is made: what a field has written it reads as the same value."""
    from dashboard.rules.ruleset_form import fields, with_value

    every = [(ruleset, field) for ruleset in examples().values() for field in fields(type(ruleset))]

    def once(data: bytes) -> None:
        ruleset, field = every[data[0] % len(every)] if data else every[0]
        value = tried(field.read, text_of(data[1:]))
        if value is None:
            return
        complaints = ruleset.complaints(with_value(ruleset.document, field.key, value))
        assert all(complaints.values())
        if not complaints:
            assert field.read(field.write(value)) == value

    seeds = [
        bytes([number]) + field.write(field.value(ruleset.document)).encode()
        for number, (ruleset, field) in enumerate(every)
    ]
    return Target(once, seeds, 2000)


def ladder(folder: Path) -> Target:
    """The file that says which strategies are measured against each other."""
    from pipelines.measure import ladder as found

    file = folder / "ladder.toml"

    def once(data: bytes) -> None:
        file.write_bytes(data)
        read = tried(found.read, file)
        if read is not None:
            tried(found.steps, read)

    seeds = [path.read_bytes() for path in sorted((ROOT / "benchmarks").glob("*.toml"))]
    seeds.append(b'[ladders.bloxx-2p]\nrungs = ["random", "greedy"]\nblocks = [10]\n')
    return Target(once, seeds, 3000)
