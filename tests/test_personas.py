"""The personas: their numbers, their gold, and that they read like people; held against the ledger of each world."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, timedelta
from itertools import pairwise
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from brain import layout, transcript
from brain.eval.datasets import dataset
from brain.eval.datasets.personas import PEOPLE, Personas
from brain.eval.personas import days, grammar, script
from brain.eval.personas.dice import Dice
from brain.eval.personas.ledger import Ledger
from brain.eval.personas.making import VERSION, worlds
from brain.eval.personas.people import everyone
from brain.eval.personas.stories import CATEGORIES, stories
from brain.eval.scorers import normalised
from brain.eval.task import ABSTAIN, Sample, World
from brain.language.dates import resolve
from brain.model import Role, SessionKind, Turn
from brain.tree import tree_of

PINNED = {1: "e4d0a0fc87fa87e41a0047077b8bc16abf8498139a38a18e2775e0b1fc596e7f"}
"""Version -> SHA-256 of all that is said and asked. Another hash needs another version."""

Made = tuple[World, Ledger]


@pytest.fixture(scope="module")
def made() -> list[Made]:
    return list(worlds(PEOPLE, 1))


def asked(made: list[Made], *categories: str) -> Iterator[tuple[World, Ledger, Sample]]:
    for world, ledger in made:
        for sample in world.samples:
            if not categories or sample.category in categories:
                yield world, ledger, sample


def turns_of(world: World) -> dict[str, Turn]:
    return {f"{session.id}#t{turn.n}": turn for session in world.sessions for turn in session.turns}


def whole(turn: Turn) -> str:
    """Everything that stands in a turn."""
    calls = [part for call in turn.tool_calls for part in (call.input, call.result or "")]
    return "\n".join([turn.text, *calls])


def holds(text: str, form: str) -> bool:
    return normalised(form) in normalised(text)


def fingerprint(found: list[World]) -> str:
    """Of what is said and asked: not of the lines that Brain takes for quotations, which is its own business."""
    digest = hashlib.sha256()
    for world in found:
        digest.update(repr((world.id, world.person, world.timezone)).encode())
        for one in world.sessions:
            head = (one.id, one.agent, one.project, one.repository, one.title, one.kind.value, one.parent, one.started)
            digest.update(repr(head).encode())
            for turn in one.turns:
                digest.update(repr((turn.n, turn.role.value, str(turn.time), whole(turn))).encode())
        for asks in world.samples:
            gold = (asks.id, asks.question, asks.category, asks.answers, sorted(asks.evidence), asks.stale, asks.after)
            digest.update(repr((*gold, str(asks.at), asks.distance, sorted(asks.tags))).encode())
    return digest.hexdigest()


# --- numbers ------------------------------------------------------------------------


def test_people_questions_and_categories_are_as_many_as_promised(made: list[Made]) -> None:
    assert len(made) == PEOPLE == 44 == len(everyone())
    counts = Counter(sample.category for _, _, sample in asked(made))
    assert counts == CATEGORIES and counts.total() == 640 and ABSTAIN in counts
    assert all(len({s.category for s in world.samples}) == len(CATEGORIES) for world, _ in made), "each asked of each"


def test_ids_are_unique(made: list[Made]) -> None:
    names = [session.id for world, _ in made for session in world.sessions]
    assert len({*names}) == len(names) and all(UUID(name) for name in names)
    ids = [sample.id for _, _, sample in asked(made)]
    assert len({*ids}) == len(ids)


def test_sessions_are_such_that_a_brain_takes_them(made: list[Made]) -> None:
    for world, _ in made:
        for session in world.sessions:
            parsed = transcript.parse(transcript.render(session))
            assert parsed.session == session and parsed.problems == ()
    world = made[0][0]
    zone = ZoneInfo(world.timezone)
    folders = {layout.session_folder(s.id, s.started.astimezone(zone).date()): s for s in world.sessions if s.started}
    tree = tree_of({layout.transcript_path(folder): transcript.render(s) for folder, s in folders.items()})
    assert dict(tree.sessions()) == folders and len(folders) == len(world.sessions)


def test_a_life_is_months_of_interleaved_sessions(made: list[Made]) -> None:
    for world, _ in made:
        starts = [session.started for session in world.sessions if session.started]
        assert 25 <= len(starts) == len(world.sessions) <= 45
        assert starts == sorted(starts) and starts[0].year == starts[-1].year == 2026
        assert timedelta(days=80) <= starts[-1] - starts[0] <= timedelta(days=245)
        for session in world.sessions:
            assert 2 <= len(session.turns) <= 14
            times = [turn.time for turn in session.turns if turn.time]
            assert times == sorted(times) and len(times) == len(session.turns)
            assert times[0].utcoffset() == times[0].astimezone(ZoneInfo(world.timezone)).utcoffset()
            roles = [turn.role for turn in session.turns]
            assert all(a is not b for a, b in pairwise(roles)) and roles[0] is Role.USER
    sessions = [session for world, _ in made for session in world.sessions]
    assert {s.agent for s in sessions} == {"claude-code", "codex", "gemini-cli", "opencode", "chat"}
    helpers = [s for s in sessions if s.kind is SessionKind.SUBAGENT]
    assert 15 <= len(helpers) <= 50 and {s.parent for s in helpers} <= {s.id for s in sessions}
    assert len({s.project for s in sessions}) > 60


# --- the same everywhere ------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_and_these(made: list[Made]) -> None:
    found = [world for world, _ in made]
    assert list(Personas(people=3).load(None)) == found[:3], "a person is the same, however many there are"
    assert [*PINNED][-1] == VERSION
    assert fingerprint(found) == PINNED[VERSION], "the data set has changed: a new VERSION, and this hash under it"


def test_another_seed_gives_other_histories() -> None:
    (one,), (other,) = Personas(people=1).load(None), Personas(people=1, seed=2).load(None)
    assert one.person == other.person
    assert not {s.id for s in one.sessions} & {s.id for s in other.sessions}
    assert [s.answers for s in one.samples] != [s.answers for s in other.samples]


def test_the_name_of_the_data_set_leads_here() -> None:
    assert isinstance(dataset("personas"), Personas)


# --- gold ---------------------------------------------------------------------------


def test_every_answer_is_supported_by_its_evidence_and_by_nothing_less(made: list[Made]) -> None:
    """A form of it stands there, or all that it is made of: words as words, days as days that the words mean."""
    wrong: list[str] = []
    for world, ledger, sample in asked(made):
        if sample.category == ABSTAIN:
            continue
        turns = [turns_of(world)[place] for place in sample.evidence]
        text = "\n".join(map(whole, turns))
        if any(holds(text, form) for form in sample.answers):
            continue
        zone = ZoneInfo(world.timezone)
        meant = {
            day
            for turn in turns
            for when in resolve(whole(turn), turn.time, zone, foreign=False)
            for first, last in when.days
            if first == last
            for day in [first]
        }
        for part in ledger.gold[sample.id].parts:
            is_there = part in meant if isinstance(part, date) else any(holds(text, form) for form in part)
            if not is_there:
                wrong.append(f"{sample.id}: {part} in {text!r} ({meant})")
    assert wrong == []


def test_evidence_was_said_before_the_question_and_the_distance_counts_what_came_between(made: list[Made]) -> None:
    for world, _, sample in asked(made):
        assert sample.after is not None and sample.at is not None
        before = {session.id: n for n, session in enumerate(world.sessions[: sample.after])}
        places = [before[place.partition("#")[0]] for place in sample.evidence]
        assert bool(places) == (sample.category != ABSTAIN)
        assert sample.distance == (sample.after - 1 - max(places) if places else None)
        assert all(session.ended < sample.at for session in world.sessions[: sample.after] if session.ended)
        assert all(session.started > sample.at for session in world.sessions[sample.after :] if session.started)
    distances = [sample.distance for _, _, sample in asked(made) if sample.distance is not None]
    assert sum(distance >= 5 for distance in distances) > 0.6 * len(distances)
    assert max(distances) > 30
    counts = Counter("mid-history" in sample.tags for _, _, sample in asked(made))
    assert counts[True] > 100 and counts[False] > 300


def test_what_is_true_at_the_time_is_the_answer_and_what_was_true_is_stale(made: list[Made]) -> None:
    held = 0
    for _, ledger, sample in asked(made):
        gold = ledger.gold[sample.id]
        if not gold.is_changing or sample.at is None:
            continue
        said = {statement.place: statement.at for statement in ledger.statements}
        truth = ledger.truth(gold.story, sample.at)
        earlier = [f for f in ledger.facts if f.story == gold.story and f.since <= sample.at and f is not truth]
        assert truth is not None and said[truth.place] < sample.at
        if sample.category == "temporal" and not sample.stale:
            assert any({*fact.forms} & {*sample.answers} for fact in (*earlier, truth))
            continue
        assert {*truth.forms} & {*sample.answers}, sample.id
        assert not {*truth.forms} & {*sample.stale}
        assert all({*fact.forms} & {*sample.stale} for fact in earlier), sample.id
        held += 1
    assert held > 120


def test_stale_values_are_not_said_again_as_if_they_were_true(made: list[Made]) -> None:
    """After the turn that changed it, the old value of a drawn thing stands in no turn of another story."""
    for world, ledger, sample in asked(made):
        own = {
            place for s in ledger.statements if s.story == ledger.gold[sample.id].story for place in (s.place, s.reply)
        }
        drawn = ledger.drawn[ledger.gold[sample.id].story]
        for form in {*sample.stale, *sample.answers} & drawn:
            others = [p for p, turn in turns_of(world).items() if p not in own and holds(whole(turn), form)]
            assert len(form) < 3 or others == [], (sample.id, form)


def test_nothing_answers_what_was_never_said(made: list[Made]) -> None:
    for world, ledger, sample in asked(made, ABSTAIN):
        assert sample.answers == () and sample.evidence == frozenset()
        never = ledger.gold[sample.id].never
        texts = [whole(turn).casefold() for turn in turns_of(world).values()]
        assert never and any(never[0][0].casefold() in text for text in texts), "things near it were said"
        for subject, attribute in never:
            assert not [t for t in texts if subject.casefold() in t and attribute.casefold() in t], sample.id


def test_look_alikes_differ_and_both_were_said(made: list[Made]) -> None:
    for _, ledger, sample in asked(made, "look-alike"):
        story = next(one for one in stories() if one.name == ledger.gold[sample.id].story)
        lines = {line for ask in story.asks for line in ask.answers}
        assert len(lines) == 2, "two things, two values"
        assert len({s.place for s in ledger.statements if s.story == story.name and not s.is_near}) == 2


def test_no_gold_leaks_into_what_is_said(made: list[Made]) -> None:
    for world, _ in made:
        text = "\n".join(whole(turn) for turn in turns_of(world).values())
        assert not [sample.id for sample in world.samples if sample.id in text or sample.question in text]
        assert "personas" not in text and not re.search(r"\{[^}\"]*\|", text), "a line that was not drawn"


# --- people -------------------------------------------------------------------------


def test_people_do_not_talk_in_templates(made: list[Made]) -> None:
    """Evidence with its values masked: no skeleton is common, and words are many."""
    skeletons: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for world, ledger, sample in asked(made):
        for place in sample.evidence:
            text = turns_of(world)[place].text.casefold()
            words.update(re.findall(r"\w+", text))
            values = sorted({*ledger.drawn[ledger.gold[sample.id].story], *sample.answers}, key=lambda v: (-len(v), v))
            for value in values:
                text = text.replace(value.casefold(), "_")
            skeletons[re.sub(r"\d+", "0", text)] += 1
    assert skeletons.most_common(1)[0][1] < 0.01 * skeletons.total()
    assert len(skeletons) > 0.9 * skeletons.total()
    assert len(words) > 3000 and words.most_common(1)[0][1] < 0.06 * words.total()


def test_one_person_is_not_like_another(made: list[Made]) -> None:
    for person in everyone():
        for lang in person.langs:
            assert len(person.lines("s", lang)) >= 3 and len(person.lines("o", lang)) >= 3, person.id
    texts = {w.id: [t.text for t in turns_of(w).values() if t.role is Role.USER] for w, _ in made}
    assert sum(text[:1].islower() for text in texts["einar"]) > 0.8 * len(texts["einar"])
    assert sum(text[:1].isupper() for text in texts["colette"]) > 0.9 * len(texts["colette"])
    russian = {w.id for w, _ in made if sum("а" <= c <= "я" for t in texts[w.id] for c in t) > 500}
    assert russian == {p.id for p in everyone() if "ru" in p.langs} and len(russian) == 8


def test_little_of_the_noise_is_said_twice_to_one_agent(made: list[Made]) -> None:
    for world, _ in made:
        said = Counter(t.text for t in turns_of(world).values() if t.role is Role.USER and len(t.text) > 40)
        assert sum(count - 1 for count in said.values()) <= 0.12 * said.total(), world.id


# --- what they are made with --------------------------------------------------------


def test_every_story_and_every_line_can_be_told() -> None:
    names = [story.name for story in stories()]
    assert len({*names}) == len(names) > 150
    for story in stories():
        assert story.asks and story.beats, story.name
        for ask in story.asks:
            assert ask.category in CATEGORIES and ask.questions, story.name
            assert all(beat < len(story.beats) for beat, _ in ask.evidence), story.name
            assert bool(ask.answers) == (ask.category != ABSTAIN) == bool(ask.evidence), story.name


def test_a_block_is_read_as_its_form_says() -> None:
    (block,) = script.parse(";; nothing\n# name\nkey: a b\nl one\n* beat gap=3-9 pass\nu say\\nmore\nu or this\n")
    assert (block.name, block.head, block.lines) == ("name", {"key": "a b"}, ("one",))
    (part,) = block.parts
    assert (part.kind, part.words, part.options) == ("beat", ("pass",), {"gap": "3-9"})
    assert part.all("u") == ("say\nmore", "or this") and part.all("q") == ()


def test_a_line_is_drawn_and_filled() -> None:
    scope = grammar.Scope({"who": ("Tove", "she"), "d": date(2026, 5, 14)}, Dice("x"), today=date(2026, 5, 15))
    assert scope.said("{who} says {who.1} {came|came} {d:rel}, a {d:wd}") == "Tove says she came yesterday, a Thursday"
    assert re.fullmatch(r"[1-9]\d\d [0-9a-f]{8}", scope.said("{#3} {%8}"))
    assert scope.forms("{who} // {d}")[:3] == ("Tove", "14 May", "May 14")
    with pytest.raises(grammar.UnknownSlot):
        scope.said("{nobody}")
    with pytest.raises(ValueError, match="brace"):
        grammar.compiled("{a|b")


@pytest.mark.parametrize(
    ("lang", "away", "words"),
    [
        ("en", -1, {"yesterday"}),
        ("en", -4, {"last Sunday"}),
        ("en", -3, {"three days ago"}),
        ("en", -2, {"two days ago", "the day before yesterday"}),
        ("en", -8, {"on Wednesday last week"}),
        ("en", 9, {"in nine days"}),
        ("ru", -2, {"позавчера"}),
        ("ru", -5, {"в прошлую субботу"}),
        ("ru", 3, {"в воскресенье"}),
        ("ru", 21, {"через 21 день"}),
    ],
)
def test_a_day_is_said_so_that_it_means_one_day(lang: str, away: int, words: set[str]) -> None:
    said = date(2026, 5, 14)
    assert days.relative(said + timedelta(days=away), said, lang, Dice(lang, away)) in words


def test_spans_and_offsets() -> None:
    start = date(2026, 3, 2)
    assert days.span_forms(start, start + timedelta(days=42), "en") == ("6 weeks", "42 days", "six weeks")
    assert days.span_forms(start, start + timedelta(days=21), "ru")[0] == "3 недели"
    assert days.zone_offset(date(2026, 3, 29), 1, "eu").utcoffset(None) == timedelta(hours=2)
    assert days.zone_offset(date(2026, 11, 1), -5, "us").utcoffset(None) == timedelta(hours=-5)
    assert days.zone_offset(date(2026, 1, 1), 0, "eu") is UTC


def test_dice_fall_as_their_names_say() -> None:
    assert [Dice("a", 1).between(1, 6) for _ in range(3)] == [Dice("a", 1).between(1, 6)] * 3
    assert Dice("a").order(range(8)) == [*Dice("a").order(range(8))] and sorted(Dice("b").order("cab")) == [*"abc"]
    thrown = Counter(dice.below(6) for dice in [Dice("fair")] for _ in range(6000))
    assert all(850 < count < 1150 for count in thrown.values())
