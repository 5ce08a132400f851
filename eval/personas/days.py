"""Days, as people say them and as answers give them, in English and Russian; and the offset of a zone.

The offsets are reckoned here: a time zone database changes, a data set must not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, timedelta, timezone

from brain.eval.personas.dice import Dice

MONTHS = {
    "en": (
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    "ru": (
        "января",
        "февраля",
        "марта",
        "апреля",
        "мая",
        "июня",
        "июля",
        "августа",
        "сентября",
        "октября",
        "ноября",
        "декабря",
    ),
}
WEEKDAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "ru": ("понедельник", "вторник", "среда", "четверг", "пятница", "суббота", "воскресенье"),
}
_ON_RU = (
    "в понедельник", "во вторник", "в среду", "в четверг", "в пятницу", "в субботу", "в воскресенье",
)  # fmt: skip
_LAST_RU = (
    "в прошлый понедельник", "в прошлый вторник", "в прошлую среду", "в прошлый четверг", "в прошлую пятницу",
    "в прошлую субботу", "в прошлое воскресенье",
)  # fmt: skip
_NUMBERS = {
    "en": ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    "ru": (
        "ноль",
        "одну",
        "две",
        "три",
        "четыре",
        "пять",
        "шесть",
        "семь",
        "восемь",
        "девять",
        "десять",
        "одиннадцать",
        "двенадцать",
    ),
}
_REL = {
    "en": {
        0: "today",
        -1: "yesterday",
        -2: "the day before yesterday / two days ago",
        -7: "a week ago",
        -14: "two weeks ago / a fortnight ago",
        -21: "three weeks ago",
        1: "tomorrow",
        2: "the day after tomorrow",
        7: "a week from today",
        14: "in two weeks",
    },
    "ru": {
        0: "сегодня",
        -1: "вчера",
        -2: "позавчера",
        -7: "неделю назад",
        -14: "две недели назад",
        -21: "три недели назад",
        1: "завтра",
        2: "послезавтра",
        7: "ровно через неделю",
        14: "через две недели",
    },
}


def zone_offset(day: date, hours: int, rule: str) -> timezone:
    """The offset of a day under a rule of summer time: `eu`, `us` or `none`."""
    spans: Mapping[str, Callable[[int], tuple[date, date]]] = {
        "eu": lambda year: (_sunday(year, 3, -1), _sunday(year, 10, -1)),
        "us": lambda year: (_sunday(year, 3, 2), _sunday(year, 11, 1)),
    }
    if rule in spans:
        start, end = spans[rule](day.year)
        hours += start <= day < end
    return timezone(timedelta(hours=hours)) if hours else UTC


def _sunday(year: int, month: int, nth: int) -> date:
    if nth > 0:
        first = date(year, month, 1)
        return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (nth - 1))
    last = date(year, month, 31)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def weekday(day: date, lang: str) -> str:
    return WEEKDAYS[lang][day.weekday()]


def month(day: date, lang: str) -> str:
    return MONTHS[lang][day.month - 1]


def written(day: date, lang: str, dice: Dice) -> str:
    """A date with its month, in one of the ways in which people write it."""
    if lang == "ru":
        return f"{day.day} {month(day, lang)}"
    name = month(day, lang)
    return dice.pick((f"{day.day} {name}", f"{name} {day.day}", f"the {ordinal(day.day)} of {name}"))


def ordinal(n: int) -> str:
    tail = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{tail}"


def forms(day: date, lang: str) -> tuple[str, ...]:
    """What is right where a day is asked for."""
    name = month(day, lang)
    if lang == "ru":
        return (f"{day.day} {name}", f"{day:%d.%m}", day.isoformat())
    nth = ordinal(day.day)
    return (f"{day.day} {name}", f"{name} {day.day}", f"{nth} of {name}", f"{name} {nth}", day.isoformat())


def relative(day: date, said: date, lang: str, dice: Dice) -> str:
    """As one says it on the day `said`; never so that it fits two days."""
    away = (day - said).days
    if away in _REL[lang]:
        return dice.pick(_REL[lang][away].split(" / "))
    if 0 < away <= 6:
        return _ON_RU[day.weekday()] if lang == "ru" else f"on {weekday(day, lang)}"
    is_last_week = day.isocalendar()[1] == (said - timedelta(days=7)).isocalendar()[1]
    if -6 <= away < 0 and is_last_week:
        return _LAST_RU[day.weekday()] if lang == "ru" else f"last {weekday(day, lang)}"
    if -13 <= away < 0 and is_last_week:
        return _last_week(day, lang)
    return _counted(away, lang)


def _counted(away: int, lang: str) -> str:
    count = abs(away)
    number = _NUMBERS[lang][count] if 2 < count < len(_NUMBERS[lang]) else str(count)
    if lang == "ru":
        return f"{number} {_days_ru(count)} назад" if away < 0 else f"через {number} {_days_ru(count)}"
    return f"{number} days ago" if away < 0 else f"in {number} days"


def _last_week(day: date, lang: str) -> str:
    if lang == "ru":
        return f"{_ON_RU[day.weekday()]} на прошлой неделе"
    return f"on {weekday(day, lang)} last week"


def _days_ru(n: int) -> str:
    return plural_ru(n, "день", "дня", "дней")


def plural_ru(n: int, one: str, few: str, many: str) -> str:
    if n % 10 == 1 and n % 100 != 11:
        return one
    return few if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14) else many


def span_forms(start: date, end: date, lang: str) -> tuple[str, ...]:
    """How long it was from one day to another: in days, in weeks where they are whole."""
    count = (end - start).days
    weeks, rest = divmod(count, 7)
    found = [f"{count} {_days_ru(count)}" if lang == "ru" else f"{count} day{'s' * (count != 1)}"]
    if weeks and not rest:
        unit = plural_ru(weeks, "неделю", "недели", "недель") if lang == "ru" else "week" + "s" * (weeks != 1)
        found.insert(0, f"{weeks} {unit}")
        if weeks < len(_NUMBERS[lang]):
            found.append(f"{_NUMBERS[lang][weeks]} {unit}")
        if lang == "ru" and unit == "неделю":
            found += [f"{weeks} неделя", "неделя"]
    return tuple(found)
