"""The dreamers, by the name that `dream.dreamer` and `--dreamer` give them.

As text, so that a dreamer's libraries are loaded when it dreams.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from types import MappingProxyType

from brain.dream.plan import Dreamer
from brain.errors import UsageError

DREAMERS: Mapping[str, str] = MappingProxyType({"extractive": "brain.dream.dreamers.extractive:ExtractiveDreamer"})
"""name -> "module:class"; the class is called without arguments."""


class UnknownDreamer(UsageError):
    """No dreamer goes by that name."""


def dreamer(name: str) -> Dreamer:
    """Raises: UnknownDreamer."""
    if name not in DREAMERS:
        raise UnknownDreamer(f"No dream was started: there is no dreamer {name!r}.", f"one of {', '.join(DREAMERS)}")
    module, _, attribute = DREAMERS[name].partition(":")
    made: Dreamer = getattr(importlib.import_module(module), attribute)()
    return made
