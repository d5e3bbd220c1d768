"""What the views of the pages *Scores*, *Rules* and *Replays* are called, and the everyday words for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.questions.game_sorts import SORTS

if TYPE_CHECKING:
    from pipelines.questions.rules import RulesPart
    from pipelines.questions.scores.question import Comparison, MoveGrouping, ReviewMeasure, View

PAGE_PARTS: Final[dict[RulesPart, str]] = {
    "rules": "The rules",
    "side-by-side": "Rulesets side by side",
    "effect": "What a rule changes",
    "card": "What kind of game",
    "openings": "First moves",
    "own": "Make your own",
}
ORDERS: Final = {
    title.capitalize(): (sort, is_lowest)
    for sort, titles in SORTS.items()
    if sort != "game"
    for is_lowest, title in ((False, titles.largest), (True, titles.smallest))
}
"""The orders of the menu, by what the first game is."""
OTHER_MEASURES: Final[dict[View, str]] = {
    "Length": "lengths of games",
    "Squares": "squares",
    "Explore": "all measures",
}
DECISION_MEASURES: Final[dict[ReviewMeasure, str]] = {
    "lost points": "points lost by choices",
    "lost wins": "wins lost by choices",
    "slips": "slips",
    "luck": "points of luck",
    "choices": "numbers of choices",
}
"""What reviews of all games measure."""
COMPARISONS: Final[dict[Comparison, str]] = {
    "Rulesets": "ruleset",
    "Strategies": "strategy",
    "One by one": "strategy, one by one",
}
OTHER_COMPARISONS: Final[dict[View, str]] = {"Players": "who starts", "Course": "round", "Parts": "part"}
"""How scores are compared in means, beside the ways to compare their distributions."""
MAPS: Final = {"Filled": "how often", "First placement": "which first", "When": "how early"}
"""Other maps are of marks: "with circles"."""
MOVE_GROUPINGS: Final[tuple[MoveGrouping, ...]] = ("first move", "first piece", "first roll")
VIEWS_OF_DICE: Final = frozenset({"first roll", "points of luck", "Most one-sided rolls", "Most even rolls"})
"""Views that only games with dice have."""
BOARD_VIEWS: Final[dict[str, dict[str, bool]]] = {
    "Best moves": {"is_asking": True},
    "Review of a game": {"is_reviewed": True},
    "Learn from mistakes": {"is_reviewed": True},
    "What if: another move": {"is_asking": True},
    "Keys of the board: press ?": {},
}
"""What the board of a replay shows, with the fields of its question that open it."""
EVERYDAY_WORDS: Final = {
    "Best moves": "better good strongest engine analysis hint",
    "Review of a game": "errors blunders analysis analyse luck what did I do wrong",
    "Learn from mistakes": "my own errors blunders practise practice train training improve better learning slips puzzles review",
    "What if: another move": "try a different instead player had played could have happened",
    "Keys of the board: press ?": "shortcuts keyboard help hotkeys",
    "Library": "home simulate simulation generate many games new data examples",
    "All runs": "upload import load add open my own files games delete remove rename simulations data size",
    "Replays": "games records watch hall of fame list find search filter",
    "Scores": "points distribution histogram results average mean statistics chart",
    "Strategies": "compare comparison better best stronger strongest strength beat beats win wins more often against versus vs ai",
    "What if": "another move or strategy in many games lost player had played",
    "Rules": "rulebook how to play learn tutorial beginner board pieces shapes clauses",
    "Play": "against the computer opponent opponents easy medium hard level bot ai yourself human person",
    "SQL": "query database export csv data download table tables columns",
    "Notes": "kept favourites bookmarks collections lessons study upload import",
    "who starts": "first second third fourth last 1 player advantage order of play turn begins goes seat wins more often fair balance",
    "round": "course growth over time turns progress",
    "part": "sources of points bonus where points come from breakdown",
    "lengths of games": "how long duration time minutes rounds turns game lasts take takes",
    "squares": "heat map heatmap board cover covered where placed used most often cells popular",
    "all measures": "explore correlation",
    "points lost by choices": "mistakes errors blunders bad decisions quality",
    "wins lost by choices": "biggest worst mistakes errors blunders bad decisions quality",
    "slips": "mistakes errors blunders bad decisions",
    "points of luck": "lucky luckiest unlucky dice rolls chance fortune",
    "numbers of choices": "decisions options legal moves branching",
    "first move": "openings opening begin start best good",
    "first piece": "openings opening begin start shape tile best good",
    "first roll": "openings opening begin start dice",
    "Rulesets side by side": "compare variants versions differences two different",
    "What a rule changes": "effect of an option house rule vary what if",
    "What kind of game": "luck or skill balance balanced fair character length tension exciting first player advantage",
    "First moves": "openings opening best good start first piece",
    "Make your own": "new add create ruleset rules house rule variant design editor",
    "Best score": "record highest most points maximum",
    "Worst score": "lowest fewest points minimum",
    "Widest margin": "biggest win landslide crushing",
    "Closest finish": "close games tight narrow tie",
    "Largest comeback": "biggest behind turned around",
    "Most changes of the lead": "exciting dramatic",
    "Longest game": "most moves",
    "Shortest game": "fewest moves quickest",
    "Most one-sided rolls": "most luck lucky luckiest dice rolls",
    "Most even rolls": "least luck unlucky unluckiest dice rolls",
}
"""By the name of a page or a view: other words by which people look for it."""
