"""The tags and stars of notes in lists of runs and games, and the choice of a run and one of its games."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeVar

import streamlit as st

from dashboard import cached
from dashboard.widgets.markdown import escape_markdown, remove_direction_marks
from engine.errors import GameError
from pipelines.notes.note import names_by_key, run_key
from pipelines.notes.store import Labels, NoteStore
from pipelines.report import wording
from pipelines.report.table import Table

if TYPE_CHECKING:
    import pandas as pd

    from pipelines.report.sheet import Part
    from pipelines.runs.library import Run

K = TypeVar("K")

NO_LABELS: Final = Labels()
STAR: Final = "★"
MAX_PILLS: Final = 12
"""With more tags, the filter is a field in which to search."""


def read_run_labels(runs: Iterable[Run]) -> dict[str, Labels]:
    """Return the labels of runs, by the name of the run; runs without notes are left out."""
    by_key = _read_labels(lambda store: store.run_labels())
    keys = {run.name: run_key(run) for run in runs} if by_key else {}
    return {name: by_key[key] for name, key in keys.items() if key in by_key}


def read_game_labels(runs: Iterable[Run]) -> dict[tuple[str, int], Labels]:
    """Return the labels of games, by the name of the run and the game; games without notes are left out."""
    by_place = _read_labels(lambda store: store.game_labels())
    names: dict[str, list[str]] = names_by_key(runs) if by_place else {}
    return {(name, game): labels for (key, game), labels in by_place.items() for name in names.get(key, ())}


def _read_labels(read: Callable[[NoteStore], dict[K, Labels]]) -> dict[K, Labels]:
    """Read labels. If the file of the notes cannot be read, the result is empty; the page Notes says why."""
    try:
        return read(NoteStore(cached.dashboard_library().folder))
    except GameError:
        return {}


def add_run_labels(titles: Mapping[str, str], runs: Iterable[Run]) -> dict[str, str]:
    """Return titles by the name of a run with the labels of the run behind each, so that typing a tag finds the run."""
    labels = read_run_labels(runs)
    return {name: add_labels(title, labels.get(name, NO_LABELS)) for name, title in titles.items()}


def add_labels(title: str, labels: Labels) -> str:
    """Return a title in a choice with the labels behind it.

    >>> add_labels("first", Labels(("late",), is_favourite=True)), add_labels("first", Labels())
    ('first · ★ late', 'first')
    """
    return " · ".join(filter(None, (title, format_labels(labels))))


def merge_labels(all_labels: Iterable[Labels]) -> Labels:
    """Return the labels of several games as one.

    >>> merge_labels([Labels(("late", "odd")), Labels(("Late",), is_favourite=True)])
    Labels(tags=('late', 'odd'), is_favourite=True)
    """
    merged = list(all_labels)
    tags = {tag.casefold(): tag for labels in reversed(merged) for tag in labels.tags}
    return Labels(tuple(tags[key] for key in sorted(tags)), any(labels.is_favourite for labels in merged))


def add_label_column(table: pd.DataFrame, games: Iterable[K], labels: Mapping[K, Labels]) -> pd.DataFrame:
    """Return a table of games with the labels of each row as its last column, if a row has any."""
    texts = [format_labels(labels.get(game, NO_LABELS)) for game in games]
    return table.assign(notes=texts) if any(texts) else table


def add_part_labels(part: Part, games: Iterable[K], labels: Mapping[K, Labels]) -> Part:
    """Return a part of a sheet, a table of games, with the labels of each row as its last column, if a row has any."""
    texts = [format_labels(labels.get(game, NO_LABELS)) for game in games]
    if not (any(texts) and isinstance(part.content, Table)):
        return part
    rows = tuple((*row, text) for row, text in zip(part.content.rows, texts, strict=True))
    return replace(part, content=part.content._replace(columns=(*part.content.columns, "notes"), rows=rows))


def write_label_badges(labels: Labels) -> str:
    """Return a star and the tags as Markdown; empty without labels."""
    star = [STAR] if labels.is_favourite else []
    return " ".join([*star, *(f":blue-badge[{escape_markdown(tag)}]" for tag in labels.tags)])


def format_labels(labels: Labels) -> str:
    """Return a star and the tags as a text, for tables and choices.

    >>> format_labels(Labels(("late", "odd"), is_favourite=True)), format_labels(Labels())
    ('★ late, odd', '')
    """
    star = [STAR] if labels.is_favourite else []
    return " ".join([*star, *([", ".join(map(remove_direction_marks, labels.tags))] if labels.tags else [])])


@dataclass(frozen=True)
class LabelFilter:
    """Which labels a row needs: all of the tags, and a star if wanted."""

    tags: tuple[str, ...] = ()
    only_favourites: bool = False

    def __bool__(self) -> bool:
        """Return whether the filter leaves anything out."""
        return bool(self.tags) or self.only_favourites

    def fits(self, labels: Labels) -> bool:
        """Return whether a row with these labels stays in the list."""
        tags = {tag.casefold() for tag in labels.tags}
        return all(tag.casefold() in tags for tag in self.tags) and (
            labels.is_favourite or not self.only_favourites
        )


def show_label_filter(
    labels: Collection[Labels], tags_key: str, favourites_key: str, *, is_in_address: bool = False
) -> LabelFilter:
    """Show the filter for a list whose rows have these labels, and return it; without labels there is nothing to show.

    `is_in_address` says whether the address of the page holds the filter under the two keys.
    """
    tags: dict[str, str] = {}
    for tag in sorted(
        (tag for labels_of_row in labels for tag in labels_of_row.tags), key=lambda tag: (tag.casefold(), tag)
    ):
        tags.setdefault(tag.casefold(), tag)
    has_favourites = any(labels_of_row.is_favourite for labels_of_row in labels)
    bind: Literal["query-params"] | None = "query-params" if is_in_address else None
    chosen: list[str] = []
    only_favourites = False
    if not tags and not has_favourites:
        return LabelFilter()
    # Streamlit would write the escaped names into the address.
    if is_in_address:
        addressed = {tag.casefold() for tag in st.query_params.get_all(tags_key)}
        st.session_state[tags_key] = [tag for folded, tag in tags.items() if folded in addressed]

    def write_address_tags() -> None:
        if is_in_address:
            st.query_params[tags_key] = st.session_state[tags_key]

    with st.container(horizontal=True, vertical_alignment="center", width="content"):
        if tags:
            st.caption("Tags", width="content")
        if tags and len(tags) <= MAX_PILLS:
            chosen = st.pills(
                "Tags",
                list(tags.values()),
                selection_mode="multi",
                format_func=escape_markdown,
                key=tags_key,
                on_change=write_address_tags,
                label_visibility="collapsed",
            )
        elif tags:
            chosen = st.multiselect(
                "Tags",
                list(tags.values()),
                key=tags_key,
                on_change=write_address_tags,
                placeholder="All tags",
                label_visibility="collapsed",
                select_all=False,
            )
        if has_favourites:
            only_favourites = st.toggle(f"{STAR} Starred", key=favourites_key, bind=bind)
    return LabelFilter(tuple(chosen), only_favourites)


def show_row_filter(games: Sequence[K], labels: Mapping[K, Labels], key: str) -> list[bool]:
    """Show the filter above a table of games if any of them has labels; return which rows stay."""
    row_labels = [labels.get(game, NO_LABELS) for game in games]
    label_filter = show_label_filter(row_labels, f"{key}-tags", f"{key}-favourites")
    stays = [label_filter.fits(labels_of_row) for labels_of_row in row_labels]
    if games and not any(stays):
        st.caption("No game in this list has all of these labels.")
    return stays


def ask_which_game(
    runs: Mapping[str, Run], run: Run, game: int, page: str, open_game: Callable[[str, int], None]
) -> None:
    """Show the open game and its run, and ask for another one; `open_game` gets the name of its run and its number."""
    titles = {
        name: f"{wording.format_run_title(known_run.summary)} · {name}" for name, known_run in runs.items()
    }
    last = run.summary.games - 1
    run_key, game_key = f"{page}-run", f"{page}-game"
    st.session_state[run_key], st.session_state[game_key] = run.name, game + 1
    with st.popover(
        escape_markdown(f"Game {game + 1:,} of {last + 1:,} · {wording.format_run_title(run.summary)}"),
        key=f"{page}-which",
        width="stretch",
        wrap=False,
    ):
        st.selectbox(
            "Run",
            list(runs),
            key=run_key,
            format_func=add_run_labels(titles, runs.values()).__getitem__,
            on_change=lambda: open_game(st.session_state[run_key], 0),
        )
        st.number_input(
            f"Game, 1 to {last + 1:,}",
            min_value=1,
            max_value=last + 1,
            step=1,
            key=game_key,
            on_change=lambda: open_game(run.name, min(max(0, st.session_state[game_key] - 1), last)),
        )
