"""The pages say what the code does: held page by page."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import click
import console
import pytest
from conftest import NOW, ROOT, SAMPLE, Result, Run

import brain as package
from brain import config
from brain.cli import _SYSTEM, cli
from brain.errors import BrainError
from brain.ingest import FORMATS

DOCS = ROOT / "docs"
PAGES = (
    *sorted(DOCS.glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")),
)
PARTS = ("brain", "dream", "sandbox", "validators", "eval")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def fences(text: str, language: str) -> list[str]:
    """What stands in the fenced blocks of one language, in order."""
    return re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(text: str) -> list[list[str]]:
    """The cells of every line of the tables in a text, their heads and rules apart."""
    tables = re.findall(r"^\|.*\n\|[ :|-]+\n((?:\|.*\n)*)", text, re.MULTILINE)
    lines = [line for table in tables for line in table.splitlines()]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def section(text: str, title: str) -> str:
    """What stands below a heading, to the next of its level."""
    level = title.split(maxsplit=1)[0]
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^{level} |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, title
    return found.group(1)


# --- all pages ----------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", read(path)):
        page = (path.parent / target).resolve() if target else path
        assert page.exists(), target
        if anchor:
            assert anchor in {_slug(title) for title in re.findall(r"^#+ (.*)$", read(page), re.MULTILINE)}, anchor


def _slug(title: str) -> str:
    """As GitHub makes it of a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_every_page_is_reached_from_the_readme() -> None:
    linked = {(ROOT / target).resolve() for target in re.findall(r"\]\(([^)#:\s]+)", read(ROOT / "README.md"))}
    assert {path for path in PAGES if path.name != "README.md"} <= linked


# --- README: its commands run, its settings work ------------------------------------------


@pytest.fixture(scope="module")
def readme_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home as the README's reader has it: a person's name, and transcripts of Claude Code."""
    home = tmp_path_factory.mktemp("reader")
    (home / ".claude").mkdir()
    shutil.copytree(SAMPLE / "projects", home / ".claude" / "projects")
    (home / ".gitconfig").write_text("[user]\n\tname = Nadia Sorokina\n\temail = nadia@sorokina.example\n")
    return home


@pytest.mark.timeout(600)
def test_the_readmes_commands_run_and_print_what_it_says(readme_home: Path, update: bool) -> None:
    """All of them in one home, in order. `--update` puts in what is printed now where that is another text."""
    text = read(ROOT / "README.md")
    for block in fences(text, "console"):
        now = []
        for step in console.parse(block):
            status, ran = console.run(step, readme_home)
            assert status == 0, f"$ {step.command}\n{ran.printed}"
            now.append(step if console.matches(step.printed, ran.printed) else ran)
        text = text.replace(block, console.render(now, between=""))
    if update:
        (ROOT / "README.md").write_text(text, encoding="utf-8")
    assert read(ROOT / "README.md") == text


def test_the_readme_shows_the_five_minutes(readme_home: Path) -> None:
    commands = [step.command for block in fences(read(ROOT / "README.md"), "console") for step in console.parse(block)]
    assert [command.split()[1] for command in commands[:4]] == ["init", "ingest", "dream", "index"]


def test_the_readmes_settings_give_the_index_to_a_session(dreamt: Path, run: Run) -> None:
    (text,) = fences(read(ROOT / "README.md"), "json")
    (entry,) = json.loads(text)["hooks"]["SessionStart"]
    assert entry["matcher"] == "startup|resume|clear|compact"
    (hook,) = entry["hooks"]
    program, *arguments = hook["command"].split()
    assert program.rpartition("/")[2] == "brain"
    done = run(*arguments, env={"BRAIN_HOME": str(dreamt)})
    assert (done.status, done.err) == (0, "")
    answer = json.loads(done.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "SessionStart"
    assert "Nadia" in answer["additionalContext"]


def test_the_readme_names_the_two_commands_of_the_makefile() -> None:
    makefile = read(ROOT / "Makefile")
    for target in ("demo", "test"):
        assert f"make {target}" in read(ROOT / "README.md")
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


# --- docs/commands.md -------------------------------------------------------------------------


COMMANDS_PAGE = DOCS / "commands.md"
GENERATED = "<!-- generated from --help by `pytest --update`; what stands between these two lines is overwritten -->"


def command_names() -> Iterator[tuple[str, ...]]:
    """`()` for brain itself, then every command, each group followed by those in it."""
    context = click.Context(cli)
    yield ()
    for name in cli.list_commands(context):
        yield (name,)
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((name, inner) for inner in command.list_commands(context))


def test_every_command_of_a_group_has_an_example() -> None:
    context = click.Context(cli)
    for group, *inner in (names for names in command_names() if len(names) == 2):
        command = cli.get_command(context, group)
        assert isinstance(command, click.Group)
        found = command.get_command(context, inner[0])
        assert found is not None and "Example:" in (found.help or ""), (group, inner)


def test_the_commands_page_equals_help(
    call: Callable[..., Result], update: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    text = read(COMMANDS_PAGE)
    before, _, after = text.split(GENERATED)
    helps = [(" ".join(("brain", *names)), call(*names, "--help").out) for names in command_names()]
    blocks = "".join(f"### {title}\n\n```text\n{out.rstrip()}\n```\n\n" for title, out in helps)
    wanted = f"{before}{GENERATED}\n\n{blocks}{GENERATED}{after}"
    if update:
        COMMANDS_PAGE.write_text(wanted, encoding="utf-8")
    assert read(COMMANDS_PAGE) == wanted


def _settings(cls: type[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """(key, default) of every setting of brain.toml."""
    hints = get_type_hints(cls)
    for item in fields(cls):
        if hasattr(hints[item.name], "__dataclass_fields__"):
            yield from _settings(hints[item.name], f"{prefix}{item.name}.")
        else:
            default = list(item.default) if isinstance(item.default, tuple) else item.default
            yield prefix + item.name, json.dumps(default)


def test_the_commands_page_lists_every_setting_with_its_default() -> None:
    table = rows(section(read(COMMANDS_PAGE), "## Settings: brain.toml"))
    assert [(key.strip("`"), default.strip("`")) for key, default, *_ in table] == list(_settings(config.Settings))


def test_every_setting_is_read_by_some_code() -> None:
    """No key of brain.toml is taken and then ignored."""
    code = "".join(read(path) for path in sources() if path.name != "config.py")
    unread = [key for key, _ in _settings(config.Settings) if not re.search(rf"\b{_reader(key)}\b", code)]
    assert unread == ["format"], "and that is checked when it is loaded"


def _reader(key: str) -> str:
    """How code reads a setting: from its table, whatever holds that."""
    table, _, name = key.rpartition(".")
    return rf"(?:{table}|limits|settings)\.{name}" if table else rf"settings\.{name}"


# --- the shapes of --json --------------------------------------------------------------------


def shapes() -> dict[str, Any]:
    """`command` -> the shape that docs/commands.md gives: an object of names and types."""
    found = re.findall(
        r"^### `brain ([a-z ]+?)(?: (?:--into )?[A-Z]+)? --json`(?: \((\w+)\))?\n.*?^```json\n(.*?)^```$",
        section(read(COMMANDS_PAGE), "## What --json prints"),
        re.MULTILINE | re.DOTALL,
    )
    return {" ".join(filter(None, (name, kind))): json.loads(text) for name, kind, text in found}


TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "integer": (int,),
    "number": (int, float),
    "yes or no": (bool,),
    "null": (type(None),),
}


def differences(value: object, shape: object, at: str = "") -> list[str]:
    """Where a value is not of a shape: other keys or order, other types, a list's items."""
    if isinstance(shape, dict) and list(shape) == ["…"] and isinstance(value, dict):
        return [found for key in value for found in differences(value[key], shape["…"], f"{at}.{key}")]
    if isinstance(shape, dict):
        if not isinstance(value, dict) or list(value) != list(shape):
            return [f"{at}: {list(value) if isinstance(value, dict) else value!r} is not {list(shape)}"]
        return [found for key in shape for found in differences(value[key], shape[key], f"{at}.{key}")]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{at}: {value!r} is no list"]
        return [found for n, item in enumerate(value) for found in differences(item, shape[0], f"{at}[{n}]")]
    assert isinstance(shape, str)
    kinds = shape.split(" | ")
    return [] if any(_is(value, kind) for kind in kinds) else [f"{at}: {value!r} is not {shape}"]


def _is(value: object, kind: str) -> bool:
    """Whether a value is of one type of a shape: a name of TYPES, or `=word`, that very word."""
    if kind.startswith("="):
        return value == kind[1:]
    if kind == "time":
        return re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)", str(value)) is not None
    return type(value) in TYPES[kind]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """`command` -> what it printed with --json, one brain's life long."""
    home = tmp_path_factory.mktemp("json")
    root, run = home / "brain", Run(home, home)

    def ask(*arguments: str | Path) -> Any:
        done = run(*arguments, "--json", env={"BRAIN_HOME": str(root)})
        assert done.status == 0, done
        return json.loads(done.out)

    given = {"init": ask("init", root)}
    settings = (root / "brain.toml").read_text(encoding="utf-8")
    (root / "brain.toml").write_text(settings.replace('embedder = "use"', 'embedder = "none"'), encoding="utf-8")
    given["ingest"] = ask("ingest", SAMPLE / "projects", SAMPLE / "log", "--now", NOW)
    given["dream"] = ask("dream", "--now", NOW)
    given["dream again"] = ask("dream", "--now", NOW)
    page = next((root / "memory" / "knowledge" / "people").glob("*.md")).relative_to(root)
    for name, arguments in {
        "validate": (),
        "index": (),
        "log": (),
        "status": (),
        "recall": ("Ilya",),
        "show session": (given["ingest"]["sessions"][0]["id"],),
        "show turn": (f"{given['ingest']['sessions'][0]['id']}#t1",),
        "show file": (page,),
        "history": (page,),
    }.items():
        given[name] = ask(name.split()[0], *arguments)
    for name in ("open", "refresh", "list", "close"):
        given[f"sandbox {name}"] = ask("sandbox", name, *(() if name == "list" else (home / "sandbox",)))
        if name == "open":
            given["recall into"] = ask("recall", "Ilya", "--into", home / "sandbox")
    return given


def test_every_command_with_json_has_its_shape_on_the_page(answers: dict[str, Any]) -> None:
    assert {name.split()[0] for name in shapes()} == {name.split()[0] for name in answers}


@pytest.mark.parametrize("name", shapes())
def test_json_is_as_the_page_says(name: str, answers: dict[str, Any]) -> None:
    assert differences(answers[name], shapes()[name]) == []


def test_json_is_of_the_same_shape_when_nothing_changed(answers: dict[str, Any]) -> None:
    again = answers["dream again"]
    assert again["status"] == "no_change"
    assert differences(again, shapes()["dream"]) == []


def test_findings_are_as_the_page_says(brain: Path, call: Callable[..., Result]) -> None:
    page = brain / "memory" / "knowledge" / "people" / "Ilya.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Ilya\n\nHe works somewhere. [cite:1]\n", encoding="utf-8")
    done = call("validate", "--brain", brain, "--json")
    assert done.status == 1
    given = json.loads(done.out)
    assert given["findings"]
    assert differences(given, shapes()["validate"]) == []


def test_lists_that_the_page_describes_were_not_all_empty(answers: dict[str, Any]) -> None:
    for name, key in (("ingest", "sessions"), ("show session", "turns"), ("recall", "hits")):
        assert answers[name][key], name


@pytest.mark.parametrize(
    ("value", "shape", "count"),
    [
        ({"a": 1}, {"a": "integer"}, 0),
        ({"a": True}, {"a": "integer"}, 1),
        ({"a": 1, "b": 1}, {"a": "integer"}, 1),
        ({}, {"a": "integer"}, 1),
        ({"a": None}, {"a": "text | null"}, 0),
        ({"a": None}, {"a": "text"}, 1),
        ([{"a": 1}, {"a": ""}], [{"a": "integer"}], 1),
        ("synced", "=synced | =rejected", 0),
        ("done", "=synced | =rejected", 1),
        ("2026-11-29T03:00:00+00:00", "time", 0),
        ("2026-11-29T03:00:00", "time", 1),
        (1, "number", 0),
    ],
)
def test_what_counts_as_a_difference(value: object, shape: object, count: int) -> None:
    assert len(differences(value, shape)) == count


# --- docs/errors.md -----------------------------------------------------------------------------


def errors() -> set[type[BrainError]]:
    """Every error class of the package, all of its modules imported."""
    for module in pkgutil.walk_packages(package.__path__, "brain."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    found, todo = {BrainError}, [BrainError]
    while todo:
        new = [cls for cls in todo.pop().__subclasses__() if cls.__module__.startswith("brain.")]
        found.update(new)
        todo += new
    return found - {BrainError}


def test_the_errors_page_lists_every_code_with_its_exit_status() -> None:
    given = {(cls.code, cls.exit_status) for cls in errors()}
    given |= {(code, 3) for code, _ in _SYSTEM.values()} | {("memory", 3), ("internal", 3), ("interrupted", 130)}
    listed = [(code.strip("`"), int(status)) for code, status, *_ in rows(read(DOCS / "errors.md"))]
    assert sorted(listed) == sorted(given)


def test_an_error_code_means_one_thing() -> None:
    """A class takes the code of its parent, or one that no other class has."""
    own = [cls.code for cls in errors() if "code" in vars(cls)]
    assert sorted(own) == sorted(set(own))


# --- docs/dependencies.md ------------------------------------------------------------------------


def sources() -> Sequence[Path]:
    return [path for part in PARTS for path in sorted((ROOT / part).rglob("*.py")) if "sample" not in path.parts]


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", requirement)
    assert found
    return found[0].lower()


PROJECT = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def dependency_rows(title: str) -> list[list[str]]:
    return rows(section(read(DOCS / "dependencies.md"), title))


def test_the_dependencies_page_lists_what_the_core_depends_on() -> None:
    listed = [row[0].strip("`") for row in dependency_rows("## The core")]
    assert listed == sorted(_name(text) for text in PROJECT["dependencies"])


def test_the_dependencies_page_lists_every_extra() -> None:
    listed = [(row[0].strip("`"), row[1].strip("`")) for row in dependency_rows("## Extras")]
    assert listed == [(extra, _name(text)) for extra in EXTRAS if extra != "test" for text in EXTRAS[extra]]


def test_the_dependencies_page_lists_the_test_tools() -> None:
    listed = [row[0].strip("`") for row in dependency_rows("## Tests and checks")]
    assert listed == sorted(_name(text) for text in EXTRAS["test"] if _name(text) != "brain-dream")


def test_every_cell_of_the_dependencies_page_says_something() -> None:
    for title in ("## The core", "## Extras", "## Tests and checks"):
        assert all(cell for row in dependency_rows(title) for cell in row)


def imported() -> set[str]:
    """Top-level names of everything that the package imports, at the top or where it is needed."""
    names: set[str] = set()
    for path in sources():
        for node in ast.walk(ast.parse(read(path))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
            elif isinstance(node, ast.Call) and ast.unparse(node.func).startswith("importlib."):
                names |= {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
    return names


def test_what_is_depended_on_is_used() -> None:
    """Each import name of the page is imported somewhere in the package."""
    core = {row[0]: row[1] for row in dependency_rows("## The core")}
    extras = {row[1]: row[2] for row in dependency_rows("## Extras")}
    unused = {name for name, module in (core | extras).items() if module.strip("`") not in imported()}
    assert unused == set()


# --- docs/transcripts.md ------------------------------------------------------------------------


def test_every_format_is_in_the_list_of_formats() -> None:
    page = (ROOT / "docs" / "transcripts.md").read_text(encoding="utf-8")
    table = page[page.index("| format |") : page.index("## What holds")]
    named = {name for line in table.splitlines()[2:] if line for name in re.findall(r"`([^`]+)`", line.split("|")[1])}
    assert named == set(FORMATS)
