"""A judge that is asked each question once, because two rules may put the same one."""

from __future__ import annotations

from dataclasses import dataclass, field

from brain.validators.judge.verdict import Asked, Judge, Verdict


@dataclass(frozen=True, slots=True)
class Remembering:
    judge_: Judge
    _verdicts: dict[Asked, Verdict] = field(default_factory=dict, repr=False)

    def judge(self, asked: Asked) -> Verdict:
        if asked not in self._verdicts:
            self._verdicts[asked] = self.judge_.judge(asked)
        return self._verdicts[asked]

    def contradicts(self, asked: Asked, other: str) -> str | None:
        return self.judge_.contradicts(asked, other)
