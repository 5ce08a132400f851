"""A model that says whether an answer is right, asked twice: leniently and strictly.

Whom to believe is in the log: the model's name and the hash of both prompts. What it says in another form than it was
asked for is no verdict, and leaves the answer unscored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from brain.eval.agents import Answer
from brain.eval.agents.asking import prompt, prompt_hash
from brain.eval.scorers import JUDGED
from brain.eval.task import Sample
from brain.llm import ChatModel, Endpoint, Message, OpenAIChat, json_object

_SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 300},
        "verdict": {"type": "string", "enum": ["correct", "wrong"]},
    },
    "required": ["why", "verdict"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Judge:
    model: ChatModel

    def scores(self, sample: Sample, answer: Answer) -> dict[str, float | None]:
        """`lenient` and `strict`, 0 or 1; None with nothing to compare, or without a verdict. Raises: ModelFailed."""
        if answer.text is None or not sample.answers:
            return dict.fromkeys(JUDGED)
        return {name: self._verdict(name, sample, answer.text) for name in JUDGED}

    @property
    def about(self) -> Mapping[str, str]:
        """What the log keeps of it."""
        return {"judge": self.model.name, "judge_prompts": prompt_hash(*map(_file, JUDGED))}

    def _verdict(self, name: str, sample: Sample, said: str) -> float | None:
        asked = {"question": sample.question, "right answers": list(sample.answers), "answer": said}
        put = json.dumps(asked, ensure_ascii=False, indent=1)
        messages = [Message("system", prompt(_file(name))), Message("user", put)]
        found = json_object(self.model.reply(messages, (), _SCHEMA).text) or {}
        return {"correct": 1.0, "wrong": 0.0}.get(str(found.get("verdict")))


def _file(name: str) -> str:
    return f"judge_{name}"


def judge(model: str, environment: Mapping[str, str]) -> Judge | None:
    """The model of this name at `BRAIN_EVAL_JUDGE_URL`, else where the agent's is; None where no model is named."""
    if not model:
        return None
    base = environment.get("BRAIN_EVAL_JUDGE_URL") or environment.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    key = environment.get("BRAIN_EVAL_JUDGE_KEY") or environment.get("OPENAI_API_KEY", "")
    return Judge(OpenAIChat(Endpoint(model, base, key)))
