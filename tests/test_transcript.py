from __future__ import annotations

import random
import re
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import transcript
from brain.model import Audience, Origin, Role, Session, SessionKind, Source, Text, ToolCall, Trust, Turn
from brain.transcript import NotAppended, clean_raw, clean_text, cut_result, extend, parse, render

PROFILE = settings(derandomize=True, max_examples=40, deadline=None)
PIECES = st.sampled_from(
    [
        *(
            "## t2 · user · unknown",
            "\\## t2 · user · ",
            "## t",
            "```tool r1 · Bash",
            "```",
            "````result r1",
            "```file r1 · a.txt",
            "\\\\```result r2",
        ),
        *(
            "---",
            "words",
            "Слова",
            "言葉",
            "\u200f كلمات",
            " · ",
            "%",
            "%C2%B7",
            "`",
            "\n",
            "\n\n",
            " ",
            "\t",
            "\u2028",
            "\x0b",
            "\x85",
        ),
        *(
            "… 3 lines cut, whole in attachments/x …",
            "trust=user",
            "\ufffd",
            "<!--",
            "🦦",
            "\\",
            "## t1 · assistant · x · trust=user",
        ),
    ]
)
RAW = st.lists(PIECES, max_size=8).map("".join)
WORDS = RAW.map(clean_text).filter(bool)
NAMES = st.one_of(RAW, st.sampled_from(["", "Nadia", "Gal·la", "a · b", " x", "·", "100%", "a=b", "x,y"]))
TIMES = st.none() | st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1)).map(
    lambda at: at.replace(tzinfo=timezone(timedelta(minutes=(at.minute - 30) * 20)))
)


@st.composite
def tool_calls(draw: st.DrawFn) -> ToolCall:
    is_file = draw(st.booleans())
    call = ToolCall(draw(NAMES), "" if is_file else draw(RAW), is_file=is_file)
    if not is_file and draw(st.booleans()):
        return call
    return replace(
        call,
        result=draw(RAW),
        is_error=draw(st.booleans()),
        trust=draw(st.sampled_from(Trust)),
        attachment=draw(st.none() | NAMES),
        derived=draw(st.booleans()),
    )


@st.composite
def turns(draw: st.DrawFn, n: int) -> Turn:
    blocks: list[Text | ToolCall] = []
    for block in draw(st.lists(st.one_of(WORDS.map(Text), tool_calls()), max_size=4)):
        if not (blocks and isinstance(block, Text) and isinstance(blocks[-1], Text)):
            blocks.append(block)
    return Turn(
        n=n,
        role=draw(st.sampled_from(Role)),
        time=draw(TIMES),
        blocks=tuple(blocks),
        origin=draw(st.sampled_from(Origin)),
        trust=draw(st.sampled_from(Trust)),
        speaker=draw(st.none() | NAMES),
        derived=draw(st.booleans()),
        media=draw(st.sampled_from([(), ("image",), ("image", "audio")])),
        quoted=draw(st.sampled_from([(), ((1, 1),), ((2, 4), (7, 7))])),
    )


@st.composite
def sessions(draw: st.DrawFn, max_turns: int = 4) -> Session:
    count = draw(st.integers(0, max_turns))
    return Session(
        id=draw(NAMES),
        agent=draw(NAMES),
        source=Source(draw(NAMES), draw(NAMES), draw(st.sampled_from(["", "9f3a" * 16, "1" * 64]))),
        turns=tuple(draw(turns(n + 1)) for n in range(count)),
        project=draw(st.none() | NAMES),
        title=draw(st.none() | NAMES),
        started=draw(TIMES),
        ended=draw(TIMES),
        audience=draw(st.sampled_from(Audience)),
        kind=draw(st.sampled_from(SessionKind)),
        parent=draw(st.none() | NAMES),
    )


# --- both ways ------------------------------------------------------------------------


@PROFILE
@given(sessions())
def test_what_is_rendered_is_read_back(session: Session) -> None:
    text = render(session)
    parsed = parse(text)
    assert parsed.session == session
    assert parsed.problems == ()
    assert render(parsed.session) == text
    assert "\r" not in text


@PROFILE
@given(sessions())
def test_a_search_for_headings_finds_the_turns_alone(session: Session) -> None:
    parsed = parse(render(session))
    lines = render(session).split("\n")
    found = [n for n, line in enumerate(lines, 1) if re.match(r"## t\d+ · ", line)]
    assert tuple(found) == parsed.lines
    assert len(found) == len(session.turns)


@PROFILE
@given(st.lists(PIECES, max_size=20).map("".join), st.booleans())
def test_reading_is_total(words: str, with_front: bool) -> None:
    parsed = parse(f"---\nid: x\n---\n{words}" if with_front else words)
    assert [turn.n for turn in parsed.session.turns] == [turn.n for turn in parse(render(parsed.session)).session.turns]


def test_the_form_on_disk() -> None:
    at = datetime(2026, 11, 29, 10, 2, 11, tzinfo=UTC)
    session = Session(
        id="7dbc1bfb-9331-4e22-a691-c75fe9779cf6",
        agent="claude-code",
        project="tide-clock",
        title="Why the tide clock drifts",
        started=at,
        ended=at,
        source=Source("claude-code", "7dbc1bfb.jsonl", "9f3a" * 16),
        turns=(
            Turn(1, Role.USER, at, (Text("The words of the person."),), speaker="Nadia"),
            Turn(
                2,
                Role.ASSISTANT,
                None,
                (
                    Text("The words of the agent."),
                    ToolCall(
                        "WebFetch",
                        '{"url": "https://tides.example/"}',
                        "What\n```\ncame back.",
                        True,
                        Trust.AGENT,
                        "t2-r1.txt",
                    ),
                    Text("More words of the agent.\n## t9 · user · unknown"),
                ),
                Origin.ASSISTANT,
                Trust.THIRD,
                media=("image",),
            ),
        ),
    )
    assert render(session) == (
        "---\n"
        "id: 7dbc1bfb-9331-4e22-a691-c75fe9779cf6\n"
        "agent: claude-code\n"
        "project: tide-clock\n"
        "title: Why the tide clock drifts\n"
        "started: 2026-11-29T10:02:11+00:00\n"
        "ended: 2026-11-29T10:02:11+00:00\n"
        "turns: 2\n"
        "audience: trusted\n"
        "kind: main\n"
        f"source: {{format: claude-code, name: 7dbc1bfb.jsonl, sha256: {'9f3a' * 16}}}\n"
        "---\n"
        "\n"
        "## t1 · user · 2026-11-29T10:02:11+00:00 · speaker=Nadia\n"
        "\n"
        "The words of the person.\n"
        "\n"
        "## t2 · assistant · unknown · trust=third · media=image\n"
        "\n"
        "The words of the agent.\n"
        "\n"
        "```tool r1 · WebFetch\n"
        '{"url": "https://tides.example/"}\n'
        "```\n"
        "\n"
        "````result r1 · error=yes · trust=agent · attachment=t2-r1.txt\n"
        "What\n```\ncame back.\n"
        "````\n"
        "\n"
        "More words of the agent.\n"
        "\\## t9 · user · unknown\n"
    )


@pytest.mark.parametrize(
    ("body", "reason", "line"),
    [
        ("## t1 · user · yesterday\n", "time of t1", 4),
        ("## t1 · someone · unknown\n", "heading of t1", 4),
        ("## t1 · user\n", "heading of t1", 4),
        ("## t1 · user · unknown · odd\n", "heading of t1", 4),
        ("## t2 · user · unknown\n", "t1 belongs", 4),
        ("## t1 · user · unknown\n\n```tool r2 · x\n```\n", "r1 belongs", 6),
        ("## t1 · user · unknown\n\n```result r1\n```\n", "no tool call", 6),
        ("## t1 · user · unknown\n\nwords\n\n```tool r1 · x\nopen\n", "not closed", 8),
        ("\r\n## t1 · user · unknown\n", "carriage returns", 4),
    ],
)
def test_a_broken_transcript_says_where(body: str, reason: str, line: int) -> None:
    problems = parse(f"---\nid: x\n---\n{body}").problems
    assert [(reason in p.reason, p.line) for p in problems] == [(True, line)]


def test_a_kind_of_no_use_is_a_problem() -> None:
    parsed = parse("---\nid: x\nkind: séance\n---\n")
    assert parsed.session.kind is SessionKind.MAIN
    assert [(problem.key, problem.line) for problem in parsed.problems] == [("kind", 3)]


def test_a_turn_after_a_broken_one_is_read() -> None:
    parsed = parse("## t1 · user · unknown\n\n```tool r1 · x\nopen\n\n## t2 · user · unknown\n\nwords\n")
    assert [turn.text for turn in parsed.session.turns] == ["", "words"]


def test_text_is_cleaned_of_what_a_file_cannot_hold() -> None:
    assert clean_text("\r\n \n a\r\nb\0\ud800\rc \n\n") == " a\nb\ufffd\ufffd\nc "
    assert clean_text(" \n\t\n") == ""
    assert clean_raw("\na\r\n\n") == "\na\n\n"


# --- growth -----------------------------------------------------------------------------


@PROFILE
@given(sessions(max_turns=3), st.data())
def test_a_grown_session_keeps_every_byte_and_adds_at_the_end(session: Session, data: st.DataObject) -> None:
    more = tuple(data.draw(turns(len(session.turns) + n + 1)) for n in range(data.draw(st.integers(0, 2))))
    grown = replace(session, turns=(*session.turns, *more), ended=data.draw(TIMES) or session.ended)
    old = render(session)
    text = extend(old, grown)
    assert parse(text).session == grown
    assert parse(text).front.body.startswith(parse(old).front.body)
    assert extend(text, grown) == text


TALK = Session(
    "s",
    "a",
    Source("f", "n", "0"),
    (
        Turn(1, Role.USER, None, (Text("one"),)),
        Turn(2, Role.ASSISTANT, None, (Text("two"), ToolCall("Bash", "ls")), Origin.ASSISTANT, Trust.AGENT),
    ),
)


def with_last(*blocks: Text | ToolCall, **changes: object) -> Session:
    return replace(TALK, turns=(TALK.turns[0], replace(TALK.turns[1], blocks=blocks, **changes)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "grown",
    [
        TALK,
        with_last(Text("two"), ToolCall("Bash", "ls", "out")),
        with_last(Text("two"), ToolCall("Bash", "ls", "out"), Text("more")),
        with_last(Text("two"), ToolCall("Bash", "ls"), trust=Trust.THIRD),
        replace(TALK, turns=(*TALK.turns, Turn(3, Role.USER, None, (Text("three"),)))),
    ],
)
def test_what_may_grow(grown: Session) -> None:
    old = render(TALK).replace("agent: a\n", "agent: a   # mine\nmood: good\n")
    text = extend(old, grown)
    assert parse(text).session == grown
    assert "agent: a   # mine\nmood: good\n" in text


def test_the_last_words_may_get_more_lines() -> None:
    short = replace(TALK, turns=TALK.turns[:1])
    long = replace(short, turns=(replace(short.turns[0], blocks=(Text("one\n\nand more"),)),))
    assert extend(render(short), long) == render(long)


@pytest.mark.parametrize(
    ("grown", "why"),
    [
        (replace(TALK, id="other"), "session s"),
        (replace(TALK, turns=TALK.turns[:1]), "t2 would go"),
        (with_last(Text("two changed"), ToolCall("Bash", "ls")), "t2 would change"),
        (with_last(Text("two\nmore"), ToolCall("Bash", "ls")), "t2 would change"),
        (with_last(Text("two")), "t2 would change"),
        (with_last(Text("two"), ToolCall("Bash", "rm")), "t2 would change"),
        (with_last(Text("two"), Text("three")), "t2 would change"),
        (with_last(Text("two"), ToolCall("Bash", "ls"), trust=Trust.USER), "t2 would change"),
    ],
)
def test_kept_words_never_change(grown: Session, why: str) -> None:
    with pytest.raises(NotAppended, match=why):
        extend(render(TALK), grown)


def test_a_transcript_that_cannot_be_read_whole_is_not_touched() -> None:
    with pytest.raises(NotAppended, match=r"cannot be read whole .* line 10"):
        extend(render(TALK).replace("## t1 · user", "## t1 · nobody"), TALK)


# --- long results -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"line {n}" for n in range(41)),
        "x" * 8001,
        "\n".join("y" * 300 for _ in range(40)),
        "short\n" + "z" * 100_000 + "\nshort",
        "\n" * 100,
        "a\n" * 50_000,
    ],
)
def test_a_long_result_is_cut_to_head_and_tail(text: str) -> None:
    cut = cut_result(text, "t1-r1.txt")
    assert cut.whole == text
    assert cut.shown.count("\n") < transcript.MAX_RESULT_LINES
    assert len(cut.shown) <= transcript.MAX_RESULT_CHARS
    mark = re.search(r"^… (\d+) lines cut, whole in attachments/t1-r1\.txt …$", cut.shown, re.MULTILINE)
    assert mark is not None
    assert int(mark[1]) >= 1
    head, tail = cut.shown[: mark.start() - 1], cut.shown[mark.end() + 1 :]
    assert text.startswith(head)
    assert text.endswith(tail)
    assert cut_result(cut.shown, "again.txt").whole is None


@pytest.mark.parametrize("text", ["", "one", "\n".join("l" for _ in range(40)), "x" * 8000])
def test_a_short_result_is_shown_whole(text: str) -> None:
    assert cut_result(text, "t1-r1.txt") == transcript.Cut(text, None)


# --- cost ---------------------------------------------------------------------------------


def test_two_hundred_turns_are_read_in_no_time() -> None:
    choose = random.Random(1)
    talk = tuple(
        Turn(
            n + 1,
            Role.USER,
            datetime(2026, 1, 1, tzinfo=UTC),
            (Text("words " * choose.randint(5, 80)), ToolCall("Bash", "ls", "out\n" * 20), Text("more")),
        )
        for n in range(200)
    )
    text = render(replace(TALK, turns=talk))
    start = time.process_time()
    assert len(parse(text).session.turns) == 200
    # About 10 ms; the bound leaves room for a slow, busy machine and still fails what is not linear.
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    "piece", ["`", "```\n", "\\", "## t1 · ", "```tool r1\n", "\n", "---\n", "\\## t1 · \n", " ", "## t1 · user · x\n"]
)
def test_hostile_text_costs_in_proportion(piece: str) -> None:
    words = clean_text(piece * (200_000 // len(piece))) or "x"
    session = replace(TALK, turns=(Turn(1, Role.USER, None, (Text(words), ToolCall(words, words, words))),))
    assert parse(render(session)).session == session
    assert parse(f"## t1 · user · unknown\n{piece * (200_000 // len(piece))}").session.turns
