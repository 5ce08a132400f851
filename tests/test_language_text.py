"""Words, sentences, the writer's own prose, names: small pure functions with tables of what they give."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain.language import chunks, namekeys
from brain.language.mentions import mentions
from brain.language.prose import blocks, own
from brain.language.rules import is_known, load, rules_for
from brain.language.sentences import plain, sentences
from brain.language.titles import title_of, title_words
from brain.language.words import fold, is_cyrillic, stem, words

# --- words ------------------------------------------------------------------------


def test_words_keep_what_holds_them_together() -> None:
    row = words("SKV-3 isn’t 1.85 or 9,850; see tidewater.db, Ёлка.")
    assert [w.text for w in row] == ["SKV-3", "isn’t", "1.85", "or", "9,850", "see", "tidewater.db", "Ёлка"]
    assert [w.low for w in row][-1] == "елка"
    assert row[1].low == "isn't"


@pytest.mark.parametrize(
    ("one", "other"), [("answers", "answer"), ("boat's", "boat"), ("тетради", "тетрадь"), ("взноса", "взнос")]
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@settings(derandomize=True, max_examples=300)
@given(st.text(max_size=80))
def test_folding_moves_no_offset(text: str) -> None:
    assert len(fold(text)) == len(text)
    for word in words(text):
        assert text[word.start : word.end] == word.text
        assert len(word.low) == len(word.text)


def test_script_and_language() -> None:
    assert is_cyrillic("Тетрадка v2")
    assert rules_for("Илья пишет").code == "ru"
    assert is_known("The boat lies at berth 7 in the harbour.")
    assert is_known("Лодка стоит у причала номер семь.")
    assert not is_known("Das Boot liegt seit gestern im Hafen von Kiel.")
    assert not is_known("Mon frère habite à Lyon avec sa femme et les enfants.")
    assert not is_known("Мій брат мешкає у Львові, і він не любить каву.")


# --- sentences --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "It costs 1.85 m. Dr. Smith agrees. J. R. Smith too.",
            ["It costs 1.85 m.", "Dr. Smith agrees.", "J. R. Smith too."],
        ),
        ('He wrote: "I moved. I close on Mondays." Nice.', ['He wrote: "I moved. I close on Mondays."', "Nice."]),
        (
            "«Да. Нет.» — сказал он. Тетради с 1961 г. лежат тут.",
            ["«Да. Нет.» — сказал он.", "Тетради с 1961 г. лежат тут."],
        ),
        ("one. two, e.g. three (no. 4. five). Six!", ["one. two, e.g. three (no. 4. five).", "Six!"]),
        ("1. First\n2. Second\nthat was broken\nto fit.", ["First", "Second that was broken to fit."]),
        ("# Heading\n\n**Bold** words.\n- item", ["Heading", "Bold words.", "item"]),
        ("我住在深圳。我喜欢跑步！", ["我住在深圳。", "我喜欢跑步！"]),
        ("Wait! and see. What?! No…", ["Wait! and see.", "What?!", "No…"]),
        ("...", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [sentence.text for sentence in sentences(text)] == expected


@settings(derandomize=True, max_examples=300)
@given(st.text(alphabet='aA .!?\n"“”«»()*-1é', max_size=120))
def test_a_sentence_is_a_piece_of_its_text(text: str) -> None:
    last = 0
    for sentence in sentences(text):
        assert last <= sentence.start < sentence.end <= len(text)
        assert sentence.text == plain(text[sentence.start : sentence.end])
        last = sentence.end


def test_hostile_text_takes_linear_time() -> None:
    assert sentences('"' * 50_000) == ()
    assert len(sentences("(a. " * 20_000)) >= 1
    assert len(sentences("- x\n" * 20_000)) == 20_000


# --- own prose --------------------------------------------------------------------


def test_code_quotations_and_pastes_are_not_the_writers_words() -> None:
    text = (
        "Here, use this:\n\nOPENAI_API_KEY=sk\n\nThen go on.\n\n```\nI am code.\n```\n\n> I am quoted.\n\n"
        "Rewrite the following:\nI live in a letter.\nIt has lines.\nMore of them.\nAnd more.\n\nI am behind it."
    )
    assert own(text) == ("Here, use this:", "Then go on.", "Rewrite the following:")


def test_a_short_list_is_still_the_writers() -> None:
    assert own("I need:\n- tea\n- bread") == ("I need:", "- tea\n- bread")


def test_a_form_is_not_prose() -> None:
    assert own("Shot: 1\nType: wide\nText: Anna sits down.") == ()


@settings(derandomize=True, max_examples=200)
@given(st.text(alphabet="aI :\n`>#|-", max_size=200))
def test_blocks_are_disjoint_and_in_order(text: str) -> None:
    last = 0
    for block in blocks(text):
        assert last <= block.start < block.end <= len(text)
        last = block.end


# --- cues -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("I now prefer long answers.", "preference"),
        ("I still prefer tea.", "preference"),
        ("We decided against tidecurve.", "decision"),
        ("And please never deploy at night.", "standing"),
        ("One more rule: never deploy at night.", "standing"),
        ("It does not work.", "dead_end"),
        ("That's completely wrong.", "correction"),
        ("Suppose I had berth 3.", "supposition"),
        ("I have changed my mind about it.", "changed_mind"),
        ("Мы решили печатать.", "decision"),
        ("Я больше люблю чай.", "preference"),
        ("Никогда не удаляй снимки.", "standing"),
        ("Это неверно.", "correction"),
        ("Я передумала.", "changed_mind"),
    ],
)
def test_cues(text: str, cue: str) -> None:
    assert cue in rules_for(text).cues(words(text))


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("She always sings.", "standing"),
        ("The idea.", "preference"),
        ("или", "past"),
        ("We will see if I do.", "supposition"),
    ],
)
def test_what_has_not_the_cue(text: str, cue: str) -> None:
    assert cue not in rules_for(text).cues(words(text))


def test_both_languages_have_the_same_lists_and_cues() -> None:
    english, russian = load("en"), load("ru")
    assert english.lists.keys() == russian.lists.keys()


# --- names ------------------------------------------------------------------------


def _names(text: str) -> list[str]:
    row = words(text)
    return [m.name for m in mentions(text, row, rules_for(text), lambda _row, _at: 0)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Tomasz Wrona works at the Baltic Paper Workshop in Gdańsk.",
            ["Tomasz Wrona", "Baltic Paper Workshop", "Gdańsk"],
        ),
        ("Aunt Raya's birthday is on 4 October.", ["Raya"]),
        ("Yesterday I spoke English on Monday in March.", []),
        ("The gauge SKV-4 writes to tidewater.db.", ["SKV-4", "tidewater.db"]),
        ("He answered BETTER, and the PDF is fine.", []),
        ("Новый проект, назовём его «Тетрадка».", ["Тетрадка"]),
        ("Рая из тетради — это тётя Рая.", ["Рая"]),
        ("Tesseract с рукописью не работает.", ["Tesseract"]),
        ("On Day 3 we saw Mom.", []),
        ("I sing in The Sound of Cod.", ["Sound of Cod"]),
        ("Ilya now works there.", ["Ilya"]),
        ("Production listens on port 8417.", []),
    ],
)
def test_names_in_a_sentence(text: str, names: list[str]) -> None:
    assert _names(text) == names


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Илья", "Илье"),
        ("Ilya", "Ильи"),
        ("Рая", "Рае"),
        ("Зоей", "Zoya"),
        ("Глебом", "Gleb"),
        ("Лене Крусе", "Lene Kruse"),
        ("Костроме", "Kostroma"),
        ("Казани", "Kazan"),
        ("Модемом", "Модем"),
        ("Тетрадку", "tetradka"),
    ],
)
def test_one_name_in_two_spellings(one: str, other: str) -> None:
    assert namekeys.is_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Рая", "Зоя"), ("Anna", "Anne"), ("Palle", "Paula"), ("Ilya", "Ilya Maslov"), ("SKV-3", "SKV-4")],
)
def test_two_names(one: str, other: str) -> None:
    assert not namekeys.is_same(one, other)


@pytest.mark.parametrize(
    ("forms", "title"),
    [
        ("Зои", "Зоя"),
        ("Рае Рае Раи Раю", "Рая"),
        ("Рае", "Рая"),
        ("Илье", "Илья"),
        ("Паше Пашу Паши", "Паша"),
        ("Нины Нине", "Нина"),
        ("Ольгой Ольге", "Ольга"),
        ("Тимуру Тимура Тимур", "Тимур"),
        ("Игорю Игоря Игорь", "Игорь"),
        ("Модем", "Модем"),
        ("Хэдли Хэдли", "Хэдли"),
        ("Перми Перми", "Перми"),
        ("Тимуру Тимуру Тимура", "Тимуру"),
        ("Raya", "Raya"),
    ],
)
def test_the_form_of_a_title(forms: str, title: str) -> None:
    assert namekeys.nominative(Counter(forms.split())) == title


# --- subjects and phrases ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The dike gate in Havnby closes at 2.40 m.", "The dike gate"),
        ("Yesterday the warning went out late.", "the warning"),
        ("Since 1 September Ilya works at Nordpumpe.", "Ilya"),
        ("At the moment the readings lie in one file.", "the readings"),
        ("There is a small library called tidecurve.", "a small library"),
        ("Choir: the concert has moved.", "the concert"),
        ("It is red.", "It"),
        ("The 4G stick drops the line.", "The 4G stick"),
        ("Типография ждёт PDF в среду.", "Типография"),
    ],
)
def test_the_subject_of_a_sentence(text: str, subject: str) -> None:
    row = words(text)
    chunk = chunks.subject(text, row, rules_for(text), [])
    assert chunk is not None
    assert text[row[chunk.start].start : row[chunk.end - 1].end] == subject


@pytest.mark.parametrize(
    "text", ["Тёте Зое книгу отправила утром.", "Хочу, чтобы по ним можно было искать.", "Write it down."]
)
def test_no_subject_is_better_than_a_wrong_one(text: str) -> None:
    row = words(text)
    names = [(m.start, m.end) for m in mentions(text, row, rules_for(text), lambda _row, _at: 0)]
    assert chunks.subject(text, row, rules_for(text), names) is None


@pytest.mark.parametrize(
    ("phrase", "title"),
    [
        ("the short answers", "Short answers"),
        ("my two dentists", "Dentists"),
        ("the thing", ""),
        ("92 pages", ""),
        ("a great new plan", ""),
        ("immediately", ""),
        ("два экземпляров", ""),
    ],
)
def test_titles_of_topics(phrase: str, title: str) -> None:
    named = title_words(words(phrase), rules_for(phrase))
    assert (title_of(named) if named else "") == title
