"""Numbers and times as people say them."""

from __future__ import annotations

from datetime import UTC, datetime

_SPANS = ((60, "second"), (60, "minute"), (24, "hour"), (7, "day"), (52 / 12, "week"), (12, "month"))


def ago(when: datetime, now: datetime | None = None) -> str:
    """Say how long ago something was; times are naive UTC.

    >>> ago(datetime(2026, 1, 1, 12, 0), datetime(2026, 1, 1, 15, 10))
    '3 hours ago'
    """
    now = now or datetime.now(tz=UTC).replace(tzinfo=None)
    span = max(0.0, (now - when).total_seconds())
    if span < 10:
        return "just now"
    for most, unit in _SPANS:
        if span < most:
            return f"{counted(int(span), unit)} ago"
        span /= most
    return f"{counted(int(span), 'year')} ago"


def counted(number: int, noun: str) -> str:
    """Say a number of things.

    >>> counted(1, "game"), counted(3000, "game")
    ('1 game', '3,000 games')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def lasting(seconds: float) -> str:
    """Say a span of time.

    >>> lasting(4.2), lasting(75), lasting(7300)
    ('4 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def size(number: int) -> str:
    """Say a number of bytes.

    >>> size(900), size(5_517_312)
    ('900 B', '5.5 MB')
    """
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def versus(strategies: tuple[str, ...]) -> str:
    """Name strategies that met.

    >>> versus(("greedy", "random"))
    'greedy · random'
    """
    return " · ".join(strategies)
