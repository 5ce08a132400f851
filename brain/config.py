"""brain.toml -> frozen Settings.

The dataclasses below are the schema: an unknown key, a wrong type or a value out of
range is an error that names the key. `schemas/settings.json` says the same for editors;
a test holds the two together, so that start-up need not import a schema library.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from brain.errors import UsageError

NAME = "brain.toml"
FORMAT_VERSION = 1


class SettingsError(UsageError):
    """brain.toml cannot be used as it stands."""

    code = "settings"


class NoBrain(UsageError):
    """The folder is no brain."""

    code = "no-brain"


def _range(default: int, low: int, high: int) -> Any:
    return field(default=default, metadata={"minimum": low, "maximum": high})


def _one_of(default: str, *values: str) -> Any:
    return field(default=default, metadata={"enum": values})


@dataclass(frozen=True, slots=True)
class Person:
    """Whose memory this is."""

    name: str = ""
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestSettings:
    exclude: tuple[str, ...] = ()
    """Glob patterns of source paths or project names that are never taken in."""


@dataclass(frozen=True, slots=True)
class DreamSettings:
    dreamer: str = "extractive"
    mode: str = _one_of("auto", "off", "propose", "auto")
    max_sessions: int = _range(1000, 1, 100_000)
    """Sessions one dream takes on; the rest waits for the next."""
    max_ops: int = _range(20_000, 1, 1_000_000)
    max_forget: int = _range(50, 0, 100_000)


@dataclass(frozen=True, slots=True)
class IndexSettings:
    budget: int = _range(8000, 500, 9000)
    """Characters of the index in the first message."""


@dataclass(frozen=True, slots=True)
class SearchSettings:
    embedder: str = "use"
    """Name of an embedder, or "none": words alone."""


@dataclass(frozen=True, slots=True)
class Settings:
    format: int = FORMAT_VERSION
    timezone: str = "UTC"
    person: Person = Person()
    ingest: IngestSettings = IngestSettings()
    dream: DreamSettings = DreamSettings()
    index: IndexSettings = IndexSettings()
    search: SearchSettings = SearchSettings()

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


def load(root: Path) -> Settings:
    """The settings of the brain at `root`.

    Raises: NoBrain where no brain.toml stands; SettingsError where it cannot be used.
    """
    path = root / NAME
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise NoBrain(f"{root} is no brain: it holds no {NAME}", f"brain init {root}") from None
    except OSError as error:
        raise SettingsError(f"{path} was not read: {error.strerror or error}") from None
    return parse(data, str(path))


def parse(data: bytes, name: str = NAME) -> Settings:
    """Settings from the bytes of a brain.toml; `name` is what messages call it. Raises: SettingsError."""
    try:
        values = tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise SettingsError(f"{name} is not UTF-8 (byte {error.start}); nothing was done") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{name} is not valid TOML: {error}; nothing was done") from None
    settings: Settings = _record(Settings, values, name, "")
    if settings.format != FORMAT_VERSION:
        raise SettingsError(
            f"{name} has format {settings.format}, this Brain reads format {FORMAT_VERSION}; nothing was done",
            "the release of Brain that made it",
        )
    _check_zone(settings.timezone, name)
    return settings


def _check_zone(key: str, name: str) -> None:
    try:
        ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(
            f"{name}: timezone {key!r} is not a known time zone; nothing was done",
            'a name such as "Europe/Lisbon"',
        ) from None


def _record(cls: type[Any], values: Mapping[str, object], name: str, prefix: str) -> Any:
    known = {f.name: f for f in fields(cls)}
    hints = get_type_hints(cls)
    for key in values:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {prefix}{near[0]}?" if near else f"known here: {', '.join(known)}"
            raise SettingsError(f"{name}: unknown key {prefix}{key}; nothing was done", hint)
    return cls(
        **{key: _value(hints[key], known[key].metadata, value, name, prefix + key) for key, value in values.items()}
    )


def _value(kind: Any, limits: Mapping[str, Any], value: object, name: str, key: str) -> object:
    if hasattr(kind, "__dataclass_fields__"):
        if not isinstance(value, dict):
            raise SettingsError(f"{name}: {key} must be a table; nothing was done")
        return _record(kind, value, name, key + ".")
    if get_args(kind):
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise SettingsError(f"{name}: {key} must be a list of texts; nothing was done")
        return tuple(value)
    if type(value) is not kind:
        raise SettingsError(f"{name}: {key} must be {_NAMES[kind]}, not {value!r}; nothing was done")
    if "enum" in limits and value not in limits["enum"]:
        raise SettingsError(
            f"{name}: {key} must be one of {', '.join(limits['enum'])}, not {value!r}; nothing was done"
        )
    if isinstance(value, int) and "minimum" in limits and not limits["minimum"] <= value <= limits["maximum"]:
        raise SettingsError(
            f"{name}: {key} must be {limits['minimum']} to {limits['maximum']}, not {value}; nothing was done"
        )
    return value


_NAMES = {int: "a whole number", str: "a text"}


def json_schema(cls: type[Any] = Settings) -> dict[str, Any]:
    """The JSON Schema of brain.toml, as it stands in schemas/settings.json."""
    hints = get_type_hints(cls)
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {f.name: _property(hints[f.name], f.metadata) for f in fields(cls)},
    }


def _property(kind: Any, limits: Mapping[str, Any]) -> dict[str, Any]:
    if hasattr(kind, "__dataclass_fields__"):
        return json_schema(kind)
    if get_args(kind):
        return {"type": "array", "items": {"type": "string"}}
    base: dict[str, Any] = {"type": "integer" if kind is int else "string"}
    return base | {key: list(value) if key == "enum" else value for key, value in limits.items()}


def default_toml(timezone: str, person: str) -> str:
    """The brain.toml that `brain init` writes."""
    return (
        f"# Settings of this brain; every key is in docs/commands.md. An unknown key is an error.\n"
        f"format = {FORMAT_VERSION}\n"
        f"timezone = {_quoted(timezone)}\n"
        f"\n[person]\n"
        f"name = {_quoted(person)}\n"
        f"\n[dream]\n"
        f'dreamer = "extractive"\n'
        f"\n[index]\n"
        f"budget = {IndexSettings().budget}\n"
        f"\n[search]\n"
        f'embedder = "{SearchSettings().embedder}"\n'
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'
