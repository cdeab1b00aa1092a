"""The operator, over plain HTTP: gives out tasks and looks at what became of them."""

import asyncio
import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

# What comes at all has come by then, however busy the machine.
PATIENCE = 60.0
URL = os.environ["CALLBOARD_URL"]
TOKENS = Path(os.environ["CLIENTS_TOKENS"])
OPERATOR = Path(os.environ["CALLBOARD_TOKEN_FILE"]).read_text(encoding="utf-8").strip()


def _send(method: str, path: str, body: Any = None, token: str = OPERATOR) -> Any:
    request = urllib.request.Request(URL + path, method=method)
    request.add_header("Authorization", f"Bearer {token}")
    request.add_header("Content-Type", "application/json")
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data, timeout=20) as answer:
        return json.load(answer)


def create_task(**task: Any) -> str:
    return _send("POST", "/api/v1/tasks", task)["taskId"]


def task_of(task: str) -> dict[str, Any]:
    return _send("GET", f"/api/v1/tasks/{task}")


def agents() -> list[dict[str, Any]]:
    return _send("GET", "/api/v1/agents")["items"]


def task_state(task: str) -> str:
    return task_of(task)["state"]


async def as_agent(agent: str, tool: str, arguments: Any) -> dict[str, Any]:
    """A call by the agent itself, over plain HTTP, by no client in particular."""
    return await asyncio.to_thread(_send, "POST", f"/api/v1/tools/{tool}", arguments, token_of(agent))


async def judge(task: str, verdict: str, body: Any) -> Any:
    return await asyncio.to_thread(_send, "POST", f"/api/v1/reviews/{task}/{verdict}", body)


async def answer_question(question: str, value: str, own_words: bool = False) -> tuple[int, Any]:
    """The answer's status and body, whatever they are."""
    body = {"value": value, "ownWords": own_words}
    try:
        return 200, await asyncio.to_thread(_send, "POST", f"/api/v1/questions/{question}/answer", body)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


async def open_question(agent: str) -> str:
    """The question that `agent` asks, once it does; fails when patience ends."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = (await asyncio.to_thread(_send, "GET", f"/api/v1/questions?agent={agent}"))["items"]
        if found:
            return found[0]["id"]
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{agent} asks nothing")


def token_of(agent: str) -> str:
    return (TOKENS / agent).read_text(encoding="utf-8").strip()


async def make_token(agent: str) -> None:
    made = await asyncio.to_thread(_send, "POST", "/api/v1/tokens", {"agent": agent})
    (TOKENS / agent).write_text(made["token"], encoding="utf-8")


def proxy_of(agent: str) -> tuple[str, list[str], dict[str, str]]:
    """How to start the proxy for `agent`, with the agent's own token."""
    token = str(TOKENS / agent)
    environment = {"CALLBOARD_URL": URL, "CALLBOARD_TOKEN_FILE": token}
    return os.environ["CLIENTS_BIN"], ["proxy", "--agent", agent], environment


async def until_agent_is(agent: str, *wanted: str) -> None:
    """Returns once the hub itself shows `agent` as one of these; fails when patience ends."""
    seen, end = None, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        known = await asyncio.to_thread(agents)
        seen = next((item["availability"] for item in known if item["agentId"] == agent), None)
        if seen in wanted:
            return
        await asyncio.sleep(0.05)
    raise RuntimeError(f"{agent} is {seen}, not {' or '.join(wanted)}")
