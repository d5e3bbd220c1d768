"""Numbers, times and sizes in words."""

from __future__ import annotations

from datetime import UTC, datetime

_TIME_UNITS = ((60, "second"), (60, "minute"), (24, "hour"), (7, "day"), (52 / 12, "week"), (12, "month"))


def format_time_ago(when: datetime, now: datetime | None = None) -> str:
    """Return how long ago a moment was. Times are naive UTC.

    >>> format_time_ago(datetime(2026, 1, 1, 12, 0), datetime(2026, 1, 1, 15, 10))
    '3 hours ago'
    """
    now = now or datetime.now(tz=UTC).replace(tzinfo=None)
    span = max(0.0, (now - when).total_seconds())
    if span < 10:
        return "just now"
    for most, unit in _TIME_UNITS:
        if span < most:
            return f"{format_count(int(span), unit)} ago"
        span /= most
    return f"{format_count(int(span), 'year')} ago"


def format_count(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> format_count(1, "game"), format_count(3000, "game")
    ('1 game', '3,000 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def format_duration(seconds: float) -> str:
    """Return a number of seconds in words.

    >>> format_duration(4.2), format_duration(75), format_duration(7300)
    ('4 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def format_file_size(number: int) -> str:
    """Return a number of bytes in words.

    >>> format_file_size(900), format_file_size(5_517_312)
    ('900 B', '5.5 MB')
    """
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def format_line_up(strategies: tuple[str, ...]) -> str:
    """Return the names of strategies that play each other.

    >>> format_line_up(("greedy", "random"))
    'greedy · random'
    """
    return " · ".join(strategies)
