"""The schemas of front matter, checked by jsonschema where something is wrong and quickly where nothing is.

jsonschema takes some 4 ms a page, ten thousand pages would take 40 s. So each schema is also
compiled to one predicate over the few keywords that ours use; it only ever says that all is well,
and whatever it does not pass goes to jsonschema, which says what is wrong. A test holds the two to
the same answer; a keyword that the predicate does not know is refused when the schema is loaded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Keys = tuple[str, ...]
Check = Callable[[Any], bool]

_TYPES: Mapping[str, type] = {"object": dict, "array": list, "string": str, "null": type(None)}
_SAYS_NOTHING = frozenset({"$schema", "$id", "title", "description"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that a schema does not allow."""

    keys: Keys
    """Where: the keys from the top down."""
    missing: str | None
    """The key that is asked for, where that is the fault."""
    message: str


def is_valid(name: str, values: object) -> bool:
    return _predicate(name)(values)


def faults(name: str, values: object) -> Iterator[Fault]:
    """What the schema `name` (page, note, transcript, summary) does not allow in `values`."""
    if is_valid(name, values):
        return
    found: Any = _validator(name).iter_errors(values)  # type: ignore[arg-type]
    seen: set[tuple[Keys, str | None]] = set()
    for fault in map(_fault, found):
        if (fault.keys, fault.missing) not in seen:
            yield fault
        seen.add((fault.keys, fault.missing))


def _fault(error: Any) -> Fault:
    keys = tuple(map(str, error.absolute_path))
    if "propertyNames" in error.absolute_schema_path:
        return Fault((*keys, error.instance), None, f"{error.instance!r} is no number that a citation can have")
    match error.validator:
        case "required":
            missing = next(key for key in error.validator_value if f"'{key}'" in error.message)
            return Fault(keys, missing, f"the key {missing} is missing")
        case "additionalProperties":
            odd = min(set(error.instance) - set(error.schema["properties"]))
            return Fault((*keys, odd), None, f"the key {odd} has no place here")
        case _:
            return Fault(keys, None, f"{'.'.join(keys) or 'the block'} is {_told(error.instance)}, {_wanted(error)}")


def _told(value: object) -> str:
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:39] + "…")
    return "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else "empty"


def _wanted(error: Any) -> str:
    wanted = error.validator_value
    match error.validator:
        case "enum":
            return f"none of {', '.join(wanted)}"
        case "maxLength":
            return f"{len(error.instance)} characters long, and may have {wanted}"
        case "type":
            names = {"object": "a mapping", "array": "a list", "string": "a text", "null": "nothing"}
            kinds = [wanted] if isinstance(wanted, str) else wanted
            return f"and should be {' or '.join(names[kind] for kind in kinds)}"
        case "format":
            return "which is no day of the calendar"
        case _:
            return "which has not the form that is asked for"


# --- jsonschema -------------------------------------------------------------------


@cache
def _schema(name: str) -> Mapping[str, Any]:
    text = resources.files("brain").joinpath("schemas", name).read_text(encoding="utf-8")
    schema: Mapping[str, Any] = json.loads(text)
    return schema


@cache
def _validator(name: str) -> Validator:
    import jsonschema
    from referencing import Registry, Resource

    citations: Resource[Any] = Resource.from_contents(_schema("citations.json"))
    registry: Registry[Any] = Registry().with_resource("citations.json", citations)
    kind = jsonschema.Draft202012Validator
    return kind(_schema(f"{name}.json"), registry=registry, format_checker=kind.FORMAT_CHECKER)


# --- the predicate ----------------------------------------------------------------


@cache
def _predicate(name: str) -> Check:
    return _compile(_schema(f"{name}.json"))


def _compile(schema: Mapping[str, Any]) -> Check:
    checks = [_KEYWORDS[key](value, schema) for key, value in schema.items() if key not in _SAYS_NOTHING]
    if len(checks) == 1:
        return checks[0]
    return lambda value: all(check(value) for check in checks)


def _type(names: str | list[str], _: object) -> Check:
    kinds = tuple(_TYPES[name] for name in ([names] if isinstance(names, str) else names))
    return lambda value: isinstance(value, kinds)


def _enum(allowed: list[str], _: object) -> Check:
    known = frozenset(allowed)
    return lambda value: isinstance(value, str) and value in known


def _pattern(pattern: str, _: object) -> Check:
    search = re.compile(pattern).search
    return lambda value: not isinstance(value, str) or search(value) is not None


def _format(_name: str, _: object) -> Check:
    return lambda value: not isinstance(value, str) or _is_day(value)


@cache
def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _max_length(limit: int, _: object) -> Check:
    return lambda value: not isinstance(value, str) or len(value) <= limit


def _required(keys: list[str], _: object) -> Check:
    return lambda value: not isinstance(value, dict) or all(key in value for key in keys)


def _properties(schemas: Mapping[str, Any], _: object) -> Check:
    checks = [(key, _compile(schema)) for key, schema in schemas.items()]
    return lambda value: not isinstance(value, dict) or all(check(value[key]) for key, check in checks if key in value)


def _property_names(schema: Mapping[str, Any], _: object) -> Check:
    check = _compile(schema)
    return lambda value: not isinstance(value, dict) or all(map(check, value))


def _additional(schema: bool | Mapping[str, Any], around: Mapping[str, Any]) -> Check:
    known = around.get("properties", {}).keys()
    if isinstance(schema, Mapping):
        check = _compile(schema)
        return lambda value: not isinstance(value, dict) or all(check(v) for k, v in value.items() if k not in known)
    return lambda value: schema or not isinstance(value, dict) or value.keys() <= known


def _items(schema: Mapping[str, Any], _: object) -> Check:
    check = _compile(schema)
    return lambda value: not isinstance(value, list) or all(map(check, value))


def _ref(name: str, _: object) -> Check:
    return _compile(_schema(name))


_KEYWORDS: Mapping[str, Callable[[Any, Mapping[str, Any]], Check]] = {
    "type": _type,
    "enum": _enum,
    "pattern": _pattern,
    "format": _format,
    "maxLength": _max_length,
    "required": _required,
    "properties": _properties,
    "propertyNames": _property_names,
    "additionalProperties": _additional,
    "items": _items,
    "$ref": _ref,
}
