"""A language model that follows a script: a small server on loopback which speaks what the agents' makers' models speak
(Anthropic Messages, OpenAI Chat Completions and Responses, Gemini).

The script is a list of tool calls, one per turn. Which turn it is follows from the conversation that the client sends:
each result of a call of the script stands in it. What the model sees is kept, so that it can be looked at.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What comes after the script; also the answer to what a client asks besides: a title, a summary.
LAST = "done"
# Some clients show their model the tools of a server only once it looked for them.
SEARCHES = {"ToolSearch", "tool_search"}
Call = tuple[str, dict[str, Any]]


class AtLimit(Exception):
    """What a step says instead of a call: the words of a vendor of its limit."""

    def __init__(self, words: dict[str, Any]) -> None:
        super().__init__("at its limit")
        self.words = words


class Turn:
    """What a client sends: the tools by their plain names, and the results of earlier calls by their ids."""

    def __init__(self) -> None:
        self.tools: dict[str, tuple[str, str | None]] = {}
        self.results: dict[str, str] = {}
        # By what other tools are found, and called.
        self.search: str | None = None
        self.through: str | None = None
        # Whether its user has just said something: what failed before is tried again.
        self.asked = False
        # Whether the answer to who asked is a call, too.
        self.answers = False
        # The arguments of each tool, where the client wants all of them to be there.
        self.arguments: dict[str, dict[str, Any]] = {}
        # The schema of an answer that is no call: what the client asks besides, as whether its work goes in circles.
        self.schema: dict[str, Any] = {}

    def tool(self, name: str, namespace: str | None = None) -> None:
        plain = re.sub(r"^(mcp_+)?callboard[_-]+", "", name)
        if plain != name or namespace and "callboard" in namespace:
            self.tools[plain] = (name, namespace)
        elif name in SEARCHES:
            self.search = name
        elif name == "tool_call":
            self.through = name
        elif name == "final_answer":
            self.answers = True
        else:
            # The frameworks give a server's tools the names that it gives them.
            self.tools.setdefault(name, (name, namespace))

    def result(self, key: str, content: Any) -> None:
        self.results[key] = text_of(content)


class Script:
    """What the model does, and what it saw."""

    def __init__(self, steps: list[Callable[[], Call]]) -> None:
        self.steps = steps
        self.seen: list[str] = []
        self.requests: list[str] = []
        # What it says for an argument that its client wants and its script leaves out.
        self.facts: dict[str, Any] = {}
        # How often it said that it is at its limit.
        self.refused = 0
        # All that its client sent with the newest request.
        self.heard = ""
        self.lock = threading.Lock()

    def next(self, turn: Turn) -> tuple[str, str, str | None, dict[str, Any]] | None:
        """The next call: its id, the tool's name and namespace, its arguments. None after the last one."""
        done = [text for key, text in turn.results.items() if key.startswith("call_")]
        if not turn.tools:
            return None
        with self.lock:
            if len(done) >= len(self.seen):
                self.seen = done
        if len(done) >= len(self.steps):
            # Where an answer is a call.
            return ("last", "final_answer", None, {"answer": LAST}) if turn.answers else None
        name, arguments = self.steps[len(done)]()
        if turn.answers:
            # smolagents has its model name every argument; one that it has nothing to say for is left empty.
            empty = {key: emptiness(schema) for key, schema in turn.arguments.get(name, {}).items()} | {
                key: value for key, value in self.facts.items() if key in turn.arguments.get(name, {})
            }
            arguments = {**empty, **arguments}
        if name in turn.tools:
            return f"call_{len(done)}", *turn.tools[name], arguments
        finds = [key for key in turn.results if key.startswith(f"find_{len(done)}_")]
        if turn.search and (not finds or turn.asked):
            return f"find_{len(done)}_{len(finds)}", turn.search, None, {"query": f"select:mcp__callboard__{name}"}
        if turn.through:
            return f"call_{len(done)}", turn.through, None, {"name": f"mcp__callboard__{name}", "arguments": arguments}
        return None


def emptiness(schema: dict[str, Any]) -> Any:
    """What says least, of the type that an argument has; a number is a time in which everything comes."""
    kinds = schema.get("type", "string")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if "null" in kinds:
        return None
    return {"array": [], "object": {}, "boolean": False, "number": 60, "integer": 60}.get(kinds[0], "")


def nothing(schema: dict[str, Any]) -> str:
    """An answer by a schema that says neither yes nor anything else."""
    least = {"array": [], "object": {}, "boolean": False, "number": 0, "integer": 0}
    return json.dumps({key: least.get(part.get("type"), "") for key, part in schema.get("properties", {}).items()})


def text_of(content: Any) -> str:
    """The text of a result, in whatever parts it comes."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        for name in ("text", "content", "output"):
            if name in content:
                return text_of(content[name])
        return json.dumps(content, ensure_ascii=False)
    return "" if content is None else str(content)


class Messages:
    """Anthropic Messages."""

    @staticmethod
    def turn(body: dict[str, Any]) -> Turn:
        turn = Turn()
        for tool in body.get("tools") or []:
            turn.tool(tool["name"])
        for message in body["messages"]:
            for part in message["content"] if isinstance(message["content"], list) else []:
                if part["type"] == "tool_result":
                    turn.result(part["tool_use_id"], part.get("content"))
            content = message["content"]
            results = isinstance(content, list) and any(part["type"] == "tool_result" for part in content)
            turn.asked = message["role"] == "user" and not results
        return turn

    @staticmethod
    def answer(call: Any) -> Iterator[tuple[str | None, Any]]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []}
        yield "message_start", {"message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}}
        if call:
            key, name, _, arguments = call
            block = {"type": "tool_use", "id": key, "name": name, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        else:
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": LAST}
        yield "content_block_start", {"index": 0, "content_block": block}
        yield "content_block_delta", {"index": 0, "delta": delta}
        yield "content_block_stop", {"index": 0}
        stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        yield "message_delta", {"delta": stop, "usage": usage}
        yield "message_stop", {}

    @staticmethod
    def whole(call: Any) -> Any:
        part = {"type": "text", "text": LAST}
        if call:
            part = {"type": "tool_use", "id": call[0], "name": call[1], "input": call[3]}
        head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": [part]}
        usage = {"input_tokens": 1, "output_tokens": 1}
        return {**head, "stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None, "usage": usage}


class Completions:
    """OpenAI Chat Completions."""

    @staticmethod
    def turn(body: dict[str, Any]) -> Turn:
        turn = Turn()
        for tool in body.get("tools") or []:
            function = tool["function"]
            turn.tool(function["name"])
            turn.arguments[function["name"]] = function.get("parameters", {}).get("properties", {})
        for message in body["messages"]:
            if message["role"] == "tool":
                turn.result(message["tool_call_id"], message.get("content"))
            elif turn.answers and text_of(message.get("content")).startswith("Observation:"):
                # smolagents tells its model of results as a user would.
                turn.result(f"call_{len(turn.results)}", message["content"])
        return turn

    @staticmethod
    def answer(call: Any) -> Iterator[tuple[str | None, Any]]:
        def chunk(delta: Any, finish: str | None = None) -> tuple[None, Any]:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
            return None, {
                **head,
                "choices": [choice],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }

        if call:
            key, name, _, arguments = call
            function = {"name": name, "arguments": json.dumps(arguments)}
            calls = [{"index": 0, "id": key, "type": "function", "function": function}]
            yield chunk({"role": "assistant", "content": None, "tool_calls": calls})
        else:
            yield chunk({"role": "assistant", "content": LAST})
        yield chunk({}, "tool_calls" if call else "stop")
        yield None, "[DONE]"

    @staticmethod
    def whole(call: Any) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": None if call else LAST}
        if call:
            key, name, _, arguments = call
            function = {"name": name, "arguments": json.dumps(arguments)}
            message["tool_calls"] = [{"id": key, "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if call else "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return {
            "id": "c1",
            "object": "chat.completion",
            "created": 1,
            "model": "scripted",
            "choices": [choice],
            "usage": usage,
        }


class Responses:
    """OpenAI Responses."""

    @staticmethod
    def turn(body: dict[str, Any]) -> Turn:
        turn = Turn()
        for tool in body.get("tools") or []:
            if tool["type"] == "namespace":
                for inner in tool["tools"]:
                    turn.tool(inner["name"], tool["name"])
            elif "name" in tool:
                turn.tool(tool["name"])
        for item in body["input"] if isinstance(body["input"], list) else []:
            if item.get("type") == "function_call_output":
                turn.result(item["call_id"], item["output"])
        return turn

    @staticmethod
    def response(call: Any) -> Any:
        if call:
            key, name, namespace, arguments = call
            item = {
                "type": "function_call",
                "id": f"fc_{key}",
                "call_id": key,
                "name": name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            if namespace:
                item["namespace"] = namespace
        else:
            content = [{"type": "output_text", "text": LAST, "annotations": []}]
            item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content, "status": "completed"}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        rest = {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "created_at": 1, "model": "scripted"}
        return {"id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage, **rest}

    @classmethod
    def answer(cls, call: Any) -> Iterator[tuple[str | None, Any]]:
        response = cls.response(call)
        yield "response.created", {"response": {**response, "status": "in_progress", "output": []}}
        yield "response.output_item.added", {"output_index": 0, "item": response["output"][0]}
        yield "response.output_item.done", {"output_index": 0, "item": response["output"][0]}
        yield "response.completed", {"response": response}

    whole = response


class Gemini:
    """Gemini's generateContent. Its calls have no ids of ours: their order is what tells them apart."""

    @staticmethod
    def turn(body: dict[str, Any]) -> Turn:
        turn = Turn()
        for tools in body.get("tools") or []:
            for tool in tools.get("functionDeclarations") or []:
                turn.tool(tool["name"])
        parts = [part for content in body["contents"] for part in content.get("parts") or []]
        answers: list[Any] = []
        for answer in (part["functionResponse"] for part in parts if "functionResponse" in part):
            # A conversation that Gemini CLI resumes has each of its answers twice.
            if answer not in answers:
                answers.append(answer)
        for at, answer in enumerate(answers):
            turn.result(f"call_{at}", answer["response"])
        turn.schema = body.get("generationConfig", {}).get("responseJsonSchema") or {}
        return turn

    @staticmethod
    def whole(call: Any) -> Any:
        part: dict[str, Any] = {"text": call or LAST}
        if isinstance(call, tuple):
            part = {"functionCall": {"name": call[1], "args": call[3]}}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    @classmethod
    def answer(cls, call: Any) -> Iterator[tuple[str | None, Any]]:
        yield None, cls.whole(call)


SPOKEN = [
    (re.compile(r"/v1/messages$"), Messages),
    (re.compile(r"/chat/completions$"), Completions),
    (re.compile(r"/responses$"), Responses),
    (re.compile(r":(streamG|g)enerateContent$"), Gemini),
]


class Model:
    """The server; `url` is where it listens."""

    def __init__(self, script: Script) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length)
                body = json.loads(raw or b"{}")
                path = self.path.split("?")[0]
                script.requests.append(path)
                spoken = next((kind for pattern, kind in SPOKEN if pattern.search(path)), None)
                if spoken is None:
                    # Telemetry, updates, counts of tokens: nothing that the model is asked.
                    return self.send(json.dumps({"input_tokens": 1, "totalTokens": 1}), "application/json")
                script.heard = raw.decode(errors="replace")
                turn = spoken.turn(body)
                try:
                    call = nothing(turn.schema) if turn.schema else script.next(turn)
                except AtLimit as limit:
                    script.refused += 1
                    return self.send(json.dumps(limit.words), "application/json", 429, {"retry-after": "3600"})
                if body.get("stream") or "stream" in path:
                    lines = []
                    for event, data in spoken.answer(call):
                        if event:
                            lines.append(f"event: {event}\n")
                            data = {"type": event, **data}
                        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
                    return self.send("".join(lines), "text/event-stream")
                return self.send(json.dumps(spoken.whole(call)), "application/json")

            def do_GET(self) -> None:
                script.requests.append(f"GET {self.path}")
                self.send(
                    json.dumps({"data": [{"id": "scripted", "object": "model"}], "models": []}), "application/json"
                )

            def send(self, text: str, kind: str, status: int = 200, more: dict[str, str] | None = None) -> None:
                raw = text.encode()
                self.send_response(status)
                for name, value in (more or {}).items():
                    self.send_header(name, value)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            do_HEAD = do_GET

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            # A program that ended while it was answered is no fault of anybody's.
            def handle_error(self, *_: Any) -> None:
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
