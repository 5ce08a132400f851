"""brain.toml: what is taken, what is refused, and what the refusal names."""

from __future__ import annotations

import json
import tomllib
from importlib import resources
from pathlib import Path
from zoneinfo import ZoneInfo

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain import config
from brain.config import FORMAT_VERSION, NoBrain, Settings, SettingsError


def refusal(text: str | bytes) -> SettingsError:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(SettingsError) as caught:
        config.parse(data)
    assert "\n" not in caught.value.message
    return caught.value


def test_an_empty_file_gives_the_defaults() -> None:
    assert config.parse(b"") == Settings()
    assert Settings().format == FORMAT_VERSION
    assert Settings().zone == ZoneInfo("UTC")


def test_every_table_is_read() -> None:
    read = config.parse(
        b"""
        format = 1
        timezone = "Europe/Copenhagen"
        [person]
        name = "Nadia Sorokina"
        aliases = ["Nadia", "\xd0\x9d\xd0\xb0\xd0\xb4\xd1\x8f"]
        [ingest]
        exclude = ["*/scratch/*"]
        [dream]
        dreamer = "extractive"
        mode = "propose"
        max_sessions = 3
        [index]
        budget = 4000
        [search]
        embedder = "none"
        """
    )
    assert read.person.aliases == ("Nadia", "Надя")
    assert read.ingest.exclude == ("*/scratch/*",)
    assert (read.dream.mode, read.dream.max_sessions) == ("propose", 3)
    assert (read.index.budget, read.search.embedder) == (4000, "none")
    assert read.zone == ZoneInfo("Europe/Copenhagen")


def test_a_byte_order_mark_is_no_error() -> None:
    assert config.parse(b"\xef\xbb\xbfformat = 1\n") == Settings()


@pytest.mark.parametrize(
    ("text", "named", "hinted"),
    [
        ("forma = 1", "unknown key forma", "did you mean format?"),
        ("[index]\nbudgte = 1", "unknown key index.budgte", "did you mean index.budget?"),
        ("[dream]\nxyzzy = 1", "unknown key dream.xyzzy", "known here: dreamer"),
        ("[index]\nbudget = '8000'", "index.budget must be a whole number", ""),
        ("[index]\nbudget = true", "index.budget must be a whole number", ""),
        ("[index]\nbudget = 499", "index.budget must be 500 to 9000", ""),
        ("[index]\nbudget = 9001", "index.budget must be 500 to 9000", ""),
        ("[dream]\nmode = 'sometimes'", "dream.mode must be one of off, propose, auto", ""),
        ("[person]\naliases = 'Nadia'", "person.aliases must be a list of texts", ""),
        ("[person]\naliases = [1]", "person.aliases must be a list of texts", ""),
        ("person = 'Nadia'", "person must be a table", ""),
        ("timezone = 'Nowhere/At_All'", "'Nowhere/At_All' is not a known time zone", "Europe/Lisbon"),
        ("timezone = '../../etc/passwd'", "is not a known time zone", ""),
        ("timezone = ''", "is not a known time zone", ""),
        ("format = 2", "has format 2, this Brain reads format 1", "the release of Brain that made it"),
        ("format = 1\nformat = 1", "is not valid TOML", ""),
        ("not toml", "is not valid TOML", ""),
        ("x = " + "[" * 5000, "is not valid TOML", ""),
        (b"person = '\xff'", "is not UTF-8 (byte 10)", ""),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(text: str | bytes, named: str, hinted: str) -> None:
    error = refusal(text)
    assert named in error.message
    assert error.message.startswith(config.NAME)
    assert hinted in error.hint
    assert (error.code, error.exit_status) == ("settings", 2)


def test_a_folder_without_settings_is_no_brain(tmp_path: Path) -> None:
    with pytest.raises(NoBrain) as caught:
        config.load(tmp_path)
    assert caught.value.exit_status == 2
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint == f"brain init {tmp_path}"


def test_settings_that_are_a_folder_were_not_read(tmp_path: Path) -> None:
    (tmp_path / config.NAME).mkdir()
    with pytest.raises(SettingsError, match="was not read: Is a directory"):
        config.load(tmp_path)


def test_the_shipped_schema_is_the_one_that_the_records_give() -> None:
    shipped = json.loads(resources.files("brain").joinpath("schemas/settings.json").read_text(encoding="utf-8"))
    assert shipped.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
    assert shipped.pop("title") == config.NAME
    assert shipped == config.json_schema()
    jsonschema.Draft202012Validator.check_schema(shipped)


@pytest.mark.parametrize("key", ["format", "index", "nothing-known"])
def test_schema_and_reader_agree(key: str) -> None:
    """What editors are told and what Brain does is the same, on values of every kind."""
    for value in (0, 1, "UTC", [], ["a"], {}, {"budget": 500}, {"budget": 1}, {"nothing": 1}, True, 1.5):
        values = {key: value}
        told = jsonschema.Draft202012Validator(config.json_schema()).is_valid(values)
        toml = f"{key} = {_toml(value)}"
        try:
            config.parse(toml.encode())
            done = True
        except SettingsError as error:
            done = "has format" in error.message
        assert told is done, toml


def _toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


@settings(derandomize=True)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_init_writes_reads_back(name: str) -> None:
    text = config.default_toml("Europe/Copenhagen", name)
    read = config.parse(text.encode())
    assert (read.timezone, read.person.name) == ("Europe/Copenhagen", name)
    assert tomllib.loads(text)["person"] == {"name": name}
    assert read == Settings(timezone="Europe/Copenhagen", person=config.Person(name))
