"""The Summarise operation: summary.md of one session, which is also the mark that it has been read."""

from __future__ import annotations

from dataclasses import replace

from brain import layout, summary
from brain.dream.evidence import Evidence, NotApplicable
from brain.dream.plan import NewTurns, Sentence, Summarise
from brain.evidence import fingerprint
from brain.model import Citation, Claim, Summary
from brain.summary import Parsed
from brain.text.claims import citation_value, one_line, render_item
from brain.text.front import Bare

MAX_LINE = 160


def summarise(known: str | None, operation: Summarise, new: NewTurns | None, evidence: Evidence) -> str:
    """The text of summary.md; of one that is `known`, with more sentences and a later mark."""
    if new is None:
        raise NotApplicable("it is not among the sessions of this dream")
    title, line = one_line(operation.title), _cut(one_line(operation.line))
    if known is None:
        empty = Summary(new.folder.removeprefix(f"{layout.MEMORY}/"), title, line, *new.mark)
        return summary.render(_with_sentences(empty, operation, evidence))
    parsed = summary.parse(known)
    old = parsed.summary
    mark = max(new.mark, (old.dreamt_turn, old.dreamt_chars))
    grown = replace(old, title=title or old.title, line=line or old.line, dreamt_turn=mark[0], dreamt_chars=mark[1])
    return _rewritten(parsed, _with_sentences(grown, operation, evidence))


def _with_sentences(known: Summary, operation: Summarise, evidence: Evidence) -> Summary:
    said = {fingerprint(text) for text, _ in known.sentences}
    citations = dict(known.citations)
    sentences = list(known.sentences)
    for sentence in operation.sentences:
        if one_line(sentence.text) and fingerprint(sentence.text) not in said:
            said.add(fingerprint(sentence.text))
            sentences.append((one_line(sentence.text), _numbers(citations, sentence, evidence)))
    return replace(known, sentences=tuple(sentences), citations=citations)


def _numbers(citations: dict[int, Citation], sentence: Sentence, evidence: Evidence) -> tuple[int, ...]:
    if not sentence.evidence:
        raise NotApplicable("one of its sentences names no evidence")
    return tuple(dict.fromkeys(_number(citations, evidence.citation(source), evidence) for source in sentence.evidence))


def _number(citations: dict[int, Citation], citation: Citation, evidence: Evidence) -> int:
    known = (n for n, one in citations.items() if one.source == citation.source and evidence.is_quoted(one))
    number = next(known, max(citations, default=0) + 1)
    citations.setdefault(number, citation)
    return number


def _rewritten(parsed: Parsed, new: Summary) -> str:
    """The file as it stands, with what differs set anew: keys that a person added stay."""
    old, front = parsed.summary, parsed.front
    for key, before, after in (("title", old.title, new.title), ("line", old.line, new.line)):
        front = front.set(key, after) if before != after else front
    if (new.dreamt_turn, new.dreamt_chars) != (old.dreamt_turn, old.dreamt_chars):
        front = front.set("dreamt", Bare(f"t{new.dreamt_turn}/{new.dreamt_chars}"))
    for number in sorted(new.citations.keys() - old.citations.keys()):
        front = front.set(("citations", Bare(number)), citation_value(new.citations[number]))
    fresh = [render_item(Claim(text, cites)) + "\n" for text, cites in new.sentences[len(old.sentences) :]]
    if not fresh:
        return front.text
    gap = "" if old.sentences and front.text.endswith("\n") else "\n"
    return front.text + gap + "".join(fresh)


def _cut(line: str) -> str:
    return line if len(line) <= MAX_LINE else line[: MAX_LINE - 1].rstrip() + "…"
