"""Models that talk: the wire against a server of this machine, the scripted one, calls written into prose."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

pytest.importorskip("openai", reason="the extra `openai` is not installed")

from brain.llm import (
    Call,
    Endpoint,
    Message,
    ModelFailed,
    OpenAIChat,
    Reply,
    ScriptedModel,
    Tool,
    json_object,
    spoken_calls,
)

SHELL = Tool("shell", "Run a command.", {"command": "the command"})
ASKED = [Message("system", "Be brief."), Message("user", "What port?")]


@dataclass
class Server:
    """Answers with the bodies of a list and keeps what it was asked."""

    url: str
    bodies: list[tuple[int, object]] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@pytest.fixture
def server(socket_enabled: None) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            given.asked.append(json.loads(self.rfile.read(length)))
            given.headers.append({name.lower(): value for name, value in self.headers.items()})
            status, body = given.bodies.pop(0)
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Nothing is printed."""

    http = HTTPServer(("127.0.0.1", 0), Handler)
    given = Server(f"http://127.0.0.1:{http.server_port}/v1")
    thread = threading.Thread(target=http.serve_forever, args=(0.05,))
    thread.start()
    yield given
    http.shutdown()
    thread.join()
    http.server_close()


def completion(message: dict[str, Any], **other: object) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    usage = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    } | other


def chat(server: Server) -> OpenAIChat:
    return OpenAIChat(Endpoint("tiny", server.url, "sk-test-key"))


def test_words_come_back_with_what_they_cost(server: Server) -> None:
    server.bodies.append((200, completion({"content": "8443"})))
    assert chat(server).reply(ASKED, [], None) == Reply("8443", (), 11, 3)
    (asked,) = server.asked
    assert asked["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What port?"}]
    assert asked["temperature"] == 0 and "tools" not in asked
    assert server.headers[0]["authorization"] == "Bearer sk-test-key"


def test_a_call_goes_out_and_its_answer_goes_back(server: Server) -> None:
    wire = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": '{"command": "ls"}'}}
    server.bodies += [
        (200, completion({"content": None, "tool_calls": [wire]})),
        (200, completion({"content": "done"})),
    ]
    model = chat(server)
    reply = model.reply(ASKED, [SHELL], None)
    assert reply.calls == (Call("c1", "shell", {"command": "ls"}),)
    model.reply([*ASKED, Message("assistant", "", reply.calls), Message("tool", "a.md", answers="c1")], [SHELL], None)
    assert server.asked[0]["tools"][0]["function"]["parameters"]["required"] == ["command"]
    assert server.asked[1]["messages"][2]["tool_calls"][0]["id"] == "c1"
    assert server.asked[1]["messages"][3] == {"role": "tool", "content": "a.md", "tool_call_id": "c1"}


def test_a_schema_is_asked_for(server: Server) -> None:
    server.bodies.append((200, completion({"content": '{"a": 1}'})))
    chat(server).reply(ASKED, [], {"type": "object"})
    assert server.asked[0]["response_format"]["json_schema"]["schema"] == {"type": "object"}


def test_what_an_endpoint_leaves_out_is_missed_by_nobody(server: Server) -> None:
    server.bodies.append((200, completion({"content": None}, usage=None)))
    assert chat(server).reply(ASKED, [], None) == Reply("")


@pytest.mark.parametrize(
    "body", [(400, {"error": {"message": "no such model"}}), (401, {"error": {}}), (200, completion({}, choices=[]))]
)
def test_a_refusal_is_one_line_without_the_key(server: Server, body: tuple[int, object]) -> None:
    server.bodies.append(body)
    with pytest.raises(ModelFailed) as caught:
        chat(server).reply(ASKED, [], None)
    assert "\n" not in caught.value.message
    assert "sk-test-key" not in caught.value.message + repr(Endpoint("tiny", "u", "sk-test-key"))


def test_a_server_that_is_not_there_is_one_line(socket_enabled: None) -> None:
    with pytest.raises(ModelFailed, match="gave no answer"):
        OpenAIChat(Endpoint("tiny", "http://127.0.0.1:9", seconds=0.2, retries=0)).reply(ASKED, [], None)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "shell", "arguments": {"command": "ls"}}',
        'I will look.\n```json\n{"name": "shell", "arguments": {"command": "ls"}}\n```\nThen I answer.',
        '<tool_call>\n{"name": "shell", "arguments": "{\\"command\\": \\"ls\\"}"}\n</tool_call>',
        'Sure: {"name": "shell", "parameters": {"command": "ls"}} and {"name": "other"}',
    ],
)
def test_a_call_in_prose_is_a_call(text: str) -> None:
    assert spoken_calls(text, [SHELL]) == (Call("spoken-1", "shell", {"command": "ls"}),)


@pytest.mark.parametrize("text", ["ls", '{"name": "rm"}', '{"name": ', "{" * 5000, '[{"a": 1}', '{"a": ' * 3000])
def test_prose_is_no_call(text: str) -> None:
    assert spoken_calls(text, [SHELL]) == ()


def test_the_first_object_of_a_text() -> None:
    assert json_object('so: {"a": [1]} {"b": 2}') == {"a": [1]}
    assert json_object("none") is None


def test_a_scripted_model_says_its_lines_and_stops() -> None:
    model = ScriptedModel(["one", '{"name": "shell", "arguments": {"command": "ls"}}'])
    assert model.reply(ASKED, [SHELL], None).text == "one"
    assert model.reply(ASKED, [SHELL], None).calls[0].name == "shell"
    assert model.heard == [tuple(ASKED)] * 2
    with pytest.raises(ModelFailed):
        model.reply(ASKED, [], None)
