"""Numbers of things, as a sentence says them."""

from __future__ import annotations


def counted(number: int, thing: str) -> str:
    """`1 page`, `2 pages`, `2,100 summaries`; of several words the first is the thing: `2 files without text`."""
    noun, space, rest = thing.partition(" ")
    if noun == "new":  # an adjective before its noun
        return f"{number:,} new {counted(number, rest).partition(' ')[2]}"
    many = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun if number == 1 else many}{space}{rest}"
