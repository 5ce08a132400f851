"""What a question finds, in any script and in the order it should."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from search_corpus import Texts

from brain.model import Audience
from brain.search import embed
from brain.search.rank import Found, Mode, Question, find

SCRIPTS = {
    "ja": "港の燈台は毎晩十二時に消える。当番は田中。",
    "zh": "渡船票价四元，周一停航。",
    "ko": "등대는 항구 동쪽에 있다.",
    "de": "Die Fährfahrpläne hängen am Straßenschild.",
    "tr": "İskele kapısı ışıklı.",
    "ru": "Паром уходит в шесть.",
    "fw": "Ｆｅｒｒｙ ３",
    "en": "The ferry's C++ timetable (v1.2) isn't in e-mail.",
    "th": "เรือข้ามฟากออกหกโมงเย็น",
    "emoji": "Meeting point: 🦦 statue",
}


def titles(home: Path, texts: Texts, text: str, embedder: str = "use", **options: object) -> list[str]:
    found = find(home, texts, Question(text, **options), embedder)  # type: ignore[arg-type]
    return [hit.path for hit in found.hits]


@pytest.fixture(scope="module")
def scripts_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts")


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("燈台", ["ja"]),
        ("田中", ["ja"]),
        ("票价", ["zh"]),
        ("停航", ["zh"]),
        ("등대", ["ko"]),
        ("fährfahrpläne", ["de"]),
        ("fahrfahrplane", ["de"]),
        ("STRASSENSCHILD", ["de"]),
        ("ишак", []),
        ("паром", ["ru"]),
        ("паромы", ["ru"]),
        ("iskele", ["tr"]),
        ("İSKELE", ["tr"]),
        ("Ferry 3", ["fw", "en"]),
        ("C++", ["en"]),
        ("v1.2", ["en"]),
        ("e-mail", ["en"]),
        ("isn't", ["en"]),
        ("🦦", ["emoji"]),
        ("เรือข้ามฟาก", ["th"]),
    ],
)
@pytest.mark.parametrize("embedder", ["use", "none"])
def test_a_word_of_any_script_finds_the_pages_that_hold_it(
    scripts_home: Path, text: str, paths: list[str], embedder: str
) -> None:
    assert titles(scripts_home / embedder, Texts(dict(SCRIPTS)), text, embedder) == paths


@given(st.text(max_size=60))
@example('"')
@example("AND")
@example("*")
@example("a:b")
@example("(")
@example("ferry' OR 1=1 --")
@example("\0\ud800")
@example("-" * 5000)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_text_is_an_error(scripts_home: Path, text: str) -> None:
    first = find(scripts_home / "hashing", Texts(dict(SCRIPTS)), Question(text), "hashing")
    assert first == find(scripts_home / "hashing", Texts(dict(SCRIPTS)), Question(text), "hashing")
    assert all(hit.text in SCRIPTS[hit.path] for hit in first.hits)


def test_every_question_gets_the_files_as_they_are_now(tmp_path: Path) -> None:
    texts = Texts(
        {"Ferry": "# Ferry\nLeaves at 18:40.\n", "Mill": "# Mill\nGrinds rye.\n", "Well": "# Well\nIs dry.\n"}
    )
    assert titles(tmp_path, texts, "18:40") == ["Ferry"]
    texts.files["Ferry"] = "# Ferry\nLeaves at 19:20.\n"
    texts.files["Forge"] = "# Forge\nOpen on market days.\n"
    texts.files["places/Well"] = texts.files.pop("Well")
    del texts.files["Mill"]
    asked = {text: titles(tmp_path, texts, text) for text in ("18:40", "19:20", "rye", "dry", "market")}
    assert asked == {"18:40": [], "19:20": ["Ferry"], "rye": [], "dry": ["places/Well"], "market": ["Forge"]}
    shutil.rmtree(tmp_path)
    assert asked == {text: titles(tmp_path, texts, text) for text in asked}


NASTIER = {
    "zh": "我们在东京的办公室七月搬家。",
    "mixed": "Илья сказал: deploy 只在 staging, потом プロダクション 🛶.",
    "ja": "プロジェクト・カモメは九月に始まる。",
    "hi": "हमारी बैठक सोमवार को होगी।",
    "ar": "الاجتماع يوم الاثنين في المكتبة.",
    "he": "הפגישה ביום שני בספרייה.",
    "th": "ประชุมวันจันทร์ที่ห้องสมุด",
    "ru": "В мастерских Сорокиных чинили старинные часы.",
    "uk": "Зустріч перенесли на п'ятницю.",
    "el": "Η συνάντηση είναι την Παρασκευή.",
    "fr": "L’été dernier, Zoé a réparé le cœur de l’horloge.",
    "flag": "Ship it 🏳️‍🌈 to 🇳🇴 with 👩🏽‍🚀.",
}


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("东京", "zh"),
        ("搬家", "zh"),
        ("ﾌﾟﾛｼﾞｪｸﾄ", "ja"),
        ("カモメ", "ja"),
        ("プロダクション", "mixed"),
        ("STAGING 只在", "mixed"),
        ("🛶", "mixed"),
        ("बैठक", "hi"),
        ("اَلاِجْتِمَاع", "ar"),
        ("المكتبة", "ar"),
        ("בספרייה", "he"),
        ("ห้องสมุด", "th"),
        ("старинных часов", "ru"),
        ("мастерская Сорокиной", "ru"),
        ("п’ятницю", "uk"),
        ("ΠΑΡΑΣΚΕΥΗ", "el"),
        ("ete", "fr"),
        ("horloge", "fr"),
        ("👩‍🚀", "flag"),
    ],
)
@pytest.mark.parametrize("embedder", ["use", "none"])
def test_the_page_in_that_script_comes_first(scripts_home: Path, text: str, first: str, embedder: str) -> None:
    assert titles(scripts_home / f"nastier-{embedder}", Texts(dict(NASTIER)), text, embedder)[:1] == [first]


EXACT = {
    "flag": "Never commit with --no-verify here.",
    "no": "No, we verify nothing by hand.",
    "path": "The fault is in src/tide/poll_once.py:42, I think.",
    "other": "Rename poll.py and tide/once.py, the src folder is fine.",
    "code": "It ended with ERR_TLS_0x80070057 again.",
    "codes": "TLS errors come again and again, err on the safe side.",
    "scope": "Import tide::clock::Face from @tide/clock.",
    "face": "The face of the clock shows the tide.",
    "address": "Ask ilya@lumen.example about 10.0.7.12.",
    "lumen": "Lumen Lab is an example; 10 people, 7 rooms, 12 lamps.",
    "win": "It lies in C:\\Tide\\poll.ini on the old machine.",
}


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("--no-verify", ["flag"]),
        ("src/tide/poll_once.py:42", ["path"]),
        ("poll_once.py", ["path"]),
        ("poll_once", ["path"]),
        ("ERR_TLS_0x80070057", ["code"]),
        ("err_tls_0x80070057", ["code"]),
        ("tide::clock::Face", ["scope"]),
        ("@tide/clock", ["scope"]),
        ("ilya@lumen.example", ["address"]),
        ("10.0.7.12", ["address"]),
        ("C:\\Tide\\poll.ini", ["win"]),
        ('"poll.ini"', ["win"]),
    ],
)
def test_an_identifier_that_stands_in_the_memory_is_found_whole_and_alone(
    scripts_home: Path, text: str, paths: list[str]
) -> None:
    assert titles(scripts_home / "exact", Texts(dict(EXACT)), text) == paths


def test_an_identifier_that_stands_nowhere_is_found_by_its_parts(scripts_home: Path) -> None:
    assert "path" in titles(scripts_home / "exact", Texts(dict(EXACT)), "poll_twice.py")


@pytest.mark.parametrize("text", ["zzzxqy", "фывапролдж", "ホゲピヨ", "qwr tplk zz", "--zz-top", "What is a quasar?"])
def test_nonsense_and_what_was_never_spoken_of_find_nothing(tmp_path: Path, text: str) -> None:
    texts = Texts(
        {
            "s/1": ["yse", "no", "hm?", "who owns it?", "The ferry leaves the harbour at noon, as every day."],
            "a.md": "Marta keeps eleven hens behind the old tractor shed.",
            "b.md": "Мы решили напечатать двенадцать экземпляров книги.",
        }
    )
    assert titles(tmp_path, texts, text) == []


def test_words_that_stand_everywhere_are_no_answer(tmp_path: Path) -> None:
    texts = Texts({f"p{n:03}": f"Die Straße Nummer {n} ist lang." for n in range(60)})
    assert titles(tmp_path, texts, "Was ist die Hauptstadt der Mongolei?", embed.NONE) == []
    assert len(titles(tmp_path, texts, "was ist die", embed.NONE)) == 10


def test_meaning_crosses_languages(tmp_path: Path) -> None:
    texts = Texts(
        {
            "cat": "Кошка спит на подоконнике.",
            "train": "The train to the coast leaves at seven.",
            "rent": "Аренду за квартиру платят первого числа.",
        }
    )
    assert titles(tmp_path, texts, "Во сколько уходит поезд на побережье?")[0] == "train"
    assert titles(tmp_path, texts, "When is the rent for the flat due?")[0] == "rent"
    assert titles(tmp_path, texts, "When is the rent for the flat due?", mode=Mode.KEYWORD) == []


def test_a_turn_is_lifted_by_its_neighbours(tmp_path: Path) -> None:
    texts = Texts(
        {
            "s/1": ["The boat needs paint.", "Which colour?", "Let us take green for the boat."],
            "s/2": ["The soup needs salt.", "Which colour?", "Let us take the pan."],
        }
    )
    found = find(tmp_path, texts, Question("Which colour for the boat?"), embed.NONE)
    colours = [(hit.path, hit.anchor) for hit in found.hits if hit.text == "Which colour?"]
    assert colours == [("s/1", "t2"), ("s/2", "t2")]


def test_equals_stand_in_the_order_of_their_paths(tmp_path: Path) -> None:
    texts = Texts({name: "A heron stands in the reeds." for name in ("c", "a", "d", "b")})
    assert titles(tmp_path, texts, "heron") == ["a", "b", "c", "d"]
    assert titles(tmp_path, texts, "heron", k=2) == ["a", "b"]


def test_a_long_turn_is_one_hit(tmp_path: Path) -> None:
    turn = "\n\n".join(f"Paragraph {n} about the harbour and its ferry." for n in range(200))
    found = find(tmp_path, Texts({"s/1": [turn, "Thanks."]}), Question("ferry in the harbour"), "hashing")
    assert [hit.anchor for hit in found.hits].count("t1") == 1
    assert len(found.hits[0].text) <= 1200


def test_a_weak_answer_beside_a_strong_one_is_none(tmp_path: Path) -> None:
    texts = Texts({f"p{n:03}": f"The town has a street with number {n}." for n in range(200)})
    texts.files["heron"] = "The heron of the town nests on the old crane at the canal."
    assert titles(tmp_path, texts, "Where does the heron nest, at the canal or the crane in town?") == ["heron"]


class TestAudience:
    texts = Texts(
        {"open.md": "Ilya repairs clocks.", "diary.md": "Ilya repairs clocks badly.", "s/1": ["Ilya called.", "Ilya?"]},
        private=frozenset({"diary.md", "s/1"}),
    )

    def ask(self, home: Path, audience: Audience) -> Found:
        return find(home, self.texts, Question("Ilya clocks", audience=audience), "hashing")

    def test_private_files_are_found_by_their_owner(self, tmp_path: Path) -> None:
        assert {hit.path for hit in self.ask(tmp_path, Audience.TRUSTED).hits} == {"open.md", "diary.md", "s/1"}

    def test_others_see_what_they_would_see_if_there_were_nothing_private(self, tmp_path: Path) -> None:
        found = self.ask(tmp_path / "a", Audience.PUBLIC)
        alone = find(tmp_path / "b", Texts({"open.md": "Ilya repairs clocks."}), Question("Ilya clocks"), "hashing")
        assert found.hits == alone.hits
        assert found.notes == ("Private files were not searched: others read this answer.",)


def test_a_brain_without_a_model_says_so(tmp_path: Path) -> None:
    found = find(tmp_path, Texts({"a": "A heron."}), Question("heron"), embed.NONE)
    assert [hit.path for hit in found.hits] == ["a"]
    assert "Words alone" in found.notes[0]


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert find(tmp_path, Texts({}), Question("heron"), "hashing") == Found(())
    assert find(tmp_path, Texts({"empty": [], "a": "A heron."}), Question("zebra"), "hashing").hits == ()
