from __future__ import annotations

import random
import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import page as pages
from brain.model import Citation, Claim, Origin, PageKind, Privacy, Status
from brain.page import NoSuchClaim, NotPlaced, Page
from brain.text.claims import claim_id, one_line
from brain.text.front import Locked
from brain.text.sections import sentence_spans

PROFILE = settings(derandomize=True, max_examples=100, deadline=None)
PIECES = [
    "words",
    "Слова.",
    "東京。",
    "कथन।",
    "كلمات؟",
    " ",
    "# x",
    "- x",
    "1. x",
    "> x",
    "[cite:1]",
    "\\[cite:2]",
    " ^k3f9",
    "^k3f9",
]
MORE = [
    "2026-01-01 · ",
    "? · ",
    " · ended",
    "[[x]]",
    "“a. B”",
    "\n",
    "`",
    "```",
    "<!--",
    "|",
    "$$",
    "---",
    "\\",
    "[x]: y",
    "e.g. A",
    "\u2028",
]
TEXTS = st.lists(st.sampled_from([*PIECES, *MORE]), min_size=1, max_size=6).map("".join).map(one_line).filter(bool)
CITES = st.lists(st.integers(1, 9), unique=True, max_size=3).map(tuple)
CLAIMS = st.builds(Claim, TEXTS, CITES, st.none(), st.none() | st.just("2026-09-14"))


def citation(turn: int) -> Citation:
    return Citation(f"sessions/2026/11/29-1f2e3d4c#t{turn}", "9f3a1c22b4d0/412", "2026-11-29", Origin.USER)


def ilya() -> Page:
    page = pages.new_page(
        "Ilya Brandt",
        PageKind.PERSON,
        aliases=["Ilya"],
        summary="Sound engineer, at Kestrel Audio since September 2026.",
        created="2026-08-12",
        updated="2026-10-02",
    )
    page, numbers = pages.cite_all(page, [citation(1), citation(2)])
    assert numbers == (1, 2)
    page = pages.replace_lead(page, [Claim("Ilya is a sound engineer.", (1, 2))])
    page = pages.add_claim(page, "Facts", Claim("Nadia: “Ilya works at Lumen Lab.”", (1,), date="2026-08-12"))
    page = pages.add_claim(page, "Facts", Claim("Nadia: “Ilya now works at Kestrel Audio.”", (2,), date="2026-09-14"))
    old, new = page.sections[0].claims
    assert old.id is not None
    page = pages.supersede(page, old.id, new.id, "2026-09-14")
    return pages.add_related(page, "Kestrel Audio", "where he works")


def test_the_form_on_disk() -> None:
    page = ilya()
    new, old = page.sections[0].claims[0].id, page.history[0].claim.id
    assert pages.render(page) == (
        "---\n"
        "title: Ilya Brandt\n"
        "kind: person\n"
        "aliases: [Ilya]\n"
        'summary: "Sound engineer, at Kestrel Audio since September 2026."\n'
        "created: 2026-08-12\n"
        "updated: 2026-10-02\n"
        "importance: 3\n"
        "privacy: shared\n"
        "status: active\n"
        "citations:\n"
        '  1: {source: "sessions/2026/11/29-1f2e3d4c#t1", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}\n'
        '  2: {source: "sessions/2026/11/29-1f2e3d4c#t2", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}\n'
        "---\n"
        "\n"
        "# Ilya Brandt\n"
        "\n"
        "Ilya is a sound engineer. [cite:1] [cite:2]\n"
        "\n"
        "## Facts\n"
        "\n"
        f"- 2026-09-14 · Nadia: “Ilya now works at Kestrel Audio.” [cite:2] ^{new}\n"
        "\n"
        "## History\n"
        "\n"
        f"- 2026-08-12 – 2026-09-14 · Nadia: “Ilya works at Lumen Lab.” [cite:1] ^{old} · superseded by ^{new}\n"
        "\n"
        "## Related\n"
        "\n"
        "- [[Kestrel Audio]] · where he works\n"
    )


def test_the_record_of_a_page() -> None:
    page = ilya()
    assert (page.title, page.kind, page.aliases, page.importance) == ("Ilya Brandt", PageKind.PERSON, ("Ilya",), 3)
    assert (page.created, page.updated, page.privacy, page.status) == (
        "2026-08-12",
        "2026-10-02",
        Privacy.SHARED,
        Status.ACTIVE,
    )
    assert dict(page.citations) == {1: citation(1), 2: citation(2)}
    assert [section.heading for section in page.layout] == ["", "Facts", "History", "Related"]
    assert [(c.text, c.cites, c.section, c.line) for c in pages.claims(page)] == [
        ("Ilya is a sound engineer.", (1, 2), "", 18),
        ("Nadia: “Ilya now works at Kestrel Audio.”", (2,), "Facts", 22),
        ("Nadia: “Ilya works at Lumen Lab.”", (1,), "History", 26),
    ]
    (past,) = page.history
    assert (past.claim.date, past.claim.until, past.ended) == ("2026-08-12", "2026-09-14", False)
    assert past.superseded_by == page.sections[0].claims[0].id
    assert [(r.title, r.why, r.line) for r in page.related] == [("Kestrel Audio", "where he works", 30)]
    assert page.problems == ()


@PROFILE
@given(st.lists(CLAIMS, max_size=4), st.lists(CLAIMS, max_size=3))
def test_claims_are_read_back_as_they_were_added(facts: list[Claim], habits: list[Claim]) -> None:
    page = pages.new_page("T", PageKind.PERSON)
    for claim in facts:
        page = pages.add_claim(page, "Facts", claim)
    page = pages.add_claims(page, "Habits", habits)
    said = [replace(claim, section="Facts") for claim in facts] + [replace(claim, section="Habits") for claim in habits]
    assert [replace(claim, id=None, line=0) for claim in pages.claims(page)] == said
    assert pages.parse(pages.render(page)) == page
    ids = [claim.id for claim in pages.claims(page)]
    assert None not in ids
    assert len(set(ids)) == len(ids)


@PROFILE
@given(st.lists(TEXTS, min_size=1, max_size=3), CITES.filter(bool))
def test_every_sentence_of_a_new_lead_is_cited_and_no_word_is_lost(texts: list[str], cites: tuple[int, ...]) -> None:
    page = pages.replace_lead(pages.new_page("T", PageKind.PERSON), [Claim(text, cites) for text in texts])
    assert page.sections == ()
    assert all(claim.cites == cites for claim in page.lead)
    assert "".join(claim.text for claim in page.lead).replace(" ", "") == "".join(texts).replace(" ", "")


# --- hand-written pages ------------------------------------------------------------------

HAND_WRITTEN = """---
title: Tide clock   # mine
mood: good
kind: tool
citations:
  # first
  1: {source: "sessions/2026/11/29-1f2e3d4c#t1", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}
---
Words before the title.

# Tide clock

It shows the tide. [cite:1] My own sentence, e.g. without a source.
It drifts
by a minute. [cite:1]

<!-- a comment: - no claim -->

- a list in the lead

> A quotation. [cite:1]

Setup
-----

1. first step
   goes on [cite:1]
   - inner step ^abcd

```sh
- no claim
```

| part | where |
| ---- | ----- |
| dial | hall [cite:1] |

## History

- ? – 2026-05 · odd date [cite:1]
- 2026-01-01 – ? · It was slow. [cite:1] ^slow · ended

### Older

- long ago

## related

- [[Harbour]] · nearby
- no link
- [[Mill|the mill]]
"""


def test_a_hand_written_page_is_read() -> None:
    page = pages.parse(HAND_WRITTEN)
    assert [(c.text, c.cites, c.id, c.section, c.line) for c in pages.claims(page)] == [
        ("Words before the title.", (), None, "", 9),
        ("It shows the tide.", (1,), None, "", 13),
        ("My own sentence, e.g. without a source.", (), None, "", 13),
        ("It drifts by a minute.", (1,), None, "", 14),
        ("a list in the lead", (), None, "", 19),
        ("A quotation.", (1,), None, "", 21),
        ("first step goes on", (1,), None, "Setup", 26),
        ("inner step", (), "abcd", "Setup", 28),
        ("dial | hall", (1,), None, "Setup", 36),
        ("? – 2026-05 · odd date", (1,), None, "History", 40),
        ("It was slow.", (1,), "slow", "History", 41),
        ("long ago", (), None, "History", 45),
    ]
    assert [(line.claim.until, line.ended) for line in page.history] == [(None, False), (None, True), (None, False)]
    assert [(related.title, related.why) for related in page.related] == [("Harbour", "nearby"), ("Mill", "")]
    assert [problem.key for problem in page.problems] == []
    assert page.front.values["mood"] == "good"


def only_added(before: str, after: str) -> str:
    """The lines that `after` has more; every line of `before` must be in it, in order."""
    kept = iter(after.splitlines(keepends=True))
    added: list[str] = []
    for line in before.splitlines(keepends=True):
        for other in kept:
            if other == line:
                break
            added.append(other)
        else:
            raise AssertionError(f"lost: {line!r}")
    return "".join([*added, *kept])


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_edits_leave_what_a_person_wrote(eol: str) -> None:
    text = HAND_WRITTEN.replace("\n", eol)
    page = pages.parse(text)
    page, number = pages.cite(page, citation(2))
    page = pages.add_claim(page, "Setup", Claim("New step.", (number,), "new1"))
    page = pages.add_claim(page, "Facts", Claim("New fact.", (number,), "new2"))
    page = pages.add_related(page, "a|b", "odd")
    page = pages.add_related(page, "harbour", "again")
    page = pages.edit(page, updated="2026-12-01")
    added = only_added(text, pages.render(page))
    assert added.count("\n") == added.count(eol)
    assert added.replace("\r", "") == (
        '  2: {source: "sessions/2026/11/29-1f2e3d4c#t2", quote: 9f3a1c22b4d0/412, date: 2026-11-29, origin: user}\n'
        "updated: 2026-12-01\n"
        "- New step. [cite:2] ^new1\n"
        "## Facts\n\n- New fact. [cite:2] ^new2\n\n"
        f"- [[{page.related[-1].title}]] · odd\n"
    )


def test_a_new_lead_keeps_the_sentences_without_a_source() -> None:
    page = pages.replace_lead(pages.parse(HAND_WRITTEN), [Claim("It shows the tide of Kerrow.", (1,))])
    assert [(claim.text, claim.cites) for claim in page.lead] == [
        ("Words before the title.", ()),
        ("It shows the tide of Kerrow.", (1,)),
        ("My own sentence, e.g. without a source.", ()),
        ("a list in the lead", ()),
    ]
    assert "<!-- a comment: - no claim -->\n\n- a list in the lead\n" in pages.render(page)


def test_superseding_moves_one_line_and_no_other() -> None:
    page = pages.parse(HAND_WRITTEN)
    after = pages.supersede(page, "abcd", None, "2026-02-02")
    assert pages.render(after) == HAND_WRITTEN.replace("   - inner step ^abcd\n", "").replace(
        "- long ago\n", "- long ago\n- ? – 2026-02-02 · inner step ^abcd · ended\n"
    )


def test_removing_takes_the_statement_and_the_citations_that_it_alone_used() -> None:
    page = ilya()
    lead, fact, _ = pages.claims(page)
    assert fact.id is not None
    assert dict(pages.remove_claim(page, fact.id).citations) == dict(page.citations)
    bare = pages.remove_claim(pages.remove_claim(page, fact.line), lead.line)
    assert dict(bare.citations) == {1: citation(1)}
    assert bare.lead == ()
    assert "\n\n\n\n" not in pages.render(bare)
    one = pages.remove_claim(pages.parse(HAND_WRITTEN), 14)
    assert pages.render(one) == HAND_WRITTEN.replace("It drifts\nby a minute. [cite:1]\n", "")
    both = pages.remove_claim(pages.parse(HAND_WRITTEN), 13)
    assert pages.render(both) == HAND_WRITTEN.replace(
        "It shows the tide. [cite:1] My own sentence, e.g. without a source.\n", ""
    )
    with pytest.raises(NoSuchClaim, match="on line 99"):
        pages.remove_claim(page, 99)


@pytest.mark.parametrize(
    ("lead", "line", "left"),
    [
        ("One. [cite:1]\nTwo. [cite:1] Three.\n", 5, "Two. [cite:1] Three.\n"),
        ("One. [cite:1] Two\ngoes on. [cite:1] Three.\n", 6, "One. [cite:1] Two\ngoes on. [cite:1]\n"),
        ("One\ngoes on. [cite:1] Two. [cite:1]\n", 5, "Two. [cite:1]\n"),
    ],
)
def test_a_sentence_is_cut_out_of_its_lines(lead: str, line: int, left: str) -> None:
    page = pages.parse(f"---\ntitle: x\n---\n\n{lead}")
    assert pages.render(pages.remove_claim(page, line)) == f"---\ntitle: x\n---\n\n{left}"


def test_more_evidence_for_what_was_said() -> None:
    page, number = pages.cite(ilya(), citation(3))
    lead, fact, past = pages.claims(page)
    assert fact.id is not None
    assert past.id is not None
    after = pages.support(page, {lead.line: (number,), fact.id: (2, number), past.id: (number,)})
    assert [claim.cites for claim in pages.claims(after)] == [(1, 2, 3), (2, 3), (1, 3)]
    assert [replace(claim, cites=()) for claim in pages.claims(after)] == [
        replace(claim, cites=()) for claim in pages.claims(page)
    ]
    assert after.history[0].superseded_by == page.history[0].superseded_by
    bare = pages.support(pages.parse(HAND_WRITTEN), {19: (1,), 28: (1,)})
    assert "- a list in the lead [cite:1] ^" in pages.render(bare)
    assert "   - inner step [cite:1] ^abcd\n" in pages.render(bare)
    assert pages.support(page, {}) is page


def test_the_order_of_sections() -> None:
    page = pages.add_related(pages.new_page("T", PageKind.PLACE), "X", "")
    page = pages.add_claim(page, "History", Claim("old", (), "aaaa", until="2026-01-01"))
    page = pages.add_claim(page, "Facts", Claim("new", (), "bbbb"))
    assert [section.heading for section in page.layout] == ["", "Facts", "History", "Related"]
    assert pages.render(page).endswith(
        "# T\n\n## Facts\n\n- new ^bbbb\n\n## History\n\n- ? – 2026-01-01 · old ^aaaa\n\n## Related\n\n- [[X]]\n"
    )


def test_a_file_without_a_last_line_end_gets_one() -> None:
    page = pages.add_claim(
        pages.parse("---\ntitle: x\n---\n# x\n\n## Facts\n\n- one"), "Facts", Claim("two", (), "bbbb")
    )
    assert pages.render(page).endswith("- one\n- two ^bbbb\n")


def test_a_citation_number_is_never_given_twice() -> None:
    page = pages.parse(
        "---\ntitle: x\ncitations:\n  7: {source: a, quote: b}\n---\n\nUses one that is gone. [cite:9]\n"
    )
    page, number = pages.cite(page, citation(1))
    assert number == 10
    assert pages.cite(page, citation(1)) == (page, 10)
    assert [problem.key for problem in page.problems] == ["citations.7"]


def test_a_broken_front_matter_refuses_edits_of_it() -> None:
    page = pages.parse("---\ntitle: a: b\n---\n# T\n\nWords.\n")
    assert page.problems[0].line == 2
    for edit in (lambda: pages.cite(page, citation(1)), lambda: pages.archive(page)):
        with pytest.raises(Locked):
            edit()


def test_an_unclosed_comment_takes_nothing() -> None:
    with pytest.raises(NotPlaced, match="Nothing was added"):
        pages.add_claim(pages.parse("---\ntitle: x\n---\n<!-- open\n"), "Facts", Claim("x"))


@pytest.mark.parametrize(
    ("front", "key"),
    [
        ("kind: robot", "kind"),
        ("importance: high", "importance"),
        ("privacy: secret", "privacy"),
        ("status: gone", "status"),
    ],
)
def test_a_value_of_no_use_is_a_problem_and_the_default_counts(front: str, key: str) -> None:
    page = pages.parse(f"---\ntitle: x\n{front}\n---\n")
    assert [(problem.key, problem.line) for problem in page.problems] == [(key, 3)]
    assert (page.kind, page.importance, page.privacy, page.status) == (None, 3, Privacy.SHARED, Status.ACTIVE)


def test_block_ids() -> None:
    first = claim_id("text", "source", ())
    assert len(first) == 4
    assert claim_id("text", "source", {"zzzz"}) == first
    assert claim_id("text", "other", ()) != first
    taken: set[str] = set()
    for _ in range(30):
        taken.add(claim_id("text", "source", taken))
    assert len(taken) == 30
    assert sorted(map(len, taken))[:5] == [4, 5, 6, 7, 8]
    assert all(4 <= len(one) <= 8 for one in taken)


# --- sentences ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sentences",
    [
        ["One. [cite:1] [cite:2]", "Two! [cite:3]", "Three"],
        ["First without.", "Second with. [cite:1]"],
        ["Dr. Brandt met J. R. Kerr at 5 p.m. on Monday. [cite:1]"],
        ["See fig. 3, e.g. the dial, etc. for more."],
        ["It costs 1.50 euros.", "Cheap!"],
        ["Она приехала в г. Выборг, ул. Мира.", "Дом № 5 и т. д. нашли."],
        ["Really?!", "Yes… and so on.", "Да?", "Нет!"],
        ["彼は来た。", "彼女も来た！", "「行こう。行こう。」と言った。[cite:1]", "終わり"],
        ["वह आया।", "वह गया। [cite:2]"],
        ["هل جاء؟", "نعم. [cite:1]"],
        ["Nadia: “Go home. Now.” [cite:1]", "Then «Да. Нет.» he said.", 'And "One. Two." too.'],
        ["She said “Go.”", "Then she left."],
        ["Nadia: “Go [cite:1] home. Now.” [cite:2]", "Then “Yes.” [cite:1]"],
        ["Mark [cite:1] in the middle, and at the end. [cite:2]"],
        ["Mark before the stop [cite:1].", "Next."],
        ["No stop at all [cite:1]"],
        ["With an id. [cite:1] ^k3f9", "Next. [cite:2]"],
        ["Escaped \\[cite:1] is no mark. [cite:2]"],
        ["A line\nthat goes on. [cite:1]", "Next"],
        ["Ends in a mark [cite:1]\n", "next line"],
    ],
)
def test_sentences_in_many_scripts(sentences: list[str]) -> None:
    text = " ".join(sentences)
    if sentences[0].startswith("彼"):
        text = "".join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text)] == [sentence.strip() for sentence in sentences]


@PROFILE
@given(
    st.lists(st.sampled_from([*PIECES, *MORE, ". ", "! ", "。", "”", "[cite:3]", " [cite:4] "]), max_size=12).map(
        "".join
    )
)
def test_sentences_hold_every_word(text: str) -> None:
    spans = sentence_spans(text)
    assert [edge for span in spans for edge in span] == sorted(edge for span in spans for edge in span)
    left = list(text)
    for start, end in spans:
        assert start < end
        left[start:end] = " " * (end - start)
    assert not "".join(left).strip()


# --- totality and cost -------------------------------------------------------------------------

LINES = [
    *(
        "# T",
        "## History",
        "## Related",
        "- x [cite:1] ^aaaa",
        "- 2026-01-01 · y",
        "words. More words. [cite:2]",
        "",
        "```",
    ),
    *("> q", "<!--", "-->", "a|b", "-|-", "    code", "  - nested", "---", "===", "- [[X]] · y", "1. one", "- ", "$$"),
]


def test_reading_is_total_and_edits_hold_on_anything() -> None:
    choose = random.Random(21)
    for _ in range(400):
        body = "\n".join(choose.choice(LINES) for _ in range(choose.randint(0, 12)))
        text = f"---\ntitle: x\nkind: tool\n---\n{body}\n"
        page = pages.parse(text)
        assert pages.render(page) == text
        lines = text.split("\n")
        for claim in pages.claims(page):
            # An item may have its first word on the line below its bullet.
            assert claim.text.split(" ")[0] in "\n".join(lines[claim.line - 1 : claim.line + 1]), text
        try:
            after = pages.add_claim(page, choose.choice(["", "Facts", "History"]), Claim("NEW", (), "new1"))
        except NotPlaced:
            continue
        assert sum(claim.id == "new1" for claim in pages.claims(after)) == 1
        only_added(text, pages.render(after))
        assert len(pages.claims(pages.remove_claim(after, "new1"))) == len(pages.claims(page)), text


HOSTILE = [
    "[[",
    "`",
    "---\n",
    "- ",
    "  - x\n",
    "“",
    "[cite:1]",
    "[cite:1] ",
    ". ",
    "^aaaa ",
    "\\",
    " · ",
    "?",
    "> ",
    "|a\n",
    "## x\n",
    "«a. ",
    "a.b",
    "\n\n",
    " ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_text_costs_in_proportion(piece: str) -> None:
    def cost(size: int) -> float:
        text = f"---\ntitle: x\n---\n# x\n\nw{piece * (size // len(piece))}"
        start = time.process_time()
        assert pages.render(pages.parse(text)) == text
        return time.process_time() - start

    cost(1000)
    # Quadratic would be sixteenfold for four times the text; the constant forgives a busy machine.
    assert cost(200_000) < 10 * cost(50_000) + 0.5
