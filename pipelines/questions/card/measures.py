"""What a card measures, and on whose games: each measure with its definition in plain words and its source."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

DEFAULT_STYLE: Final = "greedy"
"""Who plays the games of a card in every seat if nobody chooses; every game has this strategy."""
MAX_STYLES: Final = 6
"""Playing styles that a card shows side by side."""
STAKE_THRESHOLD: Final = 0.1
"""Share of the win by which the best move must be better than the median one for a decision to matter."""

CardKey: TypeAlias = Literal[
    "seat",
    "rounds",
    "moves",
    "choices-mean",
    "choices-median",
    "choices-largest",
    "lead",
    "stake",
    "matter",
    "drama",
    "decided",
    "comeback",
    "part",
    "worth",
    "worth-points",
    "ladder",
    "skill",
    "luck",
    "index",
]
WORTH_KEYS: Final[tuple[CardKey, ...]] = ("worth", "worth-points")
"""The measures of restricted play."""
_BROWNE: Final = 'after Browne and Maire 2010, "Evolutionary Game Design"'
_JAFFE: Final = (
    'restricted play; Jaffe and others 2012, "Evaluating Competitive Game Balance with Restricted Play"'
)


class CardTitles(NamedTuple):
    """What a measure is called and how it is defined."""

    title: str
    unit: str
    """Of the number that people read, which is `scale` times the number of the answer; what the ends of an index mean."""
    definition: str
    source: str
    scale: float = 1.0
    ends: tuple[str, str] = ("few", "many")
    """What a low and a high number mean."""
    span: tuple[float, float] | None = None
    """The lowest and the highest number that people can read; None if it has no bounds."""

    @property
    def has_unit(self) -> bool:
        """False for an index, which has only a range."""
        return self.scale != 1 or self.span is None


CARD_MEASURES: Final[dict[CardKey, CardTitles]] = {
    "seat": CardTitles(
        "edge of a seat",
        "wins of 100",
        "How many of 100 games the player wins beyond an equal share, if all play alike; winners that tie share the win.",
        "usual measure of a first-player advantage",
        100.0,
        ends=("loses more", "wins more"),
    ),
    "rounds": CardTitles(
        "rounds of a game", "rounds", "The rounds of a game.", "usual measure", ends=("short", "long")
    ),
    "moves": CardTitles(
        "moves of a game",
        "moves",
        "The moves of a game, those of chance included.",
        "usual measure",
        ends=("short", "long"),
    ),
    "choices-mean": CardTitles(
        "choices, mean",
        "legal moves",
        "The legal moves that a player has at a decision: the mean of a game. A decision with one legal move counts.",
        "branching factor; Shannon 1950",
    ),
    "choices-median": CardTitles(
        "choices, median",
        "legal moves",
        "The median of the legal moves at the decisions of a game.",
        "branching factor; Shannon 1950",
    ),
    "choices-largest": CardTitles(
        "choices, largest",
        "legal moves",
        "The most legal moves that a player has at a decision of a game.",
        "branching factor; Shannon 1950",
    ),
    "lead": CardTitles(
        "changes of the lead",
        "a game",
        "How often another player is alone in the first place at the end of a round than the one before.",
        f"{_BROWNE}, who count each change of the leader",
        ends=("rarely", "often"),
    ),
    "stake": CardTitles(
        "what is at stake",
        "wins of 100",
        "How many more of 100 games the best legal move of a decision wins than the median one: the mean over decisions that are "
        "drawn from the games. A quick strategy plays on after each move; the best one is chosen by some playouts and judged "
        "by others. A decision with one legal move counts as 0.",
        "our definition",
        100.0,
        ends=("any move will do", "the move decides"),
    ),
    "matter": CardTitles(
        "decisions that matter",
        "% of the decisions",
        f"Decisions in which the best legal move wins at least {100 * STAKE_THRESHOLD:.0f} more of 100 games than the median one.",
        "our definition",
        100.0,
        ends=("none", "all"),
        span=(0, 100),
    ),
    "drama": CardTitles(
        "drama",
        "0 ahead, 1 far behind",
        "How far the later winner is behind, in the rounds in which this is so: the mean of the square root of the missing points, "
        "where 1 is the widest distance between the first and the last player in this game. It is 0 for a winner who is never "
        "behind.",
        f"{_BROWNE}, who take the values that a program gives to positions",
        ends=("never behind", "far behind"),
        span=(0, 1),
    ),
    "decided": CardTitles(
        "winner known after",
        "% of the rounds",
        "The part of the game after which the leader at the end of a round wins 90 of 100 games or more, to the end of the game. "
        "Twenty parts of a game are looked at.",
        f"decisiveness, {_BROWNE}, who take the values that a program gives to positions",
        100.0,
        ends=("at the start", "at the end"),
        span=(0, 100),
    ),
    "comeback": CardTitles(
        "comebacks",
        "games of 100",
        "Games whose winner is not in the first place after half of the rounds.",
        "our definition",
        100.0,
        ends=("none", "all"),
        span=(0, 100),
    ),
    "part": CardTitles(
        "luck",
        "%",
        "The share of the variance of the margin of player 1 over the mean of the others that the luck of this part of the rounds "
        "of a game explains, if all play alike: by how much it lessens the variance of games that go on with other luck. The four shares have the sum 100.",
        "law of total variance; after the idea of seeds for each source of luck in Goodman, Perez-Liebana and Lucas 2025, arXiv 2503.02686",
        100.0,
        ends=("decides nothing", "decides all"),
        span=(0, 100),
    ),
    "worth": CardTitles(
        "worth, wins",
        "wins of 100",
        "How many of 100 games a player loses who may not use something, each seat in turn, while all others may and all play alike: "
        "the difference to the same games, with the same luck, in which everybody may use it.",
        _JAFFE,
        100.0,
    ),
    "worth-points": CardTitles(
        "worth, points",
        "points",
        "By how many points the score of such a player is worse.",
        _JAFFE,
    ),
    "ladder": CardTitles(
        "skill",
        "wins of 100",
        "How many of 100 games the better strategy wins if it has one seat, each in turn, and the strategy below it has all "
        "others; 100 divided by the number of players would be no skill.",
        "our definition; the strategies are those of the measured ladder",
        100.0,
    ),
    "skill": CardTitles(
        "variance by skill",
        "%",
        "The share of the variance of the margin of player 1 over the mean of the others that is explained by who has the seat "
        "of the better strategy, in the games of the ladder.",
        "law of total variance",
        100.0,
    ),
    "luck": CardTitles(
        "variance by luck",
        "%",
        "The share of the same variance that is explained by the luck of the block, which is equal in all its games: an "
        "intraclass correlation. What is missing to 100 is luck that helps one strategy and not the other.",
        "intraclass correlation; McGraw and Wong 1996",
        100.0,
    ),
    "index": CardTitles(
        "skill-luck index",
        "\N{MINUS SIGN}1 luck, 1 skill",
        "(K - L) / (K + L), where K is the variance by skill between the best and the weakest strategy of the ladder, and L is all other "
        "variance of the margin of player 1: -1 for a coin toss, 1 for a game without luck.",
        "Silver 2025, arXiv 2511.11611, who takes K and L from the whole tree of the game",
        ends=("luck alone", "skill alone"),
        span=(-1, 1),
    ),
}
"""In the order in which a card shows them."""
