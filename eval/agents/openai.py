"""An agent with a model: the index in its first message, a shell over the files of its view, recall as a command.

Both arms get the same words and the same limits; they differ in the files alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from brain.errors import UsageError
from brain.eval.agents import Answer, Budget, Cost, Shown, View
from brain.eval.agents.asking import asked, is_not_known, prompt, prompt_hash
from brain.eval.agents.folder import Folders
from brain.llm import ChatModel, Endpoint, Message, OpenAIChat, Tool
from brain.llm.loop import Handled, Limits, Talk, ToolError, converse
from brain.sandbox.isolation import Policy
from brain.sandbox.isolation import run as run_inside
from brain.search import Question, find
from brain.search.corpus import TreeCorpus

PROMPT = "answer"
SHELL = Tool("shell", "Run a command in the memory's folder; it can only read.", {"command": "for sh -c"})
RECALL = Tool("recall", "Find passages of the memory.", {"words": "a few words, or the question"})


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million tokens."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0


_FREE, _USUAL = Prices(), Limits()


@dataclass(slots=True)
class ModelAgent:
    """One model with its tools."""

    model: ChatModel
    prices: Prices = _FREE
    limits: Limits = _USUAL
    name: str = "openai"
    _folders: Folders = field(default_factory=Folders)

    def answer(self, question: str, at: datetime | None, view: View, budget: Budget) -> Answer:
        shown: list[Shown] = []
        folder = self._folders.of(view)
        tools = [
            Handled(SHELL, lambda arguments: _shell(arguments, folder)),
            Handled(RECALL, lambda arguments: _recall(arguments, view, budget, shown)),
        ]
        start = time.monotonic()
        talk = converse(self.model, _first(question, at, view), tools, self.limits, is_not_known)
        read = _read_by_shell(talk)
        first = [Shown("", view.first_message)] if view.first_message else []
        return Answer(
            talk.text.strip(),
            (*first, *shown, *read),
            self._cost(talk, time.monotonic() - start),
            abstained=is_not_known(talk.text),
            extra={"model": self.model.name, "prompt": prompt_hash(PROMPT), "ended": talk.ended},
        )

    def _cost(self, talk: Talk, seconds: float) -> Cost:
        money = (talk.tokens_in * self.prices.tokens_in + talk.tokens_out * self.prices.tokens_out) / 1e6
        return Cost(talk.calls, talk.tokens_in, talk.tokens_out, money, seconds)


def from_environment(environment: Mapping[str, str]) -> ModelAgent:
    """The model that `BRAIN_EVAL_MODEL` names, at `OPENAI_BASE_URL`. Raises: UsageError."""
    model = environment.get("BRAIN_EVAL_MODEL", "")
    if not model:
        raise UsageError(
            "No model was named; nothing was run.",
            "BRAIN_EVAL_MODEL=name OPENAI_BASE_URL=http://…/v1 OPENAI_API_KEY=… brain eval run --agent openai …",
        )
    base = environment.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    prices = Prices(*(float(environment.get(f"BRAIN_EVAL_PRICE_{way}") or 0) for way in ("IN", "OUT")))
    return ModelAgent(OpenAIChat(Endpoint(model, base, environment.get("OPENAI_API_KEY", ""))), prices)


def _first(question: str, at: datetime | None, view: View) -> list[Message]:
    return [Message("system", prompt(PROMPT)), Message("user", asked(question, at, view))]


def _shell(arguments: Mapping[str, Any], folder: Path) -> str:
    result = run_inside(["sh", "-c", str(arguments["command"])], Policy(folder))
    return result.output or f"(nothing was printed; exit status {result.status})"


def _recall(arguments: Mapping[str, Any], view: View, budget: Budget, shown: list[Shown]) -> str:
    words = str(arguments["words"]).strip()
    if not words:
        raise ToolError("there are no words to look for")
    left, lines = budget.found, []
    for hit in find(view.home, TreeCorpus(view.tree), Question(words, 40), view.embedder).hits:
        if len(hit.text) <= left:
            left -= len(hit.text)
            shown.append(Shown(hit.place, hit.text, hit.evidence, hit.past))
            lines.append(f"{hit.place} {(hit.time or '')[:10]}{' (no longer true)' if hit.past else ''}\n{hit.text}")
    return "\n\n".join(lines) or "Nothing was found."


def _read_by_shell(talk: Talk) -> Iterator[Shown]:
    """What it printed of the files itself; which turns that was cannot be told, so it carries no evidence."""
    asked = {call.id: call for message in talk.messages for call in message.calls}
    for message in talk.messages:
        call = asked.get(message.answers)
        if call is not None and call.name == SHELL.name:
            yield Shown(f"$ {call.arguments.get('command', '')}", message.text)
